/** Definitions and roles as administrators see them. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { adminProject } from '../support/console/an-admin-project.ts'
import { type Answers, pageOf, problem } from './support/answers.ts'
import { ana, asRoles } from './support/given.ts'
import { addressed, type Opening, openConsole, press } from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { heading, link, tab } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const at = '2026-05-04T08:30:00.000Z'
const definitions = '/-/admin/definitions'
const row = (name: string | RegExp) => page.getByRole('row', { name })

const open = (path: string, { answers, ...options }: Opening = {}) =>
  openConsole(path, {
    project: adminProject,
    records: { customer: adria, order: [] },
    answers: {
      'POST /order/search': ({ body }) => {
        const { $group } = body as { $group?: readonly string[] }
        const groups = [
          { key: { _step: 'draft' }, count: 3, min: { _updated_at: at } },
          { key: { _step: 'review' }, count: 1, min: { _updated_at: at } },
        ]
        const data = { data: [], next: null, previous: null, total: 0 }
        return { body: { ...data, ...($group && { groups, groupsAreComplete: true }) } }
      },
      'POST /user_group/search': pageOf([{ id: 1, code: 'buyers', name: 'Buyers' }]),
      'POST /printable_document/search': pageOf([]),
      'POST /security_role/search': pageOf([{ id: 2, key: 'clerk' }]),
      ...answers,
    },
    ...options,
  })

describe('a definition', () => {
  test('shows fields with types and rules, and leads to what they link to', async () => {
    await open('/customer')
    await page.getByText('Administration').click()
    await link('Definitions').click()
    await see(page.getByText('A person who may call the service'))
    expect(await findViolations()).toEqual([])
    await page.getByRole('table').getByRole('link', { name: 'Order', exact: true }).click()
    await see(row('Number number').getByText('required, unique'))
    for (const text of ['Decimal (14, 2)', 'open · paid', 'What the carrier must know.'])
      await see(page.getByText(text))
    expect(await findViolations()).toEqual([])
    await page.getByRole('table').getByRole('link', { name: 'Customer' }).click()
    await see(heading('Customer'))
  })

  test('says which records a rollup adds', async () => {
    const files: Readonly<Record<string, unknown>> = adminProject
    const { fields, ...customer } = files['entities/customer.json'] as { fields: object[] }
    const orders = { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'customer' }
    const where = { status: { $ne: 'paid' } }
    const rollup = { sum: 'orders.total', where }
    const open_total = { key: 'open_total', type: 'decimal', precision: 14, scale: 2, rollup }
    await open(`${definitions}/customer`, {
      project: {
        ...adminProject,
        'entities/customer.json': { ...customer, fields: [...fields, orders, open_total] },
      },
    })
    await see(page.getByText('Calculated from: sum(orders.total) only if Status is not paid'))
  })

  test('shows its workflow with the records of each step, which lead to their list', async () => {
    const service = await open(`${definitions}/order`)
    await press(tab('Fields'), '{ArrowRight}')
    const review = row(/^In review/)
    await see(review.getByRole('link', { name: '1 record' }))
    await see(review.getByText('Approve → Approved (form approve)'))
    await expect.poll(() => document.querySelector('svg text')?.textContent).toBeTruthy()
    const drawn = [...document.querySelectorAll('svg text')].map(({ textContent }) => textContent)
    expect(drawn.join()).toContain('In review')
    await see(row('Approved approved').getByText('0 records'))
    expect(await findViolations()).toEqual([])
    await expect
      .poll(() => service.asked.map(({ body }) => body))
      .toContainEqual({
        $group: ['_step'],
        $aggregate: { min: ['_updated_at'] },
        $select: ['id'],
      })
    await press(review.getByRole('link', { name: '1 record' }), '{Enter}')
    await expect.poll(() => addressed('w')).toEqual({ _step: 'review' })
    expect(location.pathname).toBe('/console/order')
  })

  test('shows its notifications in words, its hooks and the columns of its export', async () => {
    await open(`${definitions}/order?part=notifications`)
    await see(page.getByText('Only if Total is at least 1,000.00'))
    await see(page.getByText('Notifies: Approver, group Buyers'))
    await tab('Hooks and files').click()
    await see(page.getByText('_sendNotificationHandler'))
    expect(await findViolations()).toEqual([])
  })

  test('shows who may do what', async () => {
    const answers: Answers = { 'POST /user/search': pageOf([]) }
    await open(`${definitions}/order?part=rights`, { answers })
    const clerk = row('Clerk')
    await see(clerk.getByText('own', { exact: true }), clerk.getByText('Submit'))
    await see(clerk.getByText('Terms'), clerk.getByText('Contact'))
    await gone(row('Guest'))
    expect(await findViolations()).toEqual([])
    await clerk.getByRole('link', { name: 'Clerk' }).click()
    await see(heading('Clerk'))
  })
})

describe('a role', () => {
  /** Answers of a service with one user; counts the users of roles. */
  const usersOf = (write: () => ReturnType<typeof problem> | undefined = () => undefined) => {
    let user = ana
    const answers: Answers = {
      'POST /user/search': ({ body }) => {
        const { $group } = body as { $group?: readonly string[] }
        const groups = [{ key: { 'security_role.key': 'clerk' }, count: 2 }]
        const data = { data: [user], next: null, previous: null }
        return { body: { ...data, ...($group && { groups, groupsAreComplete: true }) } }
      },
      'POST /user_role/search': {
        body: {
          data: [],
          next: null,
          previous: null,
          groups: [{ key: { 'security_role.key': 'clerk' }, count: 1 }],
          groupsAreComplete: true,
        },
      },
      'PATCH /user/2': ({ body }) => {
        const refused = write()
        if (refused) return refused
        user = { ...user, ...(body as object), _version: user._version + 1 }
        return { body: user }
      },
    }
    return answers
  }
  test('shows what it may do and who has it; users are blocked and let in again', async () => {
    const service = await open('/-/admin/roles', { answers: usersOf() })
    await see(row('Clerk').getByText('3', { exact: true }))
    await link('Clerk').click()
    await see(row('Customer').first())
    const user = row('Ana Test')
    await see(user.getByText('Active'))
    expect(await findViolations()).toEqual([])
    await user.getByRole('button', { name: 'Block' }).click()
    await see(user.getByText('Blocked'))
    await press(user.getByRole('button', { name: 'Unblock' }), '{Enter}')
    await see(user.getByText('Active'))
    await wrote(service, 'PATCH /user/2', { is_blocked: true }, { is_blocked: false })
    const versions = service.asked.filter(
      ({ method, path }) => method === 'PATCH' && path === '/user/2',
    )
    expect(versions.map(({ headers }) => headers.get('If-Match'))).toEqual(['"1"', '"2"'])
    const listed = service.asked.find(({ body }) =>
      JSON.stringify(body ?? '').includes('full_name'),
    )
    expect(listed?.body).toMatchObject({
      $where: {
        $or: [
          { 'security_role.key': 'clerk' },
          { roles: { $some: { 'security_role.key': 'clerk' } } },
        ],
      },
    })
  })

  test('is given to a person who was refused at the sign-in, by a link to the user with their e-mail', async () => {
    const refusal = {
      subject: 'pairwise-1',
      email: 'ana@example.com',
      is_email_verified: true,
      name: 'Ana T.',
      reason: 'There is no user with the subject of the token.',
      times: 2,
      first_at: at,
      last_at: at,
      user: { id: 2, full_name: 'Ana Test' },
    }
    const stranger = { ...refusal, subject: 'pairwise-2', email: null, name: null, user: null }
    let refused = [refusal, stranger]
    const service = await open('/-/admin/roles', {
      answers: {
        ...usersOf(() => {
          refused = [stranger]
          return undefined
        }),
        'GET /api/refused-sign-ins': () => ({ body: { data: refused } }),
      },
    })
    await see(row(/pairwise-2/).getByText('No user has this e-mail.'))
    expect(await findViolations()).toEqual([])
    await row(/pairwise-1/)
      .getByRole('button', { name: 'Link to Ana Test' })
      .click()
    await gone(row(/pairwise-1/))
    expect(sent(service, 'PATCH /user/2')).toEqual([{ identity_provider_user_id: 'pairwise-1' }])
  })

  test('is not changed when another user changed the user meanwhile', async () => {
    const stale = () => problem(412, 'record.stale', 'The record has changed since you read it.')
    await open('/-/admin/roles/clerk', { answers: usersOf(stale) })
    await row('Ana Test').getByRole('button', { name: 'Block' }).click()
    await see(row('Ana Test').getByRole('alert'), row('Ana Test').getByText('Active'))
  })

  test('is not seen as a user who was blocked meanwhile, and the page says so', async () => {
    const session = { user_id: 1, expires_at: '2100-01-01T00:00:00.000Z', may_switch: true }
    const users = [{ id: 2, full_name: 'Ana Test', ...asRoles('Clerk') }]
    await open('/-/admin/roles/clerk', {
      answers: {
        ...usersOf(),
        'GET /console/-/session': { body: { ...session, users } },
        'POST /console/-/session': problem(403, 'caller.forbidden', 'The user is blocked.'),
      },
    })
    await row('Ana Test').getByRole('button', { name: 'Act as this user' }).click()
    await see(row('Ana Test').getByRole('alert'))
  })

  test('without users or permissions says so', async () => {
    await open('/-/admin/roles/nothing', { answers: { 'POST /user/search': pageOf([]) } })
    await see(page.getByText('No user has this role.'))
    await see(page.getByText('There is no file of this role'))
  })
})

test.for([
  `${definitions}/order`,
  '/-/admin/roles/clerk',
  '/-/admin/deliveries',
  '/-/admin/mail',
  '/-/admin/explain?entity=order&record=1&operation=proceedToStep&action=submit',
])('lesser roles have no page %s, and nothing is asked for it', async (path) => {
  const service = await open(path, { role: 'clerk' })
  await see(page.getByText('There is no such page.'), link('Inbox'))
  await gone(page.getByText('Administration'))
  const asked = service.asked.map((one) => one.path)
  expect(asked.filter((one) => /deliveries|jobs|explain|mail|admin/.test(one))).toEqual([])
})
