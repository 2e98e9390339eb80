/** Passwords: signing in by one, an invitation that sets one, and changing one. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { adminProject } from '../support/console/an-admin-project.ts'
import { type Answers, problem } from './support/answers.ts'
import {
  type Opening,
  openConsole,
  openSignIn,
  openSignInDialog,
  press,
} from './support/open-console.tsx'
import { button, dialogOf, heading, link } from './support/parts.ts'
import { gone, input, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = adminProject
const ways = ['password'] as const
const until = '2026-05-04T08:30:00.000Z'
const started = { body: { user_id: 2, expires_at: until, may_switch: false } }
const signInPath = 'POST /console/-/session/password'
const lookPath = 'POST /console/-/invitation'
const acceptPath = 'POST /console/-/invitation/accept'
const changePath = 'PUT /console/-/password'

const unauthenticated = (detail: string) => problem(401, 'caller.unauthenticated', detail)
const tooMany = (seconds: number) => {
  const { headers, ...rest } = problem(429, 'request.too-many', 'There were too many.')
  return { ...rest, headers: { ...headers, 'Retry-After': `${seconds}` } }
}
const saturated = problem(503, 'request.saturated', 'Too many people sign in at this moment.')
const refusedAt = (path: string) =>
  problem(400, 'request.invalid', 'It is not valid.', { errors: [{ path, message: 'is bad' }] })

const alert = page.getByRole('alert')
const password = input('Password')
const newPassword = input('New password')
const good = 'correct horse battery'

describe('the sign-in', () => {
  const open = (answers: Answers, more: Opening = {}) =>
    openSignIn('/order', { project, ways, answers, ...more })
  const name = input('E-mail or user name')
  const signIn = button('Sign in').first()

  test('by a password is offered first, by keys alone, and the page that was asked for opens', async () => {
    const service = await open({ [signInPath]: started }, { signIn: 'keys' })
    const fields = page.getByRole('main').element().querySelectorAll('input')
    expect([...fields].map(({ autocomplete }) => autocomplete)).toEqual([
      'username',
      'current-password',
      'off',
    ])
    await see(page.getByText('Forgot your password? An administrator sends you a new link.'))
    expect(await findViolations()).toEqual([])
    // Keys are for a few: their form stands closed below.
    const key = page.getByLabelText('API key')
    await expect.element(key).not.toBeVisible()
    await page.getByText('For administrators').click()
    await see(key)
    expect(await findViolations()).toEqual([])
    await press(name, ` ana@example.com {Tab}${good}{Enter}`)
    await wrote(service, signInPath, { name: 'ana@example.com', password: good })
    expect(location.pathname).toBe('/console/order')
  })

  test('says in a sentence that something is wrong, how long to wait, and what to do when the service is busy', async () => {
    const answers = [unauthenticated('Wrong.'), tooMany(30), tooMany(95), saturated]
    await open({ [signInPath]: () => answers.shift() ?? started })
    await name.fill('ana')
    await password.fill('a wrong horse')
    const says = async (text: string) => {
      await signIn.click()
      await expect.element(alert).toHaveTextContent(text)
    }
    await says('The name or the password is wrong.')
    await says('There were too many attempts. The next attempt is possible in 30 seconds.')
    await says('There were too many attempts. The next attempt is possible in 2 minutes.')
    expect(await findViolations()).toEqual([])
    await says('The service cannot do this at the moment. Try again.')
    await expect.element(name).toHaveValue('ana')
    await expect.element(password).toHaveValue('a wrong horse')
  })

  test('shows a password and hides it again', async () => {
    await open({})
    await password.fill(good)
    await expect.element(password).toHaveAttribute('type', 'password')
    await press(button('Show: Password'), '{Enter}')
    await expect.element(password).toHaveAttribute('type', 'text')
    await expect.element(button('Hide: Password')).toHaveFocus()
    await press(button('Hide: Password'), '[Space]')
    await expect.element(password).toHaveAttribute('type', 'password')
    await expect.element(password).toHaveValue(good)
  })

  test('with the account of a company has a name of its own below it, and has its own where nobody has a password', async () => {
    await open({}, { signIn: 'issuer' })
    await see(link('Sign in with the company account'), signIn)
    await cleanup()
    await open({}, { signIn: 'issuer', ways: [] })
    await see(page.getByRole('link', { name: 'Sign in', exact: true }))
    await gone(password)
  })

  test('with a key that is refused says so in the language of the page, and by which command another is made', async () => {
    await open(
      { 'POST /console/-/session': unauthenticated('Wrong.') },
      { signIn: 'keys', locale: 'de-DE' },
    )
    await page.getByText('Für die Administration').click()
    await see(page.getByText('npx docket api-key create'))
    await press(page.getByLabelText('API-Schlüssel'), 'docket_wrong{Enter}')
    await expect
      .element(alert)
      .toHaveTextContent('Der API-Schlüssel ist falsch, widerrufen oder abgelaufen.')
  })

  test('stands over the page of a session that has ended, and begins at its name', async () => {
    const service = await openSignInDialog('/order', {
      project,
      ways,
      answers: { [signInPath]: started },
    })
    await see(dialogOf('Sign in to Shop'))
    await expect.element(name).toHaveFocus()
    expect(await findViolations()).toEqual([])
    service.answer({ 'GET /api/me': problem(503, 'database.unavailable', 'Busy.') })
    await userEvent.keyboard(`ana{Tab}${good}{Enter}`)
    await wrote(service, signInPath, { name: 'ana', password: good })
    const asked = () => service.asked.filter(({ path }) => path === '/api/me')
    await expect.poll(asked).toHaveLength(2)
    await see(dialogOf('Sign in to Shop'))
  })

  test.for([
    ['de-DE', 'E-Mail oder Benutzername', 'Passwort', 'Der nächste Versuch ist in 30 Sekunden'],
    ['fr-FR', 'E-mail ou nom d’utilisateur', 'Mot de passe', 'est possible dans 30 secondes.'],
    ['hr-HR', 'E-pošta ili korisničko ime', 'Lozinka', 'Do sljedećeg pokušaja: 30 sekundi.'],
  ] as const)('speaks %s, on a phone', async ([locale, user, secret, wait]) => {
    const viewport = { width: 320, height: 700 }
    await open({ [signInPath]: tooMany(30) }, { locale, viewport })
    await input(user).fill('ana')
    await press(input(secret), `${good}{Enter}`)
    await see(alert.getByText(wait))
    expect(document.documentElement.scrollWidth).toBe(viewport.width)
    expect(await findViolations()).toEqual([])
  })
})

describe('the page of an invitation', () => {
  const path = '/-/login#invitation=secret-code'
  const invited = { body: { full_name: 'Ana Test', email: 'ana@example.com' } }
  const body = { code: 'secret-code' }
  const used = unauthenticated('The invitation is wrong.')
  const open = (answers: Answers, more: Opening = {}) =>
    openSignIn(path, { project, ways, answers, ...more })

  test('greets the person, says what a password needs, and forgets the code once it is used', async () => {
    const answers = { [lookPath]: invited, [acceptPath]: started }
    const service = await open(answers, { ways: ['password', 'code'] })
    await see(heading('Welcome, Ana Test'), page.getByText('At least 12 characters'))
    // Who uses codes needs nothing of the invitation.
    const signIn = link('Or sign in with a code by e-mail')
    await expect.element(signIn).toHaveAttribute('href', '/console/')
    const email = input('E-mail')
    await expect.element(email).toHaveValue('ana@example.com')
    await expect.element(email).toHaveAttribute('readonly')
    await expect.element(email).toHaveAttribute('autocomplete', 'username')
    await expect.element(newPassword).toHaveAttribute('autocomplete', 'new-password')
    await expect.element(newPassword).toHaveAccessibleDescription('At least 12 characters')
    expect(await findViolations()).toEqual([])
    await press(newPassword, 'eleven char{Enter}')
    await expect.element(newPassword).toBeInvalid()
    expect(sent(service, acceptPath)).toEqual([])
    await press(newPassword, 's{Enter}')
    await wrote(service, acceptPath, { ...body, password: 'eleven chars' })
    await expect.poll(() => location.href).toBe(`${location.origin}/console`)
    expect(sent(service, lookPath)).toEqual([body])
    expect(service.asked.map(({ query }) => `${query}`).join('')).toBe('')
  })

  test('says what is wrong with a password, and keeps it', async () => {
    const answers = [refusedAt('password'), saturated, used]
    await open({ [lookPath]: invited, [acceptPath]: () => answers.shift() ?? started })
    await newPassword.fill('ana@example.com')
    const says = async (text: RegExp | string) => {
      await button('Set the password').click()
      await see(alert.getByText(text))
    }
    await says(/^This password is too easy to guess/)
    await says('The service cannot do this at the moment. Try again.')
    await expect.element(newPassword).toHaveValue('ana@example.com')
    expect(location.hash).toBe('#invitation=secret-code')
    await says(/ask an administrator for a new link/)
    expect(await findViolations()).toEqual([])
  })

  test('that is used or wrong says what to do, and offers the sign-in', async () => {
    const service = await open({ [lookPath]: used, [signInPath]: started })
    await see(heading('Sign in to Shop'), alert.getByText(/ask an administrator for a new link/))
    expect(await findViolations()).toEqual([])
    await press(input('E-mail or user name'), `ana{Tab}${good}{Enter}`)
    await wrote(service, signInPath, { name: 'ana', password: good })
    await expect.poll(() => location.href).toBe(`${location.origin}/console`)
  })

  test('shows another invitation that is pasted over it', async () => {
    await open({
      [lookPath]: ({ body: given }) =>
        (given as { code: string }).code === 'other'
          ? { body: { full_name: 'Čedo Novak', email: 'cedo@example.com' } }
          : invited,
    })
    await see(heading('Welcome, Ana Test'))
    location.hash = '#invitation=other'
    await see(heading('Welcome, Čedo Novak'))
  })

  test('is the usual sign-in where nobody has a password', async () => {
    await open({}, { ways: [] })
    await see(heading('Sign in to Shop'))
    await gone(alert)
  })

  test('says who is signed in, to whom it is not for', async () => {
    const options = { project, ways, answers: { [lookPath]: invited } }
    await openConsole(path, options)
    await see(heading('Welcome, Ana Test'))
    await see(page.getByText(/^You are signed in as administrator\./))
    expect(document.title).toBe('Set the password · Shop')
    expect(await findViolations()).toEqual([])
    await cleanup()
    await openConsole(path, { ...options, answers: { [lookPath]: used } })
    await see(heading('This link cannot be used.'))
    await see(page.getByText(/ask an administrator for a new link/))
    await expect.element(link('Open the console')).toHaveAttribute('href', '/console/')
  })
})

describe('a code', () => {
  const askPath = 'POST /console/-/code'
  const enterPath = 'POST /console/-/session/code'
  const open = (answers: Answers, more: Opening = {}) =>
    openSignIn('/order', { project, ways: ['code'], answers, ...more })
  const name = input('E-mail or user name')
  const code = input('Code')

  test('is asked for and typed into the same page, which opens what was asked for', async () => {
    const service = await open({ [askPath]: { status: 204 }, [enterPath]: started })
    await gone(password)
    await press(name, ' ana@example.com {Enter}')
    await wrote(service, askPath, { name: 'ana@example.com' })
    await see(page.getByText(/^If ana@example\.com has an account here, a code is on its way/))
    expect(code.element().getAttribute('autocomplete')).toBe('one-time-code')
    expect(await findViolations()).toEqual([])
    await press(code, '1234 5678{Enter}')
    await wrote(service, enterPath, { code: '1234 5678' })
    expect(location.pathname).toBe('/console/order')
  })

  test('is one of two ways next to passwords', async () => {
    await open({ [signInPath]: tooMany(600) }, { ways: ['password', 'code'] })
    await name.fill('ana')
    await press(password, `${good}{Enter}`)
    await see(alert.getByText(/^There were too many attempts/))
    await userEvent.click(button('Sign in with a code by e-mail'))
    await gone(password)
    await see(button('Send the code'))
    // The time to wait is that of another way.
    await gone(alert)
    await userEvent.click(button('Sign in with a password'))
    await see(password)
  })
})

describe('an invitation without passwords', () => {
  const path = '/-/login?invitation#invitation=abc'
  const person = { body: { full_name: 'Ana Test', email: 'ana@example.com' } }

  test('signs in by a button, with codes alone', async () => {
    const answers = { [lookPath]: person, [acceptPath]: started }
    const service = await openSignIn(path, { project, ways: ['code'], answers })
    await see(heading('Welcome, Ana Test'))
    await gone(newPassword)
    expect(await findViolations()).toEqual([])
    await userEvent.click(button('Sign in'))
    await wrote(service, acceptPath, { code: 'abc' })
  })
})

describe('a password is changed', () => {
  const path = '/-/settings'
  const session = { id: 1, user_agent: null, is_current: true, created_at: until }
  const settled: Answers = {
    'GET /console/-/sessions': {
      body: { data: [{ ...session, expires_at: until, last_used_at: until }] },
    },
  }
  const open = (answers: Answers, more: Opening = {}) =>
    openConsole(path, { project, ways, answers: { ...settled, ...answers }, ...more })
  const current = input('Current password')
  const change = button('Change the password')

  test('with the former one, by keys alone, which ends the other sessions', async () => {
    const service = await open({ [changePath]: { status: 204 } })
    await see(change)
    expect(await findViolations()).toEqual([])
    await press(current, `${good}{Tab}{Tab}a new horse battery{Enter}`)
    const said = page.getByText('The password is changed. All your other sessions have ended.')
    await see(said)
    await wrote(service, changePath, { password: good, new_password: 'a new horse battery' })
    await expect.element(current).toHaveValue('')
    await expect.element(newPassword).toHaveValue('')
    const lists = () => service.asked.filter(({ path: one }) => one === '/console/-/sessions')
    await expect.poll(lists).toHaveLength(2)
    expect(await findViolations()).toEqual([])
  })

  test('not with a wrong one, by a weak one, after too many, or by who has none', async () => {
    const forbidden = problem(403, 'caller.forbidden', 'You have no password.')
    const answers = [refusedAt('password'), refusedAt('new_password'), tooMany(1), forbidden]
    await open({ [changePath]: () => answers.shift() ?? forbidden })
    await current.fill(good)
    await newPassword.fill('a new horse battery')
    const says = async (text: RegExp | string) => {
      await change.click()
      await see(alert.getByText(text))
    }
    await says('This is not your current password.')
    await says(/^This password is too easy to guess/)
    await says(/The next attempt is possible in 1 second\.$/)
    await says(/^You have no password\. An administrator can send you a link/)
    await expect.element(current).toHaveValue(good)
  })

  test('nowhere where nobody has one', async () => {
    await open({}, { ways: [] })
    await see(page.getByRole('heading', { name: 'Where you are signed in' }))
    await gone(page.getByRole('heading', { name: 'Password' }))
  })
})
