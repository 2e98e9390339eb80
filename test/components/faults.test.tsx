/** What is wrong with a form is said where it is entered: when a field is left, and for all fields at once before anything is sent. */
import { expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { problem } from './support/answers.ts'
import { type Opening, openConsole } from './support/open-console.tsx'
import { focus, gone, see, sent, wrote } from './support/record-form.ts'

const fields = [
  {
    key: 'code',
    type: 'string',
    required: true,
    pattern: '[A-Z]{2}-\\d{3}',
    message: 'Like AB-123.',
  },
  { key: 'plate', type: 'string', pattern: '[A-Z]{2}(?:-\\d+)?' },
  { key: 'short', type: 'text', maxLength: 5 },
  { key: 'mail', type: 'email' },
  { key: 'site', type: 'url' },
  { key: 'call', type: 'url', schemes: ['tel'] },
  { key: 'line', type: 'phone' },
  { key: 'year', type: 'integer', min: 1900, max: 2100, grouping: false },
  { key: 'count', type: 'integer' },
  { key: 'price', type: 'decimal', precision: 6, scale: 2, min: '0.50' },
  { key: 'day', type: 'date', min: '2020-01-01', max: '2030-12-31' },
].map((field) => ({ ...field, name: field.key }))

const project = {
  'docket.json': { name: 'Shop', locale: 'en-GB' },
  'entities/item.json': {
    key: 'item',
    name: 'Item',
    displayField: 'code',
    fields,
    validations: [
      { key: 'cheap', condition: { price: { $lte: '100' } }, message: 'Too expensive.' },
    ],
  },
  'translations/de.json': {
    entities: {
      item: {
        fields: { code: { message: 'Wie AB-123.' } },
        validations: { cheap: 'Zu teuer.' },
      },
    },
  },
}
const item = { id: 1, code: 'AB-001', mail: 'nobody@example.com' }

const open = (path: string, options: Opening = {}) =>
  openConsole(path, { project, records: { item: [item] }, ...options })

// The mark of what is required is a part of its label.
const input = (label: string) =>
  label === 'code'
    ? page.getByRole('textbox', { name: label, exact: true })
    : page.getByLabelText(label, { exact: true })

/** Enters a text and leaves the field by a key. */
const enter = async (label: string, text: string) => {
  await input(label).fill(text)
  await focus(input(label))
  await userEvent.keyboard('{Tab}')
}

/** A field, a wrong value, what is said of it, and a right one. */
const rows = [
  ['code', 'ab-1', 'Like AB-123.', 'AB-123'],
  ['plate', 'x', 'This does not have the required form.', 'ZG-1'],
  ['mail', 'anna', 'Enter an e-mail address, such as anna@example.com.', 'a@example.com'],
  ['site', 'example', 'Enter a full address, such as https://www.example.com/page.', 'http://a.hr'],
  ['call', 'https://a.hr', 'Enter a full address, such as tel:example.', 'tel:+385'],
  [
    'line',
    '112',
    'Enter a telephone number with its country and without an extension, such as +385 1 2345 678.',
    '020 7946 0018',
  ],
  ['year', '1899', 'Enter 1900 or more.', '1900'],
  ['year', '2101', 'Enter 2100 or less.', '2100'],
  ['count', '99999999999', 'The number is too large.', '7'],
  ['price', '12345.5', 'Enter at most 4 digits before the decimal mark.', '12.50'],
  ['price', '0.2', 'Enter 0.50 or more.', '0.50'],
  ['day', '31 Dec 2019', 'Enter 1 Jan 2020 or a later day.', '1 Jan 2020'],
  ['day', '1 Jan 2031', 'Enter 31 Dec 2030 or an earlier day.', '31 Dec 2030'],
] as const

test('what is wrong is said when the field is left, not before, and goes when it is mended', async () => {
  const service = await open('/item/new')
  for (const [label, wrong, said, right] of rows) {
    await input(label).fill(wrong)
    expect(page.getByText(said).elements(), label).toEqual([])
    await userEvent.keyboard('{Tab}')
    await see(page.getByText(said, { exact: true }))
    await expect.element(input(label)).toHaveAttribute('aria-invalid', 'true')
    await enter(label, right)
    await gone(page.getByText(said, { exact: true }))
  }
  expect(sent(service, 'POST /item')).toEqual([])
})

test('a user who passes by an empty field is told nothing', async () => {
  await open('/item/new')
  await focus(input('code'))
  for (const _field of fields) await userEvent.keyboard('{Tab}')
  expect(page.getByRole('alert').elements()).toEqual([])
})

test('all faults are said at once before a record is created: missing, unread, and against the rules', async () => {
  const service = await open('/item/new', { viewport: { width: 1024, height: 420 } })
  await input('mail').fill('anna')
  await input('price').fill('ten')
  await input('year').fill('3000')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await see(page.getByText('4 fields need your attention:'), page.getByText('Enter a value.'))
  await see(page.getByText('Enter 2100 or less.'))
  expect(document.activeElement).toBe(input('code').element())
  // The bar, which leads to each of them, covers none.
  await page.getByRole('button', { name: 'year' }).click()
  expect(document.activeElement).toBe(input('year').element())
  const edges = (part: Locator) => part.element().getBoundingClientRect()
  const bar = page.getByText('4 fields need your attention:')
  expect(edges(input('year')).bottom).toBeLessThan(edges(bar).top)
  expect(sent(service, 'POST /item')).toEqual([])
})

test('a record that is changed is asked about its changes alone', async () => {
  const service = await open('/item/1')
  await input('short').fill('abc')
  await input('code').fill('')
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(page.getByText('Enter a value.'))
  await input('code').fill('AB-1')
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(page.getByText('Like AB-123.'))
  expect(sent(service, 'PATCH /item/1')).toEqual([])
  await input('code').fill('AB-100')
  await userEvent.keyboard('{Control>}s{/Control}')
  await wrote(service, 'PATCH /item/1', { short: 'abc', code: 'AB-100' })
})

test('messages of definitions are read in the language of the user', async () => {
  await open('/item/new', { locale: 'de-DE' })
  await enter('code', 'x')
  await see(page.getByText('Wie AB-123.', { exact: true }))
})

test('a cell says what is wrong before it is saved', async () => {
  const service = await open('/item')
  const cell = page.getByRole('gridcell', { name: 'nobody@example.com' })
  await cell.dblClick()
  await page.getByRole('textbox', { name: /mail/ }).fill('somebody')
  await userEvent.keyboard('{Enter}')
  await see(page.getByText('Enter an e-mail address, such as anna@example.com.'))
  expect(sent(service, 'PATCH /item/1')).toEqual([])
})

test('values that another record has together are said once, with all their fields', async () => {
  const combination = ['year', 'count']
  const errors = [{ path: 'count', message: 'is already used', combination }]
  await open('/item/1', {
    answers: { 'PATCH /item/1': problem(409, 'record.conflict', 'count', { errors }) },
  })
  await input('year').fill('1999')
  await input('count').fill('7')
  await userEvent.keyboard('{Control>}s{/Control}')
  const said = 'Another record has this combination of year and count already. Change one of them.'
  await see(page.getByText(said))
  expect(page.getByText(said).elements()).toHaveLength(1)
  await see(page.getByText('1 field needs your attention:'))
  await input('year').fill('2000')
  await gone(page.getByText(said))
})

test('faults of several kinds are each told in the language of the user', async () => {
  const errors = [
    { path: 'count', message: 'another item has the same value', code: 'record.conflict' },
    { path: '', message: 'Too expensive.', validation: 'cheap' },
  ]
  await open('/item/1', {
    locale: 'de-DE',
    answers: { 'PATCH /item/1': problem(422, 'record.invalid', '2 issues.', { errors }) },
  })
  await input('count').fill('7')
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(page.getByText('Ein anderer Datensatz hat diesen Wert schon'))
  await see(page.getByRole('alert').getByText('Zu teuer.'))
  await gone(page.getByText('another item'))
  await gone(page.getByText('2 issues.'))
})
