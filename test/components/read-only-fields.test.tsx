/** Fields that the role of the user may not write: shown everywhere, entered nowhere. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { pageOf } from './support/answers.ts'
import { entryOf } from './support/given.ts'
import { keepTasks, taskOf } from './support/keep-tasks.ts'
import { type Opening, openConsole } from './support/open-console.tsx'
import { adria, boxOf, emptyOrder, openKept, orderList, ordersProject } from './support/orders.ts'
import { button, cell, dialogOf } from './support/parts.ts'
import { gone, input, save, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const readOnlyFields = ['total', 'status', 'customer', 'quantity']
const { fields, ...order } = ordersProject['entities/order.json']
const project = {
  ...ordersProject,
  'entities/order.json': {
    ...order,
    fields: fields.map((field) => ({
      ...field,
      ...(field.key === 'quantity' && { default: 1 }),
      ...(field.key === 'customer' && { required: false }),
    })),
  },
  'roles/author.json': {
    key: 'author',
    name: 'Author',
    permissions: {
      order: { create: true, read: true, update: true, tasks: true, readOnlyFields },
      customer: { read: true },
      task: { read: true, readOnlyFields: ['due_date', 'assigne', 'is_completed'] },
    },
  },
}
const rows = [{ ...emptyOrder, total: '12.50', status: 'open', quantity: 3 }]
const open = (path: string, options: Opening = {}) =>
  openConsole(path, {
    project,
    role: 'author',
    records: { order: rows, customer: adria },
    ...options,
  })
const output = (column: string) =>
  document.querySelector(`[data-column="${column}"] output`)?.textContent

test('a record shows them without an input, and saves the others', async () => {
  const service = await open('/order/1')
  await expect.poll(() => output('total')).toContain('12.50')
  expect(['status', 'customer_id', 'quantity'].map((name) => output(name))).toEqual([
    'Open',
    'Adria Metal',
    '3',
  ])
  await input('Notes').fill('Urgent')
  await save()
  await wrote(service, 'PATCH /order/1', { notes: 'Urgent' })
  expect(await findViolations()).toEqual([])
})

test('a new record asks for none of them, and leaves their defaults to the service', async () => {
  const values = encodeURIComponent(JSON.stringify({ customer_id: 1, total: '99.00' }))
  const service = await open(`/order/new?values=${values}`, {
    answers: {
      // Its page is that of the order that there is.
      'POST /order': async (_asked, usual) => {
        const given = await usual()
        return { ...given, body: { ...(given.body as object), id: 1 } }
      },
    },
  })
  await page.getByRole('textbox', { name: 'Number', exact: true }).fill('N-1')
  for (const column of ['total', 'status', 'customer_id', 'quantity'])
    expect(document.querySelector(`[data-column="${column}"]`)).toBe(null)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await wrote(service, 'POST /order', { number: 'N-1' })
})

test('no cell of a list edits them, and no bulk change names them', async () => {
  await openKept(orderList({ c: ['number', 'total', 'notes'] }), rows, { project, role: 'author' })
  const editable = (name: string) => cell(name).element().getAttribute('aria-readonly')
  await see(cell('12.50'))
  expect([editable(emptyOrder.number), editable('12.50')]).toEqual(['false', 'true'])
  await cell('12.50').dblClick()
  expect(page.getByRole('grid').getByRole('textbox').elements()).toEqual([])
  await boxOf(1).click()
  await button('Change a field …').click()
  const choices = dialogOf('Change a field').getByLabelText('Field').getByRole('option')
  await expect.poll(() => choices.elements().length).toBeGreaterThan(3)
  const names = choices.elements().map(({ textContent }) => textContent)
  expect(names).toContain('Notes')
  for (const name of ['Total', 'Status', 'Customer', 'Quantity']) expect(names).not.toContain(name)
})

test('a change of one is not taken back, and the user reads that they may not', async () => {
  const changes = { total: { before: '10.00', after: '12.50' } }
  const own = { ...entryOf(1, { changes }), entity: 'order', entity_id: 1 }
  await open('/-/changes', {
    answers: { 'GET /api/changes': { body: { data: [own], next: null } } },
  })
  await see(page.getByText('You may not change it back.'))
  await cleanup()
  await open('/order/1', { answers: { 'GET /order/1/history': pageOf([entryOf(1, { changes })]) } })
  await see(page.getByText('10.00'))
  await gone(button(/^Undo/))
})

test('a task is written without them', async () => {
  const { answers } = keepTasks([taskOf(1, 'Call the carrier')], ['order/1'])
  const service = await open('/order/1#tasks', { answers })
  await expect.element(page.getByRole('checkbox', { name: 'Call the carrier' })).toBeDisabled()
  await button('Create a task').click()
  const dialog = dialogOf('Create a task')
  await dialog.getByLabelText('What to do').fill('Compare the offers')
  for (const label of ['Due', 'Assigned to']) await gone(dialog.getByLabelText(label))
  await dialog.getByRole('button', { name: 'Create a task' }).click()
  await gone(dialog)
  expect(sent(service, 'POST /order/1/task')).toEqual([{ description: 'Compare the offers' }])
})
