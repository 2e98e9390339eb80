/** Who may come in: users are invited, told how they sign in, linked to a refused sign-in, and acted as. */
import { describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Account } from '../../console/api/admin/accounts.ts'
import { adminProject } from '../support/console/an-admin-project.ts'
import { accountOf, accountsOf, rolesAnswer } from './support/accounts.ts'
import { problem } from './support/answers.ts'
import { ana, asRoles } from './support/given.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { button, dialogOf } from './support/parts.ts'
import { gone, keysOf, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const at = '2026-05-04T08:30:00.000Z'
const row = (name: string | RegExp) => page.getByRole('row', { name })
const taken = problem(409, 'record.conflict', 'Another user has this e-mail.')
const away = problem(503, 'request.too-slow', 'It takes too long.')

/** The users with a role, which nobody has until a user is invited. */
const open = (path = '/-/admin/users?role=clerk', { answers, ...options }: Opening = {}) => {
  const users: Account[] = []
  return openConsole(path, {
    project: adminProject,
    answers: {
      'POST /security_role/search': rolesAnswer,
      'GET /api/accounts': () => accountsOf(...users),
      'POST /user': ({ body }) => {
        const created = { ...ana, id: 3, ...(body as object) }
        users.push(accountOf(3, created.full_name))
        return { status: 201, body: created }
      },
      ...answers,
    },
    ...options,
  })
}

const invite = button('Invite')
const create = button('Create the user')
const dialog = dialogOf('Invite a user')
const fieldOf = (label: string) => dialog.getByLabelText(label)

const fill = async (first: string, last: string, email: string) => {
  await invite.click()
  await fieldOf('First name').fill(first)
  await fieldOf('Last name').fill(last)
  await fieldOf('E-mail').fill(email)
}

const cedo = {
  first_name: 'Čedo',
  last_name: 'Novak',
  full_name: 'Čedo Novak',
  username: 'cedo@example.com',
  email: 'cedo@example.com',
  identity_provider_user_id: 'cedo@example.com',
  security_role_id: 2,
}

describe('a user is invited', () => {
  test('by keys alone, is known to the issuer by the address, and stands in the role', async () => {
    const service = await open()
    await see(page.getByText('No user matches.'))
    await press(invite, '{Enter}')
    await see(dialog)
    await press(fieldOf('First name'), ' Čedo {Tab}Novak{Tab}cedo@example.com')
    await expect.element(fieldOf('Identity provider user ID')).toHaveValue('cedo@example.com')
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Enter}')
    const done = dialogOf('User created: Čedo Novak')
    await expect.element(done.getByRole('button', { name: 'Close' })).toHaveFocus()
    await wrote(service, 'POST /user', cedo)
    await userEvent.keyboard('{Enter}')
    await gone(page.getByRole('dialog'))
    await see(row('Čedo Novak').getByText('Active'))
    await expect.element(invite).toHaveFocus()
  })

  test('not without everything, nor with something that is no address', async () => {
    const service = await open()
    await fill('Čedo', 'Novak', 'cedo')
    await create.click()
    await expect.element(fieldOf('E-mail')).toHaveFocus()
    await fieldOf('E-mail').fill('cedo@example.com')
    await fieldOf('Last name').fill('')
    await create.click()
    await expect.element(fieldOf('Last name')).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await gone(dialog)
    await expect.element(invite).toHaveFocus()
    expect(sent(service, 'POST /user')).toEqual([])
    await invite.click()
    for (const label of ['First name', 'Last name', 'E-mail'])
      await expect.element(fieldOf(label)).toHaveValue('')
  })

  test('once, however often a service that is away is asked, and again after a refusal', async () => {
    const answers = [away, taken, { status: 201, body: ana }]
    const service = await open('/-/admin/users?role=clerk', {
      answers: { 'POST /user': () => answers.shift() ?? away },
    })
    await fill('Ana', 'Test', 'ana@example.com')
    await fieldOf('Identity provider user ID').fill(' sub-17 ')
    await create.click()
    await see(dialog.getByRole('alert').getByText('It takes too long.'))
    await create.click()
    await see(dialog.getByRole('alert').getByText('Another user has this e-mail.'))
    expect(await findViolations()).toEqual([])
    await fieldOf('E-mail').fill('other@example.com')
    await create.click()
    await see(dialogOf('User created: Ana Test'))
    const names = { identity_provider_user_id: 'sub-17', first_name: 'Ana', last_name: 'Test' }
    expect(sent(service, 'POST /user')).toMatchObject(
      ['ana', 'ana', 'other'].map((name) => ({ ...names, email: `${name}@example.com` })),
    )
    const [first, second, third] = keysOf(service, 'POST /user')
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(third).toMatch(/^[0-9a-f]{32}$/)
    expect(third).not.toBe(first)
  })

  test.for([
    ['development', 'this command prints a link', 'docket login --user cedo@example.com'],
    ['keys', 'This command', 'docket api-key create --user cedo@example.com --name console'],
  ] as const)('and signs in (%s) by a line that is copied', async ([signIn, label, line]) => {
    const copy = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    await open('/-/admin/users?role=clerk', { signIn })
    await fill('Čedo', 'Novak', 'cedo@example.com')
    await create.click()
    const shown = page.getByLabelText(new RegExp(label))
    await expect.element(shown).toHaveValue(line)
    await shown.click()
    expect(getSelection()?.toString()).toBe(line)
    await button('Copy').click()
    await see(button('Copied'))
    expect(copy.mock.calls).toEqual([[line]])
    copy.mockRestore()
  })
})

