/** Calculated fields: shown everywhere, entered nowhere, and marked where what they follow from is not saved. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { entityFile } from '../support/definitions/files.ts'
import { type Answer, pageOf, problem } from './support/answers.ts'
import { entryOf } from './support/given.ts'
import { openConsole, press } from './support/open-console.tsx'
import { button, cell } from './support/parts.ts'
import { gone, input, save, see, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const money = { type: 'decimal', precision: 12, scale: 2 }

const project = {
  'docket.json': { name: 'Shop', locale: 'en' },
  ...entityFile('order', { displayField: 'number' }, [
    { key: 'number', type: 'string' },
    { key: 'rate', type: 'decimal', precision: 10, scale: 4, default: '1' },
    { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    { key: 'total', ...money, rollup: { sum: 'lines.amount' } },
    { key: 'total_eur', ...money, formula: 'total * rate' },
    { key: 'vat_eur', ...money, formula: 'round(total_eur * 25 / 100, 2)' },
  ]),
  ...entityFile('line', { displayField: 'code' }, [
    { key: 'code', type: 'string' },
    { key: 'order', type: 'manyToOne', entity: 'order' },
    { key: 'quantity', type: 'integer', default: 1 },
    { key: 'price', type: 'decimal', precision: 12, scale: 4 },
    { key: 'amount', ...money, formula: 'quantity * price' },
    { key: 'ordered_on', type: 'date' },
    { key: 'days', type: 'integer' },
    { key: 'delivered_on', type: 'date', formula: 'ordered_on + days' },
    { key: 'share', type: 'decimal', precision: 14, scale: 4, formula: 'price / quantity' },
  ]),
}
const records = {
  order: [
    { id: 1, number: 'C-1', rate: '2.0000', total: '10.00', total_eur: '20.00', vat_eur: '5.00' },
  ],
  line: [
    {
      id: 1,
      code: 'C-1-1',
      order_id: 1,
      quantity: 2,
      price: '5.0000',
      _created_by: 7,
      amount: '10.00',
      share: '2.5000',
    },
  ],
}

const open = (path: string, options: object = {}) =>
  openConsole(path, { project, records, ...options })

/** As the service does, which calculates with what was written. */
const withResults =
  (results: object): Answer =>
  ({ body }, usual) =>
    usual({ ...(body as object), ...results })

/** The output of a field has this value. */
const shows = (column: string, text: string) =>
  expect
    .poll(() => document.querySelector(`[data-column="${column}"] output`)?.textContent)
    .toContain(text)
const columns = (...names: readonly string[]) => encodeURIComponent(JSON.stringify(names))
const edited = page.getByRole('grid').getByRole('textbox')

test('a record shows them without an input, and what follows from a change once it is saved', async () => {
  const service = await open('/line/1', {
    answers: { 'PATCH /line/1': withResults({ amount: '15.00', share: '1.6667' }) },
  })
  await shows('amount', '10.00')
  expect(await findViolations()).toEqual([])
  await input('Quantity').fill('3')
  await save()
  await shows('amount', '15.00')
  await wrote(service, 'PATCH /line/1', { quantity: 3 })
})

test('a change is taken back without them', async () => {
  const changes = {
    quantity: { before: 1, after: 2 },
    amount: { before: '5.00', after: '10.00' },
    share: { before: '5.0000', after: '2.5000' },
  }
  const service = await open('/line/1', {
    answers: {
      'GET /line/1/history': pageOf([entryOf(1, { changes })]),
      'PATCH /line/1': withResults({ amount: '5.00' }),
    },
  })
  await button(/^Undo/).first().click()
  await shows('amount', '5.00')
  await wrote(service, 'PATCH /line/1', { quantity: 1 })
})

