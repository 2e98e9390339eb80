/** Numbers and other exact values in inputs, cells and filters: read as people write them, stored digit by digit, never guessed. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { parseExact } from '../../console/api/exact-json.ts'
import { readDraftNames } from '../../console/api/own/drafts.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { exporting } from '../support/definitions/files.ts'
import { pageOf } from './support/answers.ts'
import { openOrders } from './support/filters.ts'
import { bulkWithout, entryOf } from './support/given.ts'
import { openConsole, press } from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { button, dialogOf } from './support/parts.ts'
import { focus, gone, input, save, see, sent, unsaved, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

type Values = Readonly<Record<string, unknown>>

const openOrder = (values: Values, options: object = {}) =>
  openConsole('/order/1', {
    project: orderProject,
    records: {
      order: [{ id: 1, number: 'E-1', customer_id: 1, ...values }],
      customer: adria,
    },
    ...options,
  })

const saved = 'PATCH /order/1'

// As texts of JSON, so that no number passes through JavaScript on its way.
const exact = [
  String.raw`{"total": "999999999999.99", "serial": "9223372036854775807", "sent_at": "2026-10-25T01:30:00.001Z",
    "terms": {"id": 12345678901234567890, "rate": 1.0, "tiny": 1.50e-30}, "notes": "One\r\nTwo\r\n"}`,
  String.raw`{"total": "-0.01", "serial": "-9007199254740993", "sent_at": "2026-10-25T00:30:00.999Z",
    "terms": [1e400, -0, "\u2028"], "notes": " leading and trailing "}`,
  String.raw`{"total": "0.10", "serial": 0, "sent_at": "0033-04-03T15:00:00.000Z",
    "terms": "text", "notes": "<b>\"&amp;'\u202e עברית\u200f 𝄞"}`,
].map((text) => parseExact(text) as Values)

describe('values that browsers like to change', () => {
  test.each(exact.entries().toArray())(
    'record %i: none is sent when another field is saved; one that is changed and put back is no change',
    async (_at, values) => {
      const service = await openOrder(values, { settings: { timeZone: 'Pacific/Apia' } })
      for (const [label, other] of [
        ['Total', '1'],
        ['Serial number', '1'],
        ['Sent at', '2026-01-01T00:00:00.000'],
        ['Terms', '{}'],
        ['Notes', 'x'],
      ] as const) {
        await see(input(label))
        const { value } = input(label).element() as HTMLInputElement
        await input(label).fill(other)
        await see(unsaved())
        await input(label).fill(value)
        await userEvent.tab()
        await gone(unsaved())
      }
      await input('Quantity').fill('7')
      await save()
      await wrote(service, saved, { quantity: 7 })
    },
  )

  test('what is typed keeps every digit until the page is opened again', async () => {
    await openOrder(exact[0] ?? {})
    await input('Terms').fill('{ "id": 98765432109876543210 }')
    await see(unsaved())
    await expect.poll(() => readDraftNames(1)).toHaveLength(1)
    await cleanup()
    await openOrder(exact[0] ?? {})
    await see(page.getByText('Restored:'))
    await expect.element(input('Terms')).toHaveValue('{\n  "id": 98765432109876543210\n}')
  })

  test('an amount is read with its groups and typed without them, and what is typed takes its place', async () => {
    const service = await openOrder({ total: '-999999999999.90' })
    await expect.element(input('Total')).toHaveValue('-999,999,999,999.90')
    await press(input('Status'), '{Shift>}{Tab}{/Shift}')
    await expect.element(input('Total')).toHaveFocus()
    await expect.element(input('Total')).toHaveValue('-999999999999.90')
    await userEvent.keyboard('12300.5')
    await userEvent.tab()
    await expect.element(input('Total')).toHaveValue('12,300.5')
    await save()
    await wrote(service, saved, { total: '12300.5' })
  })
})

const meant =
  '12.000 has 3 decimals; this field takes at most 2. Enter 12,000 for 12000 or 12.00 for 12.'

describe('a number with more decimals than its field', () => {
  test('is not saved on the page of a record until it says what is meant', async () => {
    const service = await openOrder({ total: '1.50' })
    await input('Total').fill('12.000')
    await press(input('Total'), '{Enter}')
    await see(page.getByRole('alert').getByText(meant))
    await expect.element(input('Total')).toHaveFocus()
    expect(await findViolations()).toEqual([])
    expect(sent(service, saved)).toEqual([])
    await input('Total').fill('12,000')
    await press(input('Total'), '{Enter}')
    await wrote(service, saved, { total: '12000' })
  })

  test('is not saved in a cell, nor in a change of several records', async () => {
    const order = [13, 14].map((id) => ({
      id,
      number: `O-${id}`,
      total: `${id}.50`,
      customer_id: 1,
      _version: 1,
    }))
    const answers = {
      'POST /order/actions': { body: { data: [] } },
      'POST /order/bulk': bulkWithout(),
    }
    const service = await openOrders({ records: { order }, answers })
    await page.getByRole('gridcell', { name: '13.50' }).dblClick()
    const edited = page.getByLabelText('Total of O-13')
    await edited.fill('12.000')
    await press(edited, '{Enter}')
    await see(page.getByRole('alert').getByText(meant))
    await press(edited, '{Escape}')
    await see(page.getByRole('gridcell', { name: '13.50' }))
    expect(sent(service, 'PATCH /order/13')).toEqual([])
    for (const { number } of order)
      await page.getByRole('checkbox', { name: `Select ${number}`, exact: true }).click()
    await button('Change a field …').click()
    const dialog = dialogOf('Change a field')
    await dialog.getByLabelText('Field').selectOptions('Total')
    const total = dialog.getByLabelText('Total', { exact: true })
    await total.fill('12.000')
    await press(total, '{Enter}')
    await see(dialog.getByRole('alert').getByText(meant))
    expect(sent(service, 'POST /order/bulk')).toEqual([])
    await total.fill('12.00')
    await press(total, '{Enter}')
    await see(dialog.getByText('Possible for 2 records.'))
    await expect
      .poll(() => sent(service, 'POST /order/bulk'))
      .toMatchObject([{ do: { change: { total: '12.00' } }, dryRun: true }])
  })
})

describe('zeros at the end of a number', () => {
  const decimal = (key: string, name: string, scale: number, unit?: string) => ({
    key,
    name,
    type: 'decimal',
    precision: 18,
    scale,
    ...(unit !== undefined && { unit }),
  })
  const project = {
    'docket.json': { name: 'Prices', locale: 'en' },
    'entities/price.json': {
      key: 'price',
      name: 'Price',
      displayField: 'code',
      fields: [
        { key: 'code', name: 'Code', type: 'string', required: true },
        decimal('rate', 'Rate', 8),
        decimal('weight', 'Weight', 3, 'kg'),
        decimal('discount', 'Discount', 2, '%'),
        decimal('piece', 'Price of a piece', 4, 'EUR'),
        decimal('total', 'Total', 2),
        { key: 'remark', name: 'Remark', type: 'string' },
      ],
      exportSettings: exporting('code', 'rate', 'weight', 'discount', 'piece', 'total'),
    },
  }
  const price = {
    id: 1,
    code: 'P-1',
    rate: '1.00000000',
    weight: '10.500',
    discount: '5.00',
    piece: '12.5000',
    total: '7.00',
  }
  const open = (path: string, options: object = {}) =>
    openConsole(path, { project, records: { price: [price] }, ...options })

  test('are shown of amounts alone, in lists and in inputs', async () => {
    await open('/price', { locale: 'de-DE' })
    for (const name of ['1', '10,5 kg', '5 %', '12,50 EUR', '7,00'])
      await see(page.getByRole('gridcell', { name, exact: true }))
    await cleanup()
    await open('/price/1', { locale: 'de-DE' })
    for (const [label, shown] of [
      ['Rate', '1'],
      ['Weight', '10,5'],
      ['Discount', '5'],
      ['Price of a piece', '12,50'],
      ['Total', '7,00'],
    ] as const)
      await expect.element(input(label)).toHaveValue(shown)
    await focus(input('Rate'))
    await expect.element(input('Rate')).toHaveValue('1')
  })

  test('are no change when they are not typed, and saving sends no other number', async () => {
    const service = await open('/price/1')
    await input('Rate').fill('1.25')
    await see(unsaved())
    await input('Rate').fill('1')
    await gone(unsaved())
    await input('Weight').fill('10.50')
    await input('Remark').fill('Checked')
    await see(unsaved())
    await save()
    await wrote(service, 'PATCH /price/1', { remark: 'Checked' })
  })

  test('are left out in the history', async () => {
    const changes = {
      rate: { before: '1.00000000', after: '1.17240000' },
      weight: { before: '10.500', after: '12.000' },
    }
    const history = pageOf([entryOf(1, { changes })])
    await open('/price/1', { answers: { 'GET /price/1/history': history } })
    await see(page.getByText('Rate: 1 1.1724', { exact: true }))
    await see(page.getByText('Weight: 10.5 kg 12 kg', { exact: true }))
  })
})
