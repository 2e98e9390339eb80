/** Fields that a step locks: shown without an input, and why. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { type Answers, pageOf } from './support/answers.ts'
import { actionsAnswer, entryOf } from './support/given.ts'
import { openConsole, press } from './support/open-console.tsx'
import {
  adria,
  boxOf,
  emptyOrder,
  openKept,
  orderList,
  ordersProject,
  ordersUpTo,
} from './support/orders.ts'
import { button, cell, dialogOf, tab } from './support/parts.ts'
import { gone, input, save, see, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const { fields, workflow, ...order } = ordersProject['entities/order.json']
const project = {
  ...ordersProject,
  'entities/order.json': {
    ...order,
    fields: [...fields, { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' }],
    workflow: {
      ...workflow,
      steps: workflow.steps.map((step) => {
        if (step.key === 'review')
          return { ...step, locks: { fields: ['total', 'customer', 'lines'], except: ['clerk'] } }
        return step.key === 'approved' ? { ...step, locks: { fields: 'all' } } : step
      }),
    },
  },
  'entities/line.json': {
    key: 'line',
    name: 'Line',
    displayField: 'text',
    fields: [
      { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order' },
      { key: 'text', name: 'Text', type: 'string' },
    ],
  },
}
const rows = [{ ...emptyOrder, total: '12.50', quantity: 3, _step: 'review' }]
const review = { key: 'review', name: 'In review' }
const may = { update: true, delete: true }
const lockedIn = (step: object | null, keys: readonly string[], through: string | null = null) =>
  keys.map((key) => ({ key, through, step }))
const locked = actionsAnswer({
  may,
  step: { ...review, final: false },
  lockedFields: lockedIn(review, ['total', 'customer', 'lines']),
})
const lockedQuantity = actionsAnswer({ may, lockedFields: lockedIn(review, ['quantity']) })
const open = (path: string, answers: Answers) =>
  openConsole(path, {
    project,
    records: { order: rows, customer: adria, line: [{ id: 1, text: 'Paper', order_id: 1 }] },
    answers,
  })
const output = (column: string) =>
  document.querySelector(`[data-column="${column}"] output`)?.textContent

describe('the page of a record', () => {
  test('shows locked fields without an input and says why; others are saved', async () => {
    const service = await open('/order/1', { 'GET /order/1/actions': locked })
    await see(page.getByText('Locked in the step “In review”: “Total”, “Customer” and “Lines”.'))
    expect([output('total'), output('customer_id')]).toEqual(['12.50', 'Adria Metal'])
    await input('Notes').fill('Urgent')
    await save()
    await wrote(service, 'PATCH /order/1', { notes: 'Urgent' })
    expect(await findViolations()).toEqual([])
  })

  test('says that all is locked', async () => {
    const keys = [...fields.map(({ key }) => key), '_owned_by', 'lines']
    const lockedFields = lockedIn(null, keys)
    await open('/order/1', { 'GET /order/1/actions': actionsAnswer({ lockedFields }) })
    await see(page.getByText('This record is locked now.'))
    expect(document.querySelectorAll('.fields input')).toHaveLength(0)
  })

  test('says through which record', async () => {
    const lockedFields = lockedIn(review, ['order', 'text'], 'order')
    await open('/line/1', { 'GET /line/1/actions': actionsAnswer({ lockedFields }) })
    await see(
      page.getByText('This record is locked through “Order”, which is in the step “In review”.'),
    )
    expect(output('text')).toBe('Paper')
  })
})

test('a cell of a locked field is not edited', async () => {
  const { service } = await openKept(orderList({ c: ['number', 'total', 'quantity'] }), rows, {
    project,
    role: 'administrator',
    answers: { 'GET /order/1/actions': locked },
  })
  await cell('12.50').dblClick()
  await see(page.getByText('Total cannot be changed here.'))
  await cell('3').dblClick()
  await see(page.getByRole('grid').getByRole('textbox'))
  expect(service.asked.filter(({ path }) => path === '/order/1/actions')).not.toEqual([])
})

test('a cell is not offered to be taken back once it is locked', async () => {
  const free = actionsAnswer({ may })
  const { service } = await openKept(orderList({ c: ['number', 'total', 'quantity'] }), rows, {
    project,
    role: 'administrator',
    answers: { 'GET /order/1/actions': free },
  })
  await cell('3').dblClick()
  await see(page.getByRole('grid').getByRole('textbox'))
  service.answer({ 'GET /order/1/actions': lockedQuantity })
  await userEvent.keyboard('4{Enter}')
  await see(page.getByText(/^Saved: /))
  await gone(button('Undo'))
})

test('an entry of the history is not offered to be taken back while the step locks one of its fields', async () => {
  const change = (id: number, column: string, before: unknown, after: unknown) =>
    entryOf(id, { changes: { [column]: { before, after } } })
  const history = [change(2, 'total', '1.00', '12.50'), change(1, 'quantity', 2, 3)]
  await open('/order/1?part=history', {
    'GET /order/1/actions': locked,
    'GET /order/1/history': pageOf(history),
  })
  const entry = (name: RegExp) => page.getByRole('listitem').filter({ hasText: name })
  await see(entry(/Quantity/).getByRole('button', { name: 'Undo' }))
  await gone(entry(/Total/).getByRole('button', { name: 'Undo' }))
})

test('the own changes say which cannot be taken back because the step locks the field', async () => {
  const own = (id: number, column: string, before: unknown, after: unknown) => ({
    ...entryOf(id, { changes: { [column]: { before, after } } }),
    entity: 'order',
    entity_id: 1,
  })
  const data = [own(2, 'total', '1.00', '12.50'), own(1, 'quantity', 2, 3)]
  await open('/-/changes', { 'GET /api/changes': pageOf(data) })
  const entry = (name: RegExp) => page.getByRole('listitem').filter({ hasText: name }).first()
  await see(entry(/Total/).getByText(/^Locked by the step of the record/))
  await see(entry(/Quantity/).getByRole('button', { name: /^Undo/ }))
})

describe('a change of many records', () => {
  const openChange = async (...steps: readonly string[]) => {
    const orders = ordersUpTo(steps.length).map((row, at) => ({ ...row, _step: steps[at] }))
    await openKept(orderList({ c: ['number', 'total'] }), orders, {
      project,
      role: 'administrator',
    })
    for (const { id } of orders) await boxOf(id).click()
    await button('Change a field …').click()
    return dialogOf(/^Change a field/)
  }

  test('does not offer what the step of all of them locks', async () => {
    const dialog = await openChange('review', 'review')
    await expect.element(dialog.getByRole('option', { name: 'Total (locked)' })).toBeDisabled()
    await expect.element(dialog.getByRole('option', { name: 'Quantity' })).toBeEnabled()
    expect(await findViolations()).toEqual([])
  })

  test('says for how many of them a field is locked', async () => {
    const dialog = await openChange('review', 'draft', 'draft')
    await dialog.getByLabelText('Field').selectOptions('Total')
    await see(dialog.getByText('Locked in the present step of 1 of 3 records.'))
    await dialog.getByLabelText('Field').selectOptions('Quantity')
    await gone(dialog.getByText(/Locked in the present step/))
  })
})

test('the definitions say what each step locks', async () => {
  await open('/-/admin/definitions/order', {})
  await press(tab('Fields'), '{ArrowRight}')
  await see(page.getByText('locked: Total, Customer, Lines; not for Clerk'))
  await see(page.getByText('locked: everything'))
})
