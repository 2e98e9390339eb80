/** The titles of the browser's tabs: what each page shows, the service, and how much is new. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { adminProject } from '../support/console/an-admin-project.ts'
import { namedRole } from '../support/definitions/files.ts'
import { pageOf, problem } from './support/answers.ts'
import { keepTasks } from './support/keep-tasks.ts'
import { openConsole, say } from './support/open-console.tsx'
import { adria, emptyOrder } from './support/orders.ts'
import { cell, heading, item } from './support/parts.ts'
import { see } from './support/record-form.ts'
import { notifies, waitingAnswers } from './support/waiting.ts'

const none = { waiting: 0, scheduled: 0, running: 0, failing: 0, dead: 0 }
const sentNone = { queued: 0, sending: 0, sent: 0, failed: 0, dead: 0 }
const unknown = problem(404, 'record.unknown', 'There is no such record.')
const name = 'Fish & <b>Chips'
const project = {
  ...adminProject,
  'docket.json': { ...adminProject['docket.json'], name },
  'entities/order.json': { ...adminProject['entities/order.json'], pluralName: 'Orders' },
  ...namedRole('Reader', { order: { read: true, hiddenFields: ['number'] } }),
}
const { number: _number, ...withoutNumber } = emptyOrder
const view = { id: 7, name: 'By number', entity_key: 'order', is_shared_with: 'me', columns: null }

const open = (path: string, role?: string) =>
  openConsole(path, {
    project,
    ...(role !== undefined && { role }),
    records:
      role === undefined
        ? {
            order: [1, 2].map((id) => ({ ...emptyOrder, id, number: `O-${id}` })),
            customer: adria,
            saved_view: [{ ...view, criteria: { $orderBy: ['number'] } }],
          }
        : { order: [withoutNumber] },
    answers: {
      ...keepTasks([]).answers,
      ...(role === undefined && waitingAnswers(() => [])),
      'GET /api/notifications': { body: [] },
      'GET /api/changes': { body: { data: [], next: null } },
      'POST /api/notifications/recipients': notifies(),
      'GET /api/jobs': pageOf([]),
      'GET /api/jobs/count': { body: none },
      'GET /api/deliveries': pageOf([]),
      'GET /api/deliveries/count': {
        body: { email: sentNone, webhook: sentNone, slack: sentNone, teams: sentNone },
      },
      'POST /security_role/search': pageOf([]),
      // The page of what was removed reads every entity.
      ...Object.fromEntries(
        ['printable_document', 'user_group', 'user_group_member', 'task'].map((key) => [
          `POST /${key}/search`,
          pageOf([]),
        ]),
      ),
      'POST /user/search': {
        body: { data: [], next: null, previous: null, groups: [], groupsAreComplete: true },
      },
      ...Object.fromEntries(
        ['', '/actions', '/history', '/documents'].map((part) => [
          `GET /order/99999${part}`,
          unknown,
        ]),
      ),
    },
  })
const shows = (title: string) => expect.poll(() => document.title).toBe(`${title} · ${name}`)
const openOrder = async (number: string) => {
  await cell(number).getByRole('link').click()
  await see(heading(number))
}

test.for([
  ['/', 'My day'],
  ['/-/inbox', 'Inbox'],
  ['/-/approvals', 'Approvals'],
  ['/-/tasks', 'My tasks'],
  ['/-/changes', 'My changes'],
  ['/-/removed', 'Removed'],
  ['/-/search', 'Search'],
  ['/order', 'Orders'],
  ['/order?view=7', 'By number · Orders'],
  ['/order/new', 'New order'],
  ['/order/1', 'O-1'],
  ['/order/99999', 'Order'],
  ['/nothing', 'There is no such page'],
  ['/-/settings', 'Settings'],
  ['/-/admin/deliveries', 'Deliveries and jobs'],
  ['/-/admin/explain', 'Who is notified'],
  ['/-/admin/access', 'What a user may do'],
  ['/-/admin/roles', 'Rights of roles'],
  ['/-/admin/roles/reader', 'Reader · Rights of roles'],
  ['/-/admin/definitions/order', 'Order · Definitions'],
] as const)('the title of %s', async ([path, title]) => {
  await open(path)
  await shows(title)
})

test('a role reads nothing in titles that it may not see', async () => {
  await open('/order/1', 'reader')
  await shows('1')
  await cleanup()
  await open('/customer/1', 'reader')
  await shows('There is no such page')
})

test('a list with a view has the name of the view first, and its own one without it', async () => {
  await open('/order?view=7')
  await shows('By number · Orders')
  ;(document.querySelector('.list-head [aria-haspopup=menu]') as HTMLElement).click()
  await item('All Orders').click()
  await shows('Orders')
})

test('how much is new stands in front, 99+ of more; a page that is kept changes nothing, and a renamed record its tab', async () => {
  await open('/order')
  await shows('Orders')
  for (const [unseen, front] of [
    [3, '(3) '],
    [99, '(99) '],
    [100, '(99+) '],
    [0, ''],
  ] as const) {
    await say('order', 'count', { unseen })
    await shows(`${front}Orders`)
  }
  await openOrder('O-2')
  await shows('O-2')
  await say('order/2', 'count', { unseen: 1 })
  await shows('(1) O-2')
  await page.getByRole('textbox', { name: 'Number', exact: true }).fill('O-2b')
  await userEvent.keyboard('{Control>}s{/Control}')
  await shows('(1) O-2b')
  await expect.element(page.getByText('1 change is not saved')).not.toBeInTheDocument()
  history.back()
  await shows('(1) Orders')
})

test('the title has changed once when the page gets the focus, and nothing else says it', async () => {
  await open('/order')
  await shows('Orders')
  const said: string[] = []
  const observer = new MutationObserver(() => said.push(`title ${document.title}`))
  const title = document.querySelector('title') as HTMLElement
  observer.observe(title, { childList: true, characterData: true, subtree: true })
  const main = document.querySelector('main')
  main?.addEventListener('focus', () => said.push(`focus ${document.title}`))
  await openOrder('O-1')
  await expect.element(page.getByRole('main')).toHaveFocus()
  // Changes are told after the task that made them, in which the page gets the focus.
  await expect.poll(() => said.toSorted()).toEqual([`focus O-1 · ${name}`, `title O-1 · ${name}`])
  observer.disconnect()
  const live = document.querySelectorAll('[role=status], [role=alert], [aria-live]')
  expect([...live].filter(({ textContent }) => textContent.includes('O-1'))).toEqual([])
})