describe('a person who was refused at the sign-in', () => {
  const refusal = {
    subject: 's-1',
    email: 'ana@example.com',
    is_email_verified: true,
    name: 'Ana T.',
    reason: 'There is no user with the subject of the token.',
    times: 2,
    first_at: at,
    last_at: at,
    user: { id: 2, full_name: 'Ana Test' },
  }
  const openRefused = (...data: readonly object[]) =>
    open('/-/admin/users', {
      answers: { 'GET /api/refused-sign-ins': { body: { data } }, 'PATCH /user/2': taken },
    })

  test('is named by what is known of them, with whether the e-mail is verified', async () => {
    await openRefused(
      refusal,
      { ...refusal, subject: 's-2', is_email_verified: false, name: null, user: null },
      { ...refusal, subject: 's-3', email: null, name: null, user: null },
    )
    const cellsOf = async (subject: string) => {
      await see(row(subject))
      const cells = row(subject).getByRole('cell').elements()
      return cells.map(({ textContent }) => textContent)
    }
    const tried = '4 May 2026, 10:30'
    const nobody = 'No user has this e-mail.'
    const verified = 'Ana T.ana@example.com (e-mail verified)s-1'
    expect(await cellsOf('s-1')).toEqual([verified, tried, 'Link to Ana Test'])
    const named = 'ana@example.comana@example.com (e-mail not verified)s-2'
    expect(await cellsOf('s-2')).toEqual([named, tried, nobody])
    expect(await cellsOf('s-3')).toEqual(['s-3s-3', tried, nobody])
  })

  test('stays refused when the link fails, which is said next to it, and the list is read again', async () => {
    const service = await openRefused(refusal)
    const reads = () => service.asked.filter(({ path }) => path === '/api/refused-sign-ins').length
    await see(row('s-1'))
    const before = reads()
    await press(button('Link to Ana Test'), '{Enter}')
    await see(row('s-1').getByRole('alert').getByText('Another user has this e-mail.'))
    await wrote(service, 'PATCH /user/2', { identity_provider_user_id: 's-1' })
    await expect.poll(reads).toBe(before + 1)
    await expect.element(button('Link to Ana Test')).toBeEnabled()
    expect(await findViolations()).toEqual([])
  })

  test('is not spoken of when nobody was', async () => {
    const service = await openRefused()
    await see(page.getByText('No user matches.'))
    await expect
      .poll(() => service.asked.map(({ path }) => path))
      .toContain('/api/refused-sign-ins')
    await gone(page.getByText('Refused sign-ins'))
  })
})

describe('another user is acted as', () => {
  const session = { user_id: 1, expires_at: '2100-01-01T00:00:00.000Z', may_switch: true }
  const users = [
    { id: 2, full_name: 'Ana Test', ...asRoles('Clerk', 'Keeper') },
    { id: 4, full_name: 'Reader', ...asRoles('Reader') },
  ]
  const choose = page.getByRole('menuitem', { name: 'Act as another user' })
  const chooser = dialogOf('Act as another user')
  const me = button('administrator')

  test('who is chosen from the menu by keys, and may be refused, which the dialog says', async () => {
    const service = await open('/order', {
      records: { order: [] },
      answers: {
        'GET /console/-/session': { body: { ...session, users } },
        'POST /console/-/session': problem(403, 'caller.forbidden', 'The user is blocked.'),
      },
    })
    await press(me, '{Enter}')
    await press(choose, '{Enter}')
    await see(chooser.getByText(/changes all windows of this browser/))
    const names = chooser.getByRole('listitem').elements()
    expect(names.map(({ textContent }) => textContent)).toEqual([
      'Ana Test Clerk, Keeper',
      'Reader ',
    ])
    expect(await findViolations()).toEqual([])
    await press(chooser.getByRole('button', { name: 'Reader' }), '{Enter}')
    await see(chooser.getByRole('alert').getByText('The user is blocked.'))
    await wrote(service, 'POST /console/-/session', { user_id: 4 })
    await userEvent.keyboard('{Escape}')
    await gone(chooser)
    await see(me)
    expect(sent(service, 'POST /console/-/session')).toHaveLength(1)
  })

  test('under all names of their roles, as the user menu shows those of the user', async () => {
    await open('/order', { role: 'clerk,guest', records: { order: [] } })
    await see(button('clerk,guest').getByText('Clerk, Guest'))
  })

  test('by nobody whose session may not', async () => {
    const service = await open('/order', { records: { order: [] } })
    await expect.poll(() => service.asked.map(({ path }) => path)).toContain('/console/-/session')
    await press(me, '{Enter}')
    await see(page.getByRole('menuitem', { name: 'Sign out' }))
    await gone(choose)
  })
})
