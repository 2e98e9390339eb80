/** Ways to sign in besides a password: the second step of a sign-in, and what users arrange for themselves. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { adminProject } from '../support/console/an-admin-project.ts'
import { type Answers, problem } from './support/answers.ts'
import { type Opening, openConsole, openSignIn, press } from './support/open-console.tsx'
import { button, dialogOf } from './support/parts.ts'
import { gone, input, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = adminProject
const ways = ['password', 'passkey'] as const
const moment = '2026-05-04T08:30:00.000Z'
const started = { body: { user_id: 2, expires_at: moment, may_switch: false } }
const codes = ['aaaa-bbbb-cccc-dddd-eeee-ffff', 'gggg-hhhh-iiii-jjjj-kkkk-llll']
const key = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const newKey = { body: { key, address: `otpauth://totp/Shop:ana?secret=${key}&issuer=Shop` } }
const alert = page.getByRole('alert')
const heading = (name: string) => page.getByRole('heading', { name })

const passwordPath = 'POST /console/-/session/password'
const codePath = 'POST /console/-/session/second-factor'
const challengePath = 'POST /console/-/session/passkey/challenge'
const appPath = 'PUT /console/-/second-factor'

const nextStep = (next: 'second-factor' | 'set-up', has_app = false, has_passkeys = false) => ({
  status: 202,
  body: { next, has_app, has_passkeys },
})
const signing = {
  body: {
    challenge: 'Y2hhbGxlbmdl',
    rpId: location.hostname,
    timeout: 300_000,
    userVerification: 'required',
  },
}
const tooMany = () => {
  const { headers, ...rest } = problem(429, 'request.too-many', 'There were too many.')
  return { ...rest, headers: { ...headers, 'Retry-After': '30' } }
}

describe('the second step of a sign-in', () => {
  const open = async (answers: Answers, more: Opening = {}) => {
    const service = await openSignIn('/order', { project, ways: [...ways], answers, ...more })
    await input('E-mail or user name').fill('ana')
    await press(input('Password'), 'correct horse battery{Enter}')
    return service
  }

  test('asks for a code, says what is wrong with it, and how long to wait', async () => {
    const wrong = problem(401, 'caller.unauthenticated', 'The code is wrong.')
    const gone = problem(404, 'session.unknown', 'No sign-in waits here.')
    const answers = [wrong, tooMany(), gone, started]
    const service = await open({
      [passwordPath]: nextStep('second-factor', true),
      [codePath]: () => answers.shift() ?? started,
    })
    await see(page.getByText('Without the app and the recovery codes, ask an administrator'))
    const code = input('Code')
    await expect.element(code).toHaveAttribute('autocomplete', 'one-time-code')
    expect(await findViolations()).toEqual([])
    await code.fill(' 123456 ')
    const says = async (text: string) => {
      await button('Confirm').click()
      await see(alert.getByText(text))
    }
    await says('The code is wrong or was used already.')
    await says('The next attempt is possible in 30 seconds.')
    await says('This took too long. Begin again.')
    expect(await findViolations()).toEqual([])
    await button('Confirm').click()
    await expect.poll(() => sent(service, codePath)).toEqual(Array(4).fill({ code: '123456' }))
  })

  test('begins again from the password', async () => {
    await open({ [passwordPath]: nextStep('second-factor', true) })
    await button('Begin again').click()
    await see(input('E-mail or user name'))
  })

  test('sets an app up for a role that needs one, and shows the recovery codes before the console', async () => {
    const wrong = problem(400, 'request.invalid', 'It is not valid.', {
      errors: [{ path: 'code', message: 'is wrong' }],
    })
    const answers = [wrong]
    const service = await open({
      [passwordPath]: nextStep('set-up'),
      'POST /console/-/second-factor/key': newKey,
      [appPath]: () => answers.shift() ?? { body: { codes } },
    })
    await see(heading('Set up a second factor'), button('Create a passkey'))
    expect(await findViolations()).toEqual([])
    await button('Use an authenticator app').click()
    await see(page.getByRole('img', { name: 'QR code of the key' }))
    await see(page.getByText('GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ'))
    await see(button('Copy the key'), page.getByRole('link', { name: 'Open in the app' }))
    expect(await findViolations()).toEqual([])
    await press(input('Code of the app'), '123 456{Enter}')
    await see(alert.getByText('This is not the code that the app shows now.'))
    await button('Use this app').click()
    const body = { key, code: '123456' }
    await expect.poll(() => sent(service, appPath)).toEqual([body, body])
    await see(heading('Recovery codes'), page.getByText(codes[0] ?? ''))
    expect(await findViolations()).toEqual([])
    expect(location.pathname).toBe('/console/order')
  })

  test.for([
    ['de-DE', 'E-Mail oder Benutzername', 'Passwort', 'Zweiten Faktor einrichten'],
    ['fr-FR', 'E-mail ou nom d’utilisateur', 'Mot de passe', 'Configurer un second facteur'],
    ['hr-HR', 'E-pošta ili korisničko ime', 'Lozinka', 'Postavljanje drugog faktora'],
  ] as const)('speaks %s, on a phone', async ([locale, user, secret, title]) => {
    const viewport = { width: 320, height: 700 }
    const answers = { [passwordPath]: nextStep('set-up') }
    await openSignIn('/order', { project, ways: [...ways], answers, locale, viewport })
    await input(user).fill('ana')
    await press(input(secret), 'correct horse battery{Enter}')
    await see(heading(title))
    expect(document.documentElement.scrollWidth).toBe(viewport.width)
    expect(await findViolations()).toEqual([])
  })
})

describe('a passkey on the sign-in page', () => {
  beforeEach(() => vi.restoreAllMocks())

  test('is offered where it is a way, and says when it was cancelled or belongs to another address', async () => {
    vi.spyOn(navigator.credentials, 'get').mockRejectedValue(
      new DOMException('', 'NotAllowedError'),
    )
    const elsewhere = { body: { ...signing.body, rpId: 'docket.example.com' } }
    const answers = [signing, elsewhere]
    await openSignIn('/order', {
      project,
      ways: ['passkey'],
      answers: { [challengePath]: () => answers.shift() ?? signing },
    })
    await gone(input('Password'))
    await button('Sign in with a passkey').click()
    await see(
      alert.getByText(/^This was cancelled or took too long\. Try again\. Without a passkey on/),
    )
    await button('Sign in with a passkey').click()
    await see(alert.getByText('Passkeys work only under the address docket.example.com.'))
    expect(await findViolations()).toEqual([])
  })
})

describe('the own ways to sign in', () => {
  const credentials = {
    has_password: true,
    passkeys: [{ id: 4, name: 'Laptop', created_at: moment, last_used_at: null }],
    app_since: moment,
    recovery_codes: 7,
    is_proven: false,
  }
  const credentialsPath = 'GET /console/-/credentials'
  const proofPath = 'POST /console/-/session/proof'
  const removePath = 'DELETE /console/-/passkeys/4'
  const open = (
    answers: Answers,
    own: Partial<typeof credentials> | object = {},
    more: Opening = {},
  ) =>
    openConsole('/-/settings', {
      project,
      ...more,
      ways: [...ways],
      answers: {
        [credentialsPath]: { body: { ...credentials, ...own } },
        ...answers,
      },
    })
  const region = (name: string) => page.getByRole('region', { name })

  test('are shown, and a passkey is removed after a proof', async () => {
    const wrong = problem(400, 'request.invalid', 'It is not valid.', {
      errors: [{ path: 'code', message: 'is wrong, or is not yours' }],
    })
    const answers = [wrong]
    const service = await open({
      [proofPath]: () => answers.shift() ?? { status: 204 },
      [removePath]: { status: 204 },
    })
    await see(region('Passkeys').getByText('not used yet'))
    await see(region('Second factor').getByText('Recovery codes left: 7.'))
    expect(await findViolations()).toEqual([])
    await button('Remove: Laptop').click()
    await see(dialogOf('Confirm that it is you'))
    const proof = dialogOf('Confirm that it is you')
    expect(await findViolations()).toEqual([])
    // With an app, the password is no proof.
    await gone(proof.getByLabelText('Password', { exact: true }))
    await press(proof.getByLabelText('Code of the app', { exact: true }), '000000{Enter}')
    await see(alert.getByText('This is not the code that the app shows now.'))
    await wrote(service, proofPath, { code: '000000' })
    await dialogOf('Confirm that it is you')
      .getByRole('button', { name: 'Confirm', exact: true })
      .click()
    await see(dialogOf('Remove the passkey “Laptop”?'))
    expect(sent(service, removePath)).toEqual([])
    await dialogOf('Remove the passkey “Laptop”?').getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => sent(service, removePath)).toHaveLength(1)
  })

  test('have other names, new recovery codes, and no app any more', async () => {
    const renamePath = 'PATCH /console/-/passkeys/4'
    const service = await open(
      {
        [renamePath]: { status: 204 },
        'POST /console/-/recovery-codes': { body: { codes } },
        'DELETE /console/-/second-factor': { status: 204 },
      },
      { is_proven: true },
    )
    await button('Rename: Laptop').click()
    await press(page.getByLabelText('Name', { exact: true }), '{Control>}a{/Control}Desk{Enter}')
    await wrote(service, renamePath, { name: 'Desk' })
    await button('New recovery codes').click()
    await see(page.getByText(codes[1] ?? ''))
    await button('I have kept them').click()
    await button('Remove the app').click()
    await see(dialogOf('Remove the authenticator app?'))
    expect(await findViolations()).toEqual([])
    await dialogOf('Remove the authenticator app?')
      .getByRole('button', { name: 'Remove the app' })
      .click()
    await expect.poll(() => sent(service, 'DELETE /console/-/second-factor')).toHaveLength(1)
  })

  test('are changed after another proof, if the last one is too old by then', async () => {
    const keyPath = 'POST /console/-/second-factor/key'
    const unproven = problem(403, 'caller.not-proven', 'Send your password to …')
    const [answers, removals] = [[unproven, unproven], [unproven]]
    const own = { app_since: null, recovery_codes: 0, is_proven: true }
    const service = await open(
      {
        [keyPath]: () => answers.shift() ?? newKey,
        [removePath]: () => removals.shift() ?? { status: 204 },
        [proofPath]: { status: 204 },
      },
      own,
    )
    const asked = dialogOf('Confirm that it is you')
    await button('Set up an app').click()
    await see(asked)
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Escape}')
    // What the service says is for programs.
    await see(alert.getByRole('heading', { name: 'Confirm that it is you' }))
    await button('Try again').click()
    await press(asked.getByLabelText('Password', { exact: true }), 'secret{Enter}')
    await see(page.getByRole('img', { name: 'QR code of the key' }))
    await userEvent.keyboard('{Escape}')
    await button('Remove: Laptop').click()
    await dialogOf('Remove the passkey “Laptop”?').getByRole('button', { name: 'Remove' }).click()
    await press(asked.getByLabelText('Password', { exact: true }), 'secret{Enter}')
    await gone(dialogOf('Remove the passkey “Laptop”?'))
    expect(sent(service, removePath)).toHaveLength(2)
  })

  test('of who has nothing but a passkey are a first password, and no second factor', async () => {
    const changePath = 'PUT /console/-/password'
    const own = { has_password: false, app_since: null, recovery_codes: 0, is_proven: true }
    const service = await open({ [changePath]: { status: 204 } }, own)
    await see(region('Passkeys'))
    await gone(region('Second factor'))
    await gone(input('Current password'))
    await press(input('New password'), 'a new horse battery{Enter}')
    await wrote(service, changePath, { new_password: 'a new horse battery' })
  })

  test('of who has signed in with an API key or a code are changed after another sign-in', async () => {
    const own = { has_password: false, app_since: null, recovery_codes: 0, passkeys: [] }
    const leavePath = 'DELETE /console/-/session'
    const service = await open({ [leavePath]: { status: 204 } }, own)
    const asked = dialogOf('Confirm that it is you')
    await button('Create a passkey').click()
    await see(asked.getByText('To do this, sign in again.'))
    expect(await findViolations()).toEqual([])
    await asked.getByRole('button', { name: 'Sign in again' }).click()
    await gone(asked)
    expect(sent(service, leavePath)).toHaveLength(1)
  })

  test('of who signs in at an issuer are changed after it has asked again', async () => {
    const own = { has_password: false, app_since: null, recovery_codes: 0, passkeys: [] }
    await open({}, own, { signIn: 'issuer' })
    await button('Create a passkey').click()
    const asked = dialogOf('Confirm that it is you')
    const link = asked.getByRole('link', { name: 'Sign in with the company account' })
    const address = '/console/-/login?to=%2Fconsole%2F-%2Fsettings&again=yes'
    await expect.element(link).toHaveAttribute('href', address)
    expect(await findViolations()).toEqual([])
  })
})

describe('the own API keys', () => {
  const keysPath = 'GET /console/-/keys'
  const createPath = 'POST /console/-/keys'
  const revokePath = 'DELETE /console/-/keys/7'
  const till = {
    id: 7,
    name: 'Till',
    start: 'docket_a1b2',
    scope: 'order:read;gone:read',
    unknown_entities: ['gone'],
    created_at: moment,
    last_used_at: null,
    expires_at: moment,
  }
  const open = (answers: Answers, more: Opening = {}) =>
    openConsole('/-/settings', { project, ways: [...ways], answers, ...more })

  test('are listed with what they may do, and revoked after a question', async () => {
    let keys = [till]
    const service = await open({
      [keysPath]: () => ({ body: { data: keys } }),
      [revokePath]: () => {
        keys = []
        return { status: 204 }
      },
    })
    const region = page.getByRole('region', { name: 'API keys' })
    await see(region.getByText('docket_a1b2…'), region.getByText('order:read;gone:read'))
    await see(region.getByText('No longer there: gone'), region.getByText('not used yet'))
    expect(await findViolations()).toEqual([])
    await button('Revoke: Till').click()
    const dialog = dialogOf('Revoke the key “Till”?')
    await see(dialog)
    expect(sent(service, revokePath)).toEqual([])
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect.poll(() => sent(service, revokePath)).toHaveLength(1)
    await gone(region.getByText('docket_a1b2…'))
  })

  test('are made for what is ticked, after a proof, and shown once', async () => {
    const key = 'docket_0123456789'
    const answers = [problem(403, 'caller.not-proven', 'It is too long ago.')]
    const service = await open({
      [createPath]: () => answers.shift() ?? { status: 201, body: { ...till, key } },
      'POST /console/-/session/proof': { status: 204 },
    })
    await button('New key …').click()
    const dialog = dialogOf('New API key')
    await see(dialog.getByText('*:read,export'))
    await dialog.getByLabelText('What it is for').fill('Till')
    await dialog
      .getByLabelText('Last day (empty: it stays valid until you revoke it)')
      .fill('2099-12-31')
    await dialog.getByLabelText('Only what I choose').click()
    const submit = dialog.getByRole('button', { name: 'Create the key' })
    await expect.element(submit).toBeDisabled()
    await dialog.getByText('Order', { exact: true }).click()
    const orders = dialog.getByRole('group', { name: 'Order' })
    await orders.getByLabelText('Export', { exact: true }).click()
    await see(dialog.getByText('order:read,export'))
    expect(await findViolations()).toEqual([])
    await submit.click()
    const proof = dialogOf('Confirm that it is you')
    await press(proof.getByLabelText('Password', { exact: true }), 'secret{Enter}')
    await expect.element(dialog.getByLabelText('API key', { exact: true })).toHaveValue(key)
    expect(await findViolations()).toEqual([])
    const body = { name: 'Till', scope: 'order:read,export', until: '2099-12-31' }
    await expect.poll(() => sent(service, createPath)).toEqual([body, body])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await gone(dialog)
  })

  test.for([
    ['de-DE', 'Neuer Schlüssel …', 'Nur, was ich auswähle'],
    ['fr-FR', 'Nouvelle clé…', 'Seulement ce que je choisis'],
    ['hr-HR', 'Novi ključ …', 'Samo ono što odaberem'],
  ] as const)('speak %s, on a phone', async ([locale, create, part]) => {
    const viewport = { width: 320, height: 700 }
    await open({ [keysPath]: { body: { data: [till] } } }, { locale, viewport })
    await button(create).click()
    await page.getByLabelText(part).click()
    expect(document.documentElement.scrollWidth).toBe(viewport.width)
    expect(await findViolations()).toEqual([])
  })
})
