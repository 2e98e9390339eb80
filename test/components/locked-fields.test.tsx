/** Fields that a step locks: shown without an input, and why. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Answers } from './support/answers.ts'
import { actionsAnswer } from './support/given.ts'
import { openConsole, press } from './support/open-console.tsx'
import { adria, emptyOrder, openKept, orderList, ordersProject } from './support/orders.ts'
import { cell, tab } from './support/parts.ts'
import { input, save, see, wrote } from './support/record-form.ts'
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

test('the definitions say what each step locks', async () => {
  await open('/-/admin/definitions/order', {})
  await press(tab('Fields'), '{ArrowRight}')
  await see(page.getByText('locked: Total, Customer, Lines; not for Clerk'))
  await see(page.getByText('locked: everything'))
})
