/** What waits for a user: "My day", and whom something would notify, said before it is done. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { roleFile } from '../support/definitions/files.ts'
import { type Answers, type Asked, problem } from './support/answers.ts'
import { finds, foundOf } from './support/given.ts'
import { keepTasks, taskOf } from './support/keep-tasks.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { adria, numberOf, ordersUpTo } from './support/orders.ts'
import { button, cell, heading, item, option } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { approvalOf, notificationOf, notifies, waitingAnswers } from './support/waiting.ts'

const order = orderProject['entities/order.json']
const project = {
  ...orderProject,
  'entities/order.json': {
    ...order,
    notifications: [
      ...order.notifications,
      { operation: 'create', recipient: { userFields: ['approver'] } },
      { operation: 'takeOwnership', recipient: { userFields: ['_owned_by'] } },
    ],
  },
  'roles/clerk.json': { key: 'clerk', permissions: { customer: { read: true } } },
  ...roleFile('blind', { customer: { read: true }, saved_view: { read: false } }),
}

const section = (name: string | RegExp) => page.getByRole('region', { name })

const open = (path: string, { answers, ...options }: Opening = {}) =>
  openConsole(path, {
    project,
    records: {
      customer: adria,
      ...(options.role === undefined && {
        order: ordersUpTo(7).map((row) => ({
          ...row,
          customer_id: 1,
          _step: 'review',
          _owned_by: 2,
        })),
        user: [
          { id: 1, full_name: 'administrator' },
          { id: 2, full_name: 'Boris Šimić' },
        ],
      }),
    },
    answers: {
      ...keepTasks([]).answers,
      'GET /api/notifications': { body: [] },
      ...(options.role === undefined && waitingAnswers(() => [])),
      ...answers,
    },
    ...options,
  })

describe('my day', () => {
  const approvals = [1, 2, 3, 4, 5, 6, 7].map((id) => approvalOf('order', id, numberOf(id)))
  const unread = [1, 2].map((id) => notificationOf(id, `${numberOf(id)} moved on`))
  const working = (): Answers => ({
    ...waitingAnswers(() => approvals),
    ...keepTasks([taskOf(1, 'Compare the offers', { due_date: '2020-01-01T08:00:00.000Z' })])
      .answers,
    'GET /api/notifications': { body: unread },
    'GET /api/notifications/count': { body: { count: 2 } },
  })

  test('says that nothing waits, and leads to the lists', async () => {
    await open('/')
    await see(page.getByText('Nothing is waiting for you.'))
    expect(await findViolations()).toEqual([])
    await page.getByRole('main').getByRole('link', { name: 'Customer' }).click()
    await see(cell('Adria Metal'))
  })

  test('shows the first of each kind with the numbers of the service; a task is completed there', async () => {
    const service = await open('/', { answers: working() })
    const first = section('Approvals 7')
    await see(
      first.getByRole('link', { name: new RegExp(`^${numberOf(1)}.* Adria Metal.* Order`) }),
    )
    expect(first.getByRole('listitem').elements()).toHaveLength(5)
    await see(section('My tasks 1 overdue').getByRole('checkbox'))
    expect(section('Unread 2').getByRole('listitem').elements()).toHaveLength(2)
    const limits = ['/api/approvals', '/api/tasks', '/api/notifications'].map((path) =>
      service.asked.find((one) => one.path === path)?.query.get('limit'),
    )
    expect(limits).toEqual(['5', '5', '5'])
    expect(await findViolations()).toEqual([])
    await page.getByRole('checkbox', { name: 'Compare the offers' }).click()
    await see(page.getByText('Done: Compare the offers'))
    await first.getByRole('link', { name: 'Decide' }).click()
    await see(heading('Approvals'))
  })

  test('a notification is read by following it', async () => {
    const marked: unknown[] = []
    await open('/', {
      answers: {
        ...working(),
        'PUT /api/notifications/mark': ({ body }) => {
          marked.push(body)
          return { body: { count: 1 } }
        },
      },
    })
    await section(/^Unread/)
      .getByRole('link', { name: 'moved on' })
      .first()
      .click()
    await see(heading(numberOf(1)))
    await expect.poll(() => marked).toMatchObject([{ ids: [unread[0]?._id], status: 'seen' }])
  })

  test('offers records that were opened, as long as they are there, and stores no name', async () => {
    const service = await open('/order/2', { settings: { visited: ['order/99', 'order/3'] } })
    await see(heading(numberOf(2)))
    const stored = () => sent(service, 'PATCH /console/-/settings.json')
    await expect.poll(stored).toEqual([{ visited: ['order/2', 'order/99', 'order/3'] }])
    await userEvent.keyboard('gd')
    await see(heading('My day'))
    const recent = section('Recently opened').getByRole('listitem')
    await expect
      .poll(() => recent.elements().map(({ textContent }) => textContent))
      .toEqual([`${numberOf(2)}Order`, `${numberOf(3)}Order`])
  })

  test('views are pinned, and lead to their lists', async () => {
    const view = (id: number, name: string) => ({ id, name, entity_key: 'order' })
    const views = [view(1, 'Large'), view(2, 'Late')]
    const service = await open('/', {
      answers: {
        'POST /saved_view/search': ({ body, query }) => {
          const { $where = {} } = body as { $where?: { id?: { $in: readonly number[] } } }
          const data = views.filter(({ id }) => $where.id?.$in.includes(id) ?? true)
          const limit = Number(query.get('limit'))
          return {
            body: { data: data.slice(0, limit), total: data.length, next: null, previous: null },
          }
        },
      },
    })
    await button('Pin the view Late').click()
    await gone(button('Pin the view Large'))
    await wrote(service, 'PATCH /console/-/settings.json', { pinnedViews: [2] })
    await button('All 2').click()
    await see(button('Pin the view Large'))
    const link = section('Views').getByRole('link', { name: 'Late' })
    await expect.element(link).toHaveAttribute('href', '/console/order?view=2')
  })

  test.for([
    ['clerk', true],
    ['blind', false],
  ] as const)(
    'as %s it has nothing that the role does not have, and asks for nothing of it',
    async ([role, readsViews]) => {
      const service = await open('/', { role })
      await see(page.getByText('Nothing is waiting for you.'))
      await gone(page.getByRole('link', { name: 'Approvals' }))
      await gone(page.getByText('Order'))
      const asks = (start: string) => service.asked.some(({ path }) => path.startsWith(start))
      await expect.poll(() => asks('/saved_view')).toBe(readsViews)
      expect(asks('/api/approvals')).toBe(false)
    },
  )

  test('what cannot be read does not hide the others', async () => {
    const broken = problem(500, 'request.failed', 'It is broken.')
    await open('/', { answers: { ...working(), 'GET /api/approvals': broken } })
    await see(section(/^Unread/), page.getByRole('main').getByRole('alert'))
  })
})

test('a notification is snoozed by keys until a day or a time, taken back, and brought back early', async () => {
  const title = 'O-1 moved on'
  const one = notificationOf(1, title)
  const known = { until: null as string | null }
  const listed = ({ query }: Asked) => {
    const isAway = known.until !== null
    if ((query.get('status') === 'snoozed') !== isAway) return { body: [] }
    return { body: [isAway ? { ...one, snoozed_until: known.until } : one] }
  }
  const service = await open('/-/inbox', {
    answers: {
      'GET /api/notifications': listed,
      'PUT /api/notifications/mark': { body: { count: 1 } },
      'PUT /api/notifications/snooze': ({ body }) => {
        known.until = (body as { readonly until: string | null }).until
        return { body: { count: 1 } }
      },
    },
  })
  const days = (until: unknown) => Math.round((Date.parse(String(until)) - Date.now()) / 86_400_000)
  const asked = () => sent(service, 'PUT /api/notifications/snooze')
  const snooze = page.getByRole('button', { name: 'Snooze', exact: true })
  await button(title).click()
  await see(snooze)
  await userEvent.keyboard('s')
  await item(/^In a week.* 08:00/).click()
  await see(page.getByText('Nothing new.'), button('Undo: Snooze'))
  expect(asked()).toMatchObject([{ ids: [one._id] }])
  expect(days(known.until)).toBeGreaterThanOrEqual(6)
  await userEvent.keyboard('z')
  await see(page.getByRole('heading', { name: title }))
  expect(asked().at(-1)).toEqual({ ids: [one._id], until: null })
  await snooze.click()
  await item('At a time …').click()
  await see(page.getByRole('combobox', { name: 'Snooze until' }))
  expect(await findViolations()).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Snooze' }).click()
  await page.getByText('Snoozed', { exact: true }).click()
  await see(page.getByText(/^Back on /))
  // It would mark others, which this list does not show.
  await expect.element(page.getByRole('button', { name: 'Mark all as read' })).toBeDisabled()
  await button(title).click()
  await button('Bring back now').click()
  await see(page.getByText('Nothing is snoozed.'))
  await gone(button('Undo: Snooze'))
  expect(known.until).toBe(null)
})

describe('whom something would notify', () => {
  type Intent = {
    readonly entityIds?: readonly number[]
    readonly values?: Record<string, unknown>
  }

  /** Answers as the service does, which knows who the approver of an order is. */
  const recipients = ({ body }: Asked) => {
    const { entityIds = [], values } = body as Intent
    const people = [
      ...(values?.approver_id === 2 ? [{ id: 2, full_name: 'Boris Šimić' }] : []),
      ...(values?.notes === 'Too late' ? [{ id: 1, full_name: 'administrator' }] : []),
    ]
    return notifies(people, { records: Math.max(entityIds.length, 1) })
  }
  const asked = (service: Awaited<ReturnType<typeof open>>) =>
    sent(service, 'POST /api/notifications/recipients')
  const dialog = page.getByRole('dialog')

  test('approvals of one and of several say how many, and that more may depend on hidden fields', async () => {
    const service = await open('/-/approvals', {
      answers: {
        ...waitingAnswers(() => [1, 2].map((id) => approvalOf('order', id, numberOf(id)))),
        'POST /api/notifications/recipients': ({ body }) => {
          const records = (body as Required<Intent>).entityIds.length
          return notifies([], { records, count: 1, emails: records, isPartial: true })
        },
      },
    })
    const queue = page.getByRole('list', { name: 'Waiting for a decision' })
    await see(queue.getByText(numberOf(1)))
    await see(page.getByRole('button', { name: 'Reject', exact: true }))
    await userEvent.keyboard('r')
    await see(dialog.getByText('Notifies 1 person · 1 e-mail'))
    await see(dialog.getByText('Others may be notified too'))
    await userEvent.keyboard('{Escape}')
    for (const id of [1, 2]) await queue.getByRole('checkbox', { name: numberOf(id) }).click()
    await button('Reject 2').click()
    await see(dialog.getByText('Notifies 1 person about 2 records · 2 e-mails'))
    expect(await findViolations()).toEqual([])
    const reject = { entityKey: 'order', operation: 'proceedToStep', action: 'reject', values: {} }
    await expect
      .poll(() => asked(service))
      .toMatchObject([
        { ...reject, entityIds: [1] },
        { ...reject, entityIds: [1, 2] },
      ])
  })

  test('a new record says it by what is typed so far', async () => {
    const service = await open('/order/new', {
      answers: {
        'POST /api/notifications/recipients': recipients,
        'GET /api/search': finds(foundOf('user', 2, 'Boris Šimić', 'full_name')),
      },
    })
    await see(page.getByText('Notifies nobody.'))
    await page.getByRole('combobox', { name: 'Approver' }).fill('boris')
    await see(option('Boris Šimić'))
    await userEvent.keyboard('{Enter}')
    await see(page.getByText('Notifies Boris Šimić · 1 e-mail'))
    expect(await findViolations()).toEqual([])
    const last = { entityKey: 'order', operation: 'create', values: { approver_id: 2 } }
    await expect.poll(() => asked(service).at(-1)).toMatchObject(last)
  })

  test('taking a record over says it, and the form of an action by what is typed so far', async () => {
    const notes = { key: 'notes', column: 'notes', name: 'Notes', type: 'text', required: true }
    const form = { key: 'submit', fields: [notes], callerFields: [] }
    const submit = { key: 'submit', name: 'Submit', kind: 'proceedToStep', form }
    const service = await open('/order/1', {
      answers: {
        'POST /api/notifications/recipients': recipients,
        'GET /order/1/actions': async (_asked, usual) => {
          const { body } = await usual()
          const to = { key: 'review', name: 'In review', final: false }
          return { body: { ...(body as object), data: [{ ...submit, to }] } }
        },
      },
    })
    await button('More actions').click()
    await item('Take over').click()
    await see(dialog.getByText('Notifies nobody.'))
    await userEvent.keyboard('{Escape}')
    await gone(dialog)
    await press(page.getByRole('button', { name: 'Submit', exact: true }), '{Enter}')
    await see(dialog.getByText('Notifies nobody.'))
    await dialog.getByLabelText('Notes').fill('Too late')
    await see(dialog.getByText('Notifies administrator (you)'))
    await expect
      .poll(() => asked(service))
      .toMatchObject([
        { operation: 'takeOwnership', entityIds: [1] },
        { operation: 'proceedToStep', action: 'submit', values: {} },
        { operation: 'proceedToStep', action: 'submit', values: { notes: 'Too late' } },
      ])
  })
})
