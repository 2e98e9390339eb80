/** Administrators invite: open invitations, and links for users who are there and for new ones. */
import { describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { adminProject } from '../support/console/an-admin-project.ts'
import { accountOf, accountsOf, rolesAnswer } from './support/accounts.ts'
import { type Answers, problem } from './support/answers.ts'
import { ana } from './support/given.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { button, dialogOf } from './support/parts.ts'
import { gone, see, sent } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const until = '2026-05-04T08:30:00.000Z'
const saturated = problem(503, 'request.saturated', 'Too many people sign in at this moment.')
const alert = page.getByRole('alert')

describe('an administrator', () => {
  const newLink = 'https://example.com/console/-/login#invitation=new'
  const created = { status: 201, body: { id: 7, link: newLink, expires_at: until } }
  const invitation = (id: number, full_name: string, invited_by: object | null) => ({
    id,
    user: { id, full_name, email: `${id}@example.com` },
    invited_by,
    created_at: until,
    expires_at: until,
  })
  const invitations = 'GET /api/invitations'
  const create = 'POST /api/invitations'
  const roles: Answers = {
    'POST /security_role/search': rolesAnswer,
    [invitations]: { body: { data: [] } },
    'GET /api/accounts': accountsOf(
      accountOf(2, 'Ana Test'),
      accountOf(3, 'Blocked', { is_blocked: true }),
    ),
  }
  const open = (path: string, answers: Answers, more: Opening = {}) =>
    openConsole(path, {
      project: adminProject,
      ways: ['password'],
      answers: { ...roles, ...answers },
      ...more,
    })
  const closed = button('Close')
  const linkField = page.getByLabelText('Link that lets this person in')

  test('sees the open invitations and revokes one', async () => {
    const open1 = [
      invitation(7, 'Ana Test', { id: 1, full_name: 'Administrator' }),
      invitation(8, 'Čedo Novak', null),
    ]
    const service = await open('/-/admin/users', {
      [invitations]: () => ({ body: { data: open1 } }),
      'DELETE /api/invitations/7': () => {
        open1.shift()
        return { status: 204 }
      },
      'DELETE /api/invitations/8': problem(404, 'record.unknown', 'There is none.'),
    })
    const list = page.getByRole('table', { name: 'Open invitations' })
    const row = (name: string) => list.getByRole('row', { name })
    const cells = (name: string) => row(name).getByRole('cell').elements()
    await see(row('Ana Test'))
    const shown = (name: string) => cells(name).map(({ textContent }) => textContent)
    const moment = '4 May 2026, 10:30'
    expect(shown('Ana Test')).toEqual(['Ana Test7@example.com', 'Administrator', moment, 'Revoke'])
    expect(shown('Čedo')).toEqual(['Čedo Novak8@example.com', 'Command line', moment, 'Revoke'])
    expect(await findViolations()).toEqual([])
    await press(button('Revoke: Ana Test'), '{Enter}')
    await gone(row('Ana Test'))
    await button('Revoke: Čedo Novak').click()
    await see(row('Čedo').getByRole('alert').getByText('There is none.'))
    open1.shift()
    await button('Revoke: Čedo Novak').click()
    await see(page.getByText('No invitation is open.'))
    expect(service.faults).toEqual([])
  })

  test('is not told of invitations where nobody has a password', async () => {
    const service = await open('/-/admin/users', {}, { ways: [] })
    await see(button('Block: Ana Test'))
    await gone(page.getByText('Open invitations'))
    await gone(button(/^Invite …/))
    expect(service.asked.map(({ path }) => path)).not.toContain('/api/invitations')
  })

  test('invites a user who is there, by keys alone, after reading what the link does', async () => {
    const copy = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    const answers = [saturated, created]
    const service = await open('/-/admin/users', {
      [create]: () => answers.shift() ?? created,
    })
    const invite = button('Invite … Ana Test')
    await press(invite, '{Enter}')
    const dialog = dialogOf('Invite Ana Test')
    await see(dialog.getByText(/an earlier link stops working now/))
    expect(await findViolations()).toEqual([])
    expect(sent(service, create)).toEqual([])
    await press(button('Create the link'), '{Enter}')
    await see(dialog.getByRole('alert'))
    await userEvent.keyboard('{Enter}')
    await expect.element(linkField).toHaveValue(newLink)
    await see(dialog.getByText(/It works once, within 72 hours \(until 4 May 2026, 10:30\)/))
    await expect.element(closed).toHaveFocus()
    expect(await findViolations()).toEqual([])
    await button('Copy').click()
    await see(button('Copied'))
    expect(copy.mock.calls).toEqual([[newLink]])
    copy.mockRestore()
    expect(sent(service, create)).toEqual([{ user_id: 2 }, { user_id: 2 }])
    await userEvent.keyboard('{Escape}')
    await gone(dialog)
    await expect.element(invite).toHaveFocus()
    // Who may not sign in cannot be invited.
    await see(button('Unblock: Blocked'))
    await gone(button('Invite … Blocked'))
  })

  test.for([
    ['development', []],
    ['issuer', [`${location.origin}/console`]],
  ] as const)(
    'invites a new user (%s), whose link is shown at once',
    async ([signIn, addresses]) => {
      const answers = [problem(403, 'caller.forbidden', 'Nobody can be invited.'), created]
      const service = await open(
        '/-/admin/users?role=clerk',
        {
          'POST /user': { status: 201, body: { ...ana, id: 5 } },
          [create]: () => answers.shift() ?? created,
        },
        { signIn },
      )
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      const field = (label: string) => dialogOf('Invite a user').getByLabelText(label)
      await field('First name').fill('Čedo')
      await field('Last name').fill('Novak')
      await field('E-mail').fill('cedo@example.com')
      await button('Create the user').click()
      await see(dialogOf('User created: Čedo Novak'), alert.getByText('Nobody can be invited.'))
      await button('Try again').click()
      await expect.element(linkField).toHaveValue(newLink)
      const lines = page.getByLabelText(/They sign in here/).elements()
      expect(lines.map((line) => (line as HTMLInputElement).value)).toEqual(addresses)
      expect(await findViolations()).toEqual([])
      expect(sent(service, 'POST /user')).toHaveLength(1)
      expect(sent(service, create)).toEqual([{ user_id: 5 }, { user_id: 5 }])
    },
  )

  test('proves who they are before the link is made', async () => {
    const unproven = problem(403, 'caller.not-proven', 'Prove it.')
    const answers = [unproven, unproven, created]
    const own = {
      has_password: true,
      passkeys: [],
      app_since: null,
      recovery_codes: 0,
      is_proven: false,
    }
    // What the user has cannot be read at first.
    const read = [problem(403, 'caller.forbidden', 'Not now.')]
    const service = await open('/-/admin/users', {
      [create]: () => answers.shift() ?? created,
      'GET /console/-/credentials': () => read.shift() ?? { body: own },
      'POST /console/-/session/proof': { status: 204 },
    })
    await button('Invite … Ana Test').click()
    await button('Create the link').click()
    const asked = dialogOf('Confirm that it is you')
    await see(asked.getByText('Not now.'))
    await asked.getByRole('button', { name: 'Try again' }).click()
    await see(asked.getByLabelText('Password', { exact: true }))
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Escape}')
    await gone(asked)
    await see(alert.getByText('Confirm that it is you'))
    await button('Create the link').click()
    await asked.getByLabelText('Password', { exact: true }).fill('correct horse battery')
    await userEvent.keyboard('{Enter}')
    await expect.element(linkField).toHaveValue(newLink)
    expect(sent(service, create)).toHaveLength(3)
  })

  test('sends the link by e-mail where a provider is set, or copies it', async () => {
    const sentOne = { status: 201, body: { id: 7, link: null, expires_at: until } }
    const service = await open(
      '/-/admin/users',
      { [create]: ({ body }) => ('send' in (body as object) ? sentOne : created) },
      { sendsEmail: true },
    )
    await userEvent.click(button('Invite … Ana Test'))
    expect(await findViolations()).toEqual([])
    await closed.click()
    await gone(dialogOf('Invite Ana Test'))
    await userEvent.click(button('Invite … Ana Test'))
    await userEvent.click(button('Send by e-mail'))
    await see(page.getByText(/^The invitation is being sent by e-mail\. It works once/))
    await gone(linkField)
    expect(sent(service, create)).toEqual([{ user_id: ana.id, send: true }])
  })
})