test('a new record does not ask for them, whatever its address says', async () => {
  const values = encodeURIComponent(JSON.stringify({ order_id: 1, amount: '99.00' }))
  const service = await open(`/line/new?values=${values}`)
  await input('Price').fill('1.5')
  expect(document.querySelector('[data-column="amount"]')).toBe(null)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect.poll(() => `${location.pathname}${location.hash}`).toBe('/console/order/1#lines')
  await wrote(service, 'POST /line', { order_id: 1, quantity: 1, price: '1.5' })
  // In the order of the definition: what comes out after what goes in.
  const heads = page.getByRole('tabpanel').getByRole('columnheader')
  await expect
    .poll(() => heads.elements().map(({ textContent }) => textContent))
    .toEqual([
      'Code',
      'Quantity',
      'Price',
      'Amount',
      'Ordered on',
      'Days',
      'Delivered on',
      'Share',
      'Remove',
    ])
})

test('another new record begins at the first field that does not come filled in', async () => {
  const values = encodeURIComponent(JSON.stringify({ order_id: 1, code: 'C-1-9' }))
  await open(`/line/new?values=${values}`)
  await page.getByRole('button', { name: 'Create and add another', exact: true }).click()
  await expect.element(input('Quantity')).toHaveFocus()
})

test('no cell of a list edits them', async () => {
  await open(`/line?c=${columns('quantity', 'amount')}`)
  await cell('10.00').dblClick()
  expect(edited.elements()).toEqual([])
  await cell('2').dblClick()
  await see(edited)
})

const calculated = 'Calculated when saved'
const marked = () =>
  [...document.querySelectorAll('[data-column]')]
    .filter(({ textContent }) => textContent.includes(calculated))
    .map((part) => part.getAttribute('data-column'))

test('what follows from input that is not saved says so, and nothing else does', async () => {
  await open('/line/1')
  await shows('amount', '10')
  expect(marked()).toEqual([])
  await input('Quantity').fill('4')
  await expect.poll(marked).toEqual(['amount', 'share'])
  expect(page.getByText(calculated).elements().length).toBe(2)
  expect(await findViolations()).toEqual([])
  // The value that is stored is no change.
  await input('Quantity').fill('2')
  await expect.poll(marked).toEqual([])
})

test('what follows through another calculated field says so too, until it is saved', async () => {
  await open('/order/1', { answers: { 'PATCH /order/1': withResults({ total_eur: '30.00' }) } })
  await input('Rate').fill('3')
  await expect.poll(marked).toEqual(['total_eur', 'vat_eur'])
  await save()
  await shows('total_eur', '30.00')
  expect(marked()).toEqual([])
})

test('a cell of a list says so while another one of its row is not saved', async () => {
  const detail = 'quantity cannot be 3 now.'
  await open(`/line?c=${columns('quantity', 'days', 'amount')}`, {
    answers: { 'PATCH /line/1': problem(400, 'record.invalid', detail) },
  })
  const mark = page.getByRole('img', { name: calculated })
  await see(cell('10.00'))
  await gone(mark)
  await cell('2').dblClick()
  await edited.fill('3')
  await press(edited, '{Enter}')
  await see(page.getByRole('gridcell', { name: '10.00' }).getByRole('img', { name: calculated }))
  expect(mark.elements().length).toBe(1)
  expect(await findViolations()).toEqual([])
  await button('Discard').click()
  await gone(mark)
})

test('changes of calculated values are one line of the history, which tells each of them', async () => {
  const entries = ['rate', 'total', 'total', 'total', 'number'].map((name, at) =>
    entryOf(9 - at, { changes: { [name]: { before: `${at}`, after: `${at + 1}.00` } } }),
  )
  await open('/order/1', { answers: { 'GET /order/1/history': pageOf(entries) } })
  const history = page.getByRole('complementary', { name: 'History' })
  const folded = history.getByText('3 changes of calculated values')
  await see(folded)
  await expect.element(history.getByText('3.00').first()).not.toBeVisible()
  expect(history.element().querySelector('ol')?.children).toHaveLength(3)
  await folded.click()
  await expect.element(history.getByText('3.00').first()).toBeVisible()
  expect(await findViolations()).toEqual([])
})
