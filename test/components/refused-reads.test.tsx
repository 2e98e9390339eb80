/** What a page shows when a part of it cannot be read: what was read stays, and says how to try again. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { noteSignedIn } from '../../console/features/session/signed-in-at.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { entityFile } from '../support/definitions/files.ts'
import { pageOf, problem } from './support/answers.ts'
import { keepTasks, taskOf } from './support/keep-tasks.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { adria, emptyOrder } from './support/orders.ts'
import { button, dialogOf, heading, link, tab } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const order = orderProject['entities/order.json']
const project = {
  ...orderProject,
  'entities/order.json': {
    ...order,
    fields: [
      ...order.fields,
      { key: 'lines', name: 'Lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    ],
  },
  'roles/reader.json': { key: 'reader', permissions: { order: { read: true } } },
  ...entityFile('line', { name: 'Line', displayField: 'article' }, [
    { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order', required: true },
    { key: 'article', name: 'Article', type: 'string', required: true },
  ]),
}

const broken = problem(500, 'request.failed', 'It is broken.')
const stale = page.getByRole('alert').getByText('What you see may be out of date.')
const again = button('Try again')

const open = async (path: string, { answers, ...options }: Opening = {}) => {
  const tasks = keepTasks([taskOf(1, 'Call')])
  const others = {
    customer: adria,
    line: [{ id: 1, article: 'Tube', order_id: 1 }],
  }
  const service = await openConsole(path, {
    project,
    records: {
      order: [{ ...emptyOrder, number: 'R-1' }],
      ...(options.role === undefined && others),
    },
    answers: { ...tasks.answers, ...answers },
    ...options,
  })
  return { service, tasks }
}

test('rows and tasks stay when they cannot be read again, with a way to try again', async () => {
  let isBroken = false
  const { service, tasks } = await open('/order/1#lines', {
    answers: { 'POST /line/search': (_asked, usual) => (isBroken ? broken : usual()) },
  })
  await see(link('Tube'))
  isBroken = true
  await link('New line').click()
  await page.getByRole('textbox', { name: 'Article' }).fill('Sheet')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await see(stale, link('Tube'))
  expect(await findViolations()).toEqual([])
  isBroken = false
  await press(again, '{Enter}')
  await see(link('Sheet'))
  await gone(stale)
  await tab('Tasks 1').click()
  await see(page.getByRole('checkbox', { name: 'Call' }))
  service.answer({ 'GET /order/1/task': broken })
  await page.getByRole('checkbox', { name: 'Call' }).click()
  await see(stale, page.getByRole('checkbox', { name: 'Call' }))
  service.answer(tasks.answers)
  await again.click()
  await see(page.getByText('Done 1'))
})

test('a document that prints boxes says so, with every script that no font has', async () => {
  const document = { code: 'label', name: 'Label', id: 1 }
  const headers = { 'Content-Type': 'image/svg+xml', 'X-Missing-Scripts': 'Thai, emoji' }
  await open('/order/1#documents', {
    answers: {
      'GET /order/1/documents': { body: { data: [document] } },
      'GET /order/1/documents/label/picture': { headers, body: '<svg/>' },
    },
  })
  await see(page.getByRole('alert').getByText('boxes instead of some characters (Thai, emoji)'))
  expect(await findViolations()).toEqual([])
})

test('documents, and what was sent about a record, are not left out', async () => {
  const { service } = await open('/order/1#documents', {
    answers: { 'GET /order/1/documents': broken },
  })
  await see(page.getByRole('alert').getByText('It is broken.'))
  const document = { code: 'label', name: 'Label', id: 1 }
  service.answer({ 'GET /order/1/documents': { body: { data: [document] } } })
  await again.click()
  await see(tab('Documents 1'))
  await cleanup()
  const question = 'entity=order&record=1&operation=proceedToStep&action=submit'
  const explained = await open(`/-/admin/explain?${question}`, {
    answers: {
      'GET /api/deliveries': broken,
      'POST /api/notifications/explain': { body: { isActive: true, entries: [] } },
      'POST /user/search': pageOf([]),
    },
  })
  await see(page.getByRole('alert').getByText('It is broken.'))
  const none = pageOf([])
  explained.service.answer({ 'GET /api/deliveries': none })
  await again.click()
  await see(page.getByText('Nothing was sent by e-mail or webhook, or to a room.'))
})

test('an address at which a user has signed in, and which is not theirs, leads to the start', async () => {
  history.replaceState(null, '', '/console/left-by-another')
  noteSignedIn()
  await open('/left-by-another', {
    role: 'reader',
    answers: { 'GET /api/notifications': { body: [] } },
  })
  await see(heading('My day'))
})

test.for(['/nothing', '/order/4711'])(
  'an address that leads nowhere leads on: %s',
  async (path) => {
    const unknown = problem(404, 'record.unknown', 'There is no such record.')
    const parts = ['', '/actions', '/history', '/documents', '/task']
    await open(path, {
      role: 'reader',
      answers: {
        ...Object.fromEntries(parts.map((part) => [`GET /order/4711${part}`, unknown])),
        'GET /api/notifications': { body: [] },
      },
    })
    await see(page.getByText('There is no such page.'))
    await press(button('Find anything'), '{Enter}')
    await press(dialogOf('Find anything').getByRole('combobox'), '{Escape}')
    await press(page.getByRole('main').getByRole('link', { name: 'My day' }), '{Enter}')
    await see(heading('My day'))
  },
)
