/** Definitions and roles as administrators see them. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { adminProject } from '../support/console/an-admin-project.ts'
import { type Answers, pageOf } from './support/answers.ts'
import { addressed, type Opening, openConsole, press } from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { heading, link, tab } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
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
  const users: Answers = {
    'POST /user/search': {
      body: {
        data: [],
        next: null,
        previous: null,
        groups: [{ key: { 'security_role.key': 'clerk' }, count: 2 }],
        groupsAreComplete: true,
      },
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
  }

  test('shows how many users have it, what it may do, and leads to them', async () => {
    const files: Readonly<Record<string, unknown>> = adminProject
    const clerk = { ...(files['roles/clerk.json'] as object), audit: true }
    const project = { ...adminProject, 'roles/clerk.json': clerk }
    await open('/-/admin/roles', { project, answers: users })
    await see(row('Clerk').getByText('3', { exact: true }))
    await link('Clerk').click()
    await see(row('Customer').first(), page.getByText('It also reads the audit'))
    expect(await findViolations()).toEqual([])
    await expect
      .element(link('Who has it'))
      .toHaveAttribute('href', '/console/-/admin/users?role=clerk')
  })

  test('without permissions says so', async () => {
    await open('/-/admin/roles/nothing', { answers: users })
    await see(page.getByText('There is no file of this role'))
  })
})

test.for([
  `${definitions}/order`,
  '/-/admin/roles/clerk',
  '/-/admin/users',
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
