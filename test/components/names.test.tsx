/** People see the names of the definition, in their language; the service gets the keys. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { namedRole } from '../support/definitions/files.ts'
import { pageOf, problem } from './support/answers.ts'
import { listedWhere } from './support/filters.ts'
import { entryOf, finds } from './support/given.ts'
import { addressed, openConsole, press } from './support/open-console.tsx'
import { button, option } from './support/parts.ts'
import { gone, input, save, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = {
  'docket.json': { name: 'Shop', locale: 'en' },
  'entities/supplier.json': {
    key: 'supplier',
    name: 'Supplier',
    pluralName: 'Suppliers',
    displayField: 'name',
    fields: [
      { key: 'name', name: 'Name', type: 'string', required: true },
      { key: 'currency', name: 'Currency', type: 'string' },
    ],
  },
  'entities/order.json': {
    key: 'order',
    name: 'Order',
    pluralName: 'Orders',
    displayField: 'number',
    fields: [
      { key: 'number', name: 'Number', type: 'string', required: true },
      {
        key: 'status',
        name: 'Status',
        type: 'enum',
        values: [
          { value: 'open', name: 'Not paid yet' },
          { value: 'paid', name: 'Settled' },
          'lost',
        ],
      },
      { key: 'supplier', name: 'Supplier', type: 'manyToOne', entity: 'supplier' },
      {
        key: 'total',
        name: 'Total',
        type: 'decimal',
        precision: 12,
        scale: 2,
        unit: { field: 'supplier.currency' },
      },
    ],
    validations: [
      {
        key: 'paid_in_euros',
        message: 'Only suppliers in euros.',
        field: 'supplier',
        condition: { 'supplier.currency': 'EUR' },
      },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        {
          key: 'draft',
          name: 'Draft',
          actions: [{ key: 'approve', name: 'Approve', kind: 'approveWorkflow', to: 'approved' }],
        },
        { key: 'approved', name: 'Approved', final: true },
      ],
    },
  },
  ...namedRole('Buyer', {
    order: { read: true, actions: ['approve'] },
    supplier: { read: true },
  }),
  'translations/de.json': {
    entities: {
      supplier: { name: 'Lieferant', pluralName: 'Lieferanten' },
      order: {
        name: 'Bestellung',
        pluralName: 'Bestellungen',
        fields: {
          number: { name: 'Nummer' },
          supplier: { name: 'Lieferant' },
          status: { name: 'Zahlung', values: { open: 'Offen' } },
        },
        steps: { draft: 'Entwurf', approved: 'Genehmigt' },
        validations: { paid_in_euros: 'Nur Lieferanten in Euro.' },
        actions: { approve: 'Genehmigen' },
      },
    },
    roles: { buyer: { name: 'Einkauf' } },
  },
  'translations/hr.json': { entities: { supplier: { pluralName: 'Dobavljači' } } },
}
const records = {
  order: ['open', 'paid', 'lost', null].map((status, at) => ({
    id: at + 1,
    number: `O-${at + 1}`,
    status,
    supplier_id: 1,
  })),
  supplier: [{ id: 1, name: 'Adria Metal' }],
}

const open = (path: string, options: object = {}) =>
  openConsole(path, { project, records, ...options })
const filtered = (where: object) => `/order?w=${encodeURIComponent(JSON.stringify(where))}`
const cell = (name: string) => page.getByRole('gridcell', { name, exact: true }).first()
const head = (name: string) => page.getByRole('columnheader', { name }).first()

test('a validation that a record does not meet is told at its field, in the language of the page', async () => {
  const issue = { message: 'Only suppliers in euros.', validation: 'paid_in_euros' }
  const errors = [
    { ...issue, path: 'supplier_id' },
    { ...issue, path: '', message: 'The second.' },
  ]
  await open('/order/1', {
    locale: 'de-DE',
    answers: { 'PATCH /order/1': problem(422, 'record.invalid', '2 issues.', { errors }) },
  })
  await page.getByRole('textbox', { name: 'Nummer' }).fill('O-9')
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(page.getByText('Nur Lieferanten in Euro.').first())
})

describe('choices', () => {
  test('of a link match what a validation demands of the linked record, also by words', async () => {
    const service = await open('/order/1')
    const supplier = page.getByRole('combobox', { name: 'Supplier' })
    const asked = () => sent(service, 'POST /supplier/search').map((body) => body as object)
    await supplier.click()
    await expect
      .poll(asked)
      .toContainEqual(expect.objectContaining({ $where: { $and: [{ currency: 'EUR' }] } }))
    await supplier.fill('adria')
    await expect
      .poll(asked)
      .toContainEqual(
        expect.objectContaining({ $search: 'adria', $where: { $and: [{ currency: 'EUR' }] } }),
      )
  })

  test('have their names in lists and filters', async () => {
    const service = await open(filtered({ status: ['open', 'lost'] }))
    await see(cell('Not paid yet'), cell('Lost'))
    const chip = button(/Change the filter Status .*Not paid yet.*Lost/)
    await press(chip, '{Enter}')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Settled' }).click()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    const $where = { status: { $in: ['open', 'lost', 'paid'] } }
    await expect.poll(() => addressed('w')).toEqual($where)
    await expect.poll(() => listedWhere(service)).toEqual($where)
    expect(await findViolations()).toEqual([])
  })

  test('are changed by name, and the history says the names', async () => {
    const changes = { status: { before: 'open', after: 'paid' } }
    const service = await open('/order/1', {
      answers: { 'GET /order/1/history': pageOf([entryOf(1, { changes })]) },
    })
    const options = input('Status').getByRole('option')
    await expect
      .poll(() => options.elements().map(({ textContent }) => textContent))
      .toEqual(['', 'Not paid yet', 'Settled', 'Lost'])
    await input('Status').selectOptions('Settled')
    await save()
    await wrote(service, 'PATCH /order/1', { status: 'paid' })
    const history = page.getByRole('complementary', { name: 'History' })
    await see(history.getByText('Settled'), history.getByText('Not paid yet'))
  })
})

describe('the words of the definitions in the language of the user', () => {
  test('stand in a list, its heads, choices, steps and filters', async () => {
    await open(filtered({ status: 'open', _step: ['draft'] }), {
      locale: 'de-DE',
      viewport: { width: 2000, height: 800 },
    })
    await see(page.getByRole('heading', { level: 1, name: 'Bestellungen', exact: true }))
    for (const name of ['Nummer', 'Lieferant', 'Zahlung', 'Schritt']) await see(head(name))
    for (const name of ['Offen', 'Entwurf']) await see(cell(name))
    await see(button(/ändern: Zahlung .*Offen/), button(/ändern: Schritt .*Entwurf/))
    await see(page.getByRole('link', { name: 'Lieferanten', exact: true }))
    expect(await findViolations()).toEqual([])
  })

  test('stand on a record, its fields, steps, actions and history, next to the role of the user', async () => {
    const kind = 'approveWorkflow' as const
    const action = { key: 'approve', kind, from: 'draft', to: 'approved' }
    await open('/order/1', {
      locale: 'de-DE',
      role: 'buyer',
      answers: {
        'GET /order/1/history': pageOf([entryOf(1, { operation: 'approveWorkflow', action })]),
      },
    })
    await see(page.getByText('Zahlung').first(), button('Genehmigen').first())
    const history = page.getByRole('complementary', { name: 'Verlauf' })
    await see(history.getByText('Entwurf → Genehmigt').first(), button(/Einkauf/).first())
    expect(await findViolations()).toEqual([])
  })

  test('stand in the definition of an entity, with the unit of a field', async () => {
    await open('/-/admin/definitions/order', { locale: 'de-DE' })
    await see(page.getByText('Einheit: supplier.currency').first())
    await see(page.getByText('Verweis auf Entität Lieferant').first())
    expect(await findViolations()).toEqual([])
  })

  test('are found by the palette', async () => {
    await open('/order', {
      locale: 'hr-HR',
      answers: { 'GET /api/search': finds() },
    })
    await see(page.getByRole('grid'))
    await userEvent.keyboard('{Control>}k{/Control}')
    await page.getByRole('combobox').fill('dobav')
    await option('Dobavljači').click()
    await see(page.getByRole('heading', { level: 1, name: 'Dobavljači', exact: true }))
    await gone(page.getByRole('combobox'))
  })
})
