/** The page of users: who signs in and how; they are found, blocked, signed out, and leave. */
import { describe, expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import type { Account } from '../../console/api/admin/accounts.ts'
import { adminProject } from '../support/console/an-admin-project.ts'
import { accountOf, accountsOf, rolesAnswer } from './support/accounts.ts'
import { type Answers, pageOf, problem } from './support/answers.ts'
import { ana, asRoles, finds, foundOf } from './support/given.ts'
import { closeConsole, type Opening, openConsole, press } from './support/open-console.tsx'
import { button, dialogOf } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const at = '2026-05-04T08:30:00.000Z'
const row = (name: string) => page.getByRole('row', { name })
const cellsOf = (name: string) =>
  row(name)
    .getByRole('cell')
    .elements()
    .slice(0, 4)
    .map(({ textContent }) => textContent)

const open = (answers: Answers, path = '/-/admin/users', more: Opening = {}) =>
  openConsole(path, {
    project: adminProject,
    answers: { 'POST /security_role/search': rolesAnswer, ...answers },
    ...more,
  })

/** Answers with one user, whom writes change. */
const changing = (write: () => ReturnType<typeof problem> | undefined = () => undefined) => {
  let account = accountOf(2, 'Ana Test')
  const answers: Answers = {
    'GET /api/accounts': () => accountsOf(account),
    'PATCH /user/2': ({ body }) => {
      const refused = write()
      if (refused) return refused
      account = { ...account, ...(body as Partial<Account>), version: account.version + 1 }
      return { body: { ...ana, ...(body as object) } }
    },
  }
  return answers
}

describe('the page of users', () => {
  test('says of each how they sign in, with which roles and groups, and when they were seen', async () => {
    const service = await open({
      'GET /api/accounts': accountsOf(
        accountOf(2, 'Ana Test', {
          roles: [...asRoles('Clerk', 'Keeper').roles],
          groups: [{ id: 4, name: 'Buyers' }],
          ways: ['password', 'issuer', 'key'],
          has_second_factor: true,
        }),
        accountOf(3, 'Bo', { ways: [], last_seen_at: null, is_invited: true }),
        accountOf(4, 'Cy', { is_blocked: true, ways: ['code'] }),
        accountOf(5, 'Di', { is_active: false, roles: [], ways: [] }),
        accountOf(6, 'Ed', { is_active: false, is_anonymised: true }),
      ),
    })
    await see(row('Ana Test'))
    const seen = 'Last seen 4 May 2026, 10:30'
    expect(cellsOf('Ana Test')).toEqual([
      'Ana Test2@example.com',
      'Clerk, KeeperGroups: Buyers',
      `Password and app, Identity provider, API key${seen}`,
      'Active',
    ])
    expect(cellsOf('Bo')).toEqual([
      'Bo3@example.com',
      'Clerk',
      'Cannot sign in yetNever seen',
      'Invited',
    ])
    expect(cellsOf('Cy').slice(2)).toEqual([`Code by e-mail${seen}`, 'Blocked'])
    expect(cellsOf('Di').slice(1)).toEqual([
      'No role',
      `Cannot sign in any more${seen}`,
      'Not active',
    ])
    // Nobody can be let in as who was anonymised.
    await see(button('Activate: Di'), button('Hand over … Di'), button('Sessions … Ed'))
    await gone(button(/^(Activate|Block|Hand over).* Ed$/))
    // The menu names them once: the list of the entity is reached from here.
    expect(page.getByRole('link', { name: 'Users', exact: true }).elements()).toHaveLength(1)
    const list = page.getByRole('link', { name: 'All fields, as a list' })
    await expect.element(list).toHaveAttribute('href', '/console/user')
    expect(await findViolations()).toEqual([])
    for (const name of ['All 5', 'Active 2', 'Invited 1', 'Blocked 1', 'Not active 2'])
      await see(page.getByRole('radio', { name, exact: true }))
    expect(service.faults).toEqual([])
  })

  test('is narrowed down by words, role and status, as its address says', async () => {
    const service = await open({ 'GET /api/accounts': accountsOf(accountOf(2, 'Ana Test')) })
    const asked = () => {
      const all = service.asked.filter(({ path }) => path === '/api/accounts')
      return all.at(-1)?.query.toString()
    }
    await see(row('Ana Test'))
    await page.getByRole('searchbox', { name: 'Find by name or e-mail' }).fill('ana')
    await expect.poll(asked).toBe('q=ana&limit=50&page=1')
    await page.getByRole('combobox', { name: /^Role/ }).selectOptions('Administrator')
    await page.getByRole('radio', { name: 'Blocked 0' }).click({ force: true })
    await expect.poll(asked).toBe('q=ana&status=blocked&role=administrator&limit=50&page=1')
    expect(location.search).toBe('?q=ana&role=administrator&status=blocked')
    await closeConsole()
    await open(
      { 'GET /api/accounts': accountsOf() },
      '/-/admin/users?status=gone&role=clerk&q=7&order=x',
    )
    await see(page.getByText('No user matches.'))
    await button('Show all').click()
    await expect.poll(() => location.search).toBe('')
  })

  test('names roles in the language of the user, in the filter and in the form too', async () => {
    const project = {
      ...adminProject,
      'translations/de.json': { roles: { clerk: { name: 'Sachbearbeitung' } } },
    }
    const answers = { 'GET /api/accounts': accountsOf(accountOf(2, 'Ana Test')) }
    await open(answers, '/-/admin/users', { project, locale: 'de-DE' })
    const named = (list: Locator) => list.getByRole('option', { name: 'Sachbearbeitung' })
    await expect.element(named(page.getByLabelText('Rolle'))).toBeInTheDocument()
    await button('Einladen').click()
    await expect
      .element(named(dialogOf('Benutzer einladen').getByLabelText('Rolle')))
      .toBeInTheDocument()
  })

  test('reads further users of a long list', async () => {
    const many = Array.from({ length: 50 }, (_, index) => accountOf(index + 10, `User ${index}`))
    await open({
      'GET /api/accounts': ({ query }) =>
        query.get('page') === '1' ? accountsOf(...many) : accountsOf(accountOf(2, 'Ana Test')),
    })
    await button('More').click()
    await see(row('Ana Test'))
    await gone(button('More'))
  })

  test('on a phone shows each as a card, with everything to do', async () => {
    await open(changing(), '/-/admin/users', { viewport: { width: 390, height: 800 } })
    await see(row('Ana Test'), button('Block: Ana Test'), button('Sessions … Ana Test'))
    expect(document.documentElement.scrollWidth).toBe(390)
    expect(await findViolations()).toEqual([])
  })
})

describe('a user', () => {
  test('is blocked and let in again, of the version that is shown', async () => {
    const service = await open(changing())
    await press(button('Block: Ana Test'), '{Enter}')
    await see(row('Ana Test').getByText('Blocked'))
    await press(button('Unblock: Ana Test'), '{Enter}')
    await see(row('Ana Test').getByText('Active'))
    await wrote(service, 'PATCH /user/2', { is_blocked: true }, { is_blocked: false })
    const versions = service.asked.filter(({ method }) => method === 'PATCH')
    expect(versions.map(({ headers }) => headers.get('If-Match'))).toEqual(['"1"', '"2"'])
  })

  test('is not changed when another user changed the user meanwhile', async () => {
    const stale = () => problem(412, 'record.stale', 'The record has changed since you read it.')
    await open(changing(stale))
    await button('Block: Ana Test').click()
    await see(row('Ana Test').getByRole('alert'), row('Ana Test').getByText('Active'))
  })

  test('who is oneself is neither blocked nor deactivated', async () => {
    await open({ 'GET /api/accounts': accountsOf(accountOf(1, 'administrator')) })
    await see(button('Sessions … administrator'))
    await gone(button(/^(Block|Deactivate)/))
  })

  test('is not acted as who was blocked meanwhile, and the page says so', async () => {
    const session = { user_id: 1, expires_at: '2100-01-01T00:00:00.000Z', may_switch: true }
    const users = [{ id: 2, full_name: 'Ana Test', ...asRoles('Clerk') }]
    await open({
      ...changing(),
      'GET /console/-/session': { body: { ...session, users } },
      'POST /console/-/session': problem(403, 'caller.forbidden', 'The user is blocked.'),
    })
    await button('Act as this user').click()
    await see(row('Ana Test').getByRole('alert'))
  })

  test('is signed out of one browser, and of all', async () => {
    const session = (id: number, user_agent: string) => ({
      id,
      user_agent,
      created_at: at,
      last_used_at: at,
      expires_at: at,
      is_current: false,
    })
    let sessions = [session(7, 'Firefox Linux'), session(8, 'Chrome Windows'), session(9, 'curl')]
    const service = await open({
      ...changing(),
      'GET /api/accounts/2/sessions': () => ({ body: { data: sessions } }),
      'DELETE /api/accounts/2/sessions/7': () => {
        sessions = sessions.slice(1)
        return { status: 204 }
      },
      'DELETE /api/accounts/2/sessions': () => {
        sessions = []
        return { status: 204 }
      },
    })
    const opening = button('Sessions … Ana Test')
    await press(opening, '{Enter}')
    const dialog = dialogOf('Sessions of Ana Test')
    await see(dialog.getByText('Firefox on Linux'), dialog.getByText('curl'))
    expect(await findViolations()).toEqual([])
    await dialog.getByRole('listitem').first().getByRole('button').click()
    await gone(dialog.getByText('Firefox on Linux'))
    await dialog.getByRole('button', { name: 'End all' }).click()
    await see(dialog.getByText('This user is not signed in.'))
    await userEvent.keyboard('{Escape}')
    await gone(dialog)
    await expect.element(opening).toHaveFocus()
    expect(service.faults).toEqual([])
  })
})

test('the API keys of a user are shown, and revoked', async () => {
  let data = [
    {
      id: 7,
      name: 'Till',
      start: null,
      scope: null,
      unknown_entities: [],
      created_at: at,
      last_used_at: at,
      expires_at: null,
    },
  ]
  const revokePath = 'DELETE /api/accounts/2/keys/7'
  const service = await open({
    'GET /api/accounts': () =>
      accountsOf(accountOf(2, 'Ana Test', { ways: data.length > 0 ? ['key'] : ['password'] })),
    'GET /api/accounts/2/keys': () => ({ body: { data } }),
    [revokePath]: () => {
      data = []
      return { status: 204 }
    },
  })
  await button('API keys … Ana Test').click()
  const dialog = dialogOf('API keys of Ana Test')
  await see(dialog.getByText('Everything that its user may do'))
  expect(await findViolations()).toEqual([])
  await dialog.getByRole('button', { name: 'Revoke: Till' }).click()
  await dialogOf('Revoke the key “Till”?')
    .getByRole('button', { name: 'Revoke', exact: true })
    .click()
  await see(dialog.getByText('This user has no API keys.'))
  // The row follows.
  await see(row('Ana Test').getByText('Password'))
  expect(service.faults).toEqual([])
})

describe('a user who leaves', () => {
  const work = {
    items: [
      { entity: 'order', field: null, count: 3 },
      { entity: 'order', field: 'approver', count: 12 },
    ],
    sessions: 1,
    keys: 0,
  }
  const path = '/api/accounts/2/leave'
  const opened = button('Deactivate … Ana Test')
  const dialog = dialogOf('Deactivate Ana Test')
  const now = dialog.getByRole('button', { name: 'Deactivate', exact: true })

  test('hands over to another one what the dialog lists; what is kept is named', async () => {
    const kept = [{ entity: 'order', id: 5, task_id: null, detail: 'Nobody approves their own.' }]
    let account = accountOf(2, 'Ana Test')
    const service = await open({
      'GET /api/accounts': () => accountsOf(account),
      'POST /user/search': ({ body }) =>
        pageOf(JSON.stringify(body).includes('[3]') ? [{ id: 3, full_name: 'Bo' }] : []),
      'GET /api/search': finds(foundOf('user', 3, 'Bo', 'full_name')),
      [`GET ${path}`]: { body: work },
      [`POST ${path}`]: () => {
        account = { ...account, is_active: false }
        return { body: { ...work, kept } }
      },
    })
    await press(opened, '{Enter}')
    await see(dialog.getByText('Order, open tasks: 3'), dialog.getByText('Order, Approver: 12'))
    await expect.element(now).toBeDisabled()
    expect(await findViolations()).toEqual([])
    await dialog.getByRole('combobox', { name: 'Who takes over' }).fill('Bo')
    await page.getByRole('option', { name: 'Bo' }).click()
    await press(now, '{Enter}')
    await see(dialog.getByText('Nobody approves their own.'))
    await see(dialog.getByRole('status').getByText('Order, Approver: 12'))
    await see(dialog.getByText('Ana Test is deactivated.'), dialog.getByText('Handed over to Bo:'))
    await see(row('Ana Test').getByText('Not active'))
    await see(dialog.getByRole('link', { name: 'Order 5' }))
    expect(sent(service, `POST ${path}`)).toEqual([{ to: 3 }])
    expect(await findViolations()).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await gone(dialog)
  })

  test('without work names nobody, and errors are told', async () => {
    const nothing = { items: [], sessions: 0, keys: 0 }
    const answers = [
      problem(503, 'request.too-slow', 'It takes too long.'),
      { body: { ...nothing, kept: [] } },
    ]
    const service = await open({
      ...changing(),
      [`GET ${path}`]: { body: nothing },
      [`POST ${path}`]: () => answers.shift() ?? { status: 204 },
    })
    await opened.click()
    await see(dialog.getByText('There are no open tasks or records to hand over.'))
    await now.click()
    await see(dialog.getByRole('alert').getByText('It takes too long.'))
    await now.click()
    await gone(dialog)
    expect(sent(service, `POST ${path}`)).toEqual([{}, {}])
  })

  test('and was deactivated before still hands over, or comes back', async () => {
    const account = accountOf(2, 'Ana Test', { is_active: false })
    const service = await open({
      'GET /api/accounts': accountsOf(account),
      [`GET ${path}`]: { body: work },
      'PATCH /user/2': { body: ana },
    })
    await button('Hand over … Ana Test').click()
    await see(dialogOf('Hand over the work of Ana Test').getByText('Order, open tasks: 3'))
    await userEvent.keyboard('{Escape}')
    await button('Activate: Ana Test').click()
    await wrote(service, 'PATCH /user/2', { is_active: true })
  })
})
