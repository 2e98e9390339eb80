/** The page of an import: what was found in the file, its columns, faults that are corrected in place, progress and result. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { problem } from './support/answers.ts'
import {
  importProject,
  look,
  openImport,
  run,
  runAnswer,
  withFaults,
} from './support/import-answers.ts'
import { press } from './support/open-console.tsx'
import { openKept, orderList, ordersUpTo } from './support/orders.ts'
import { button, heading, link } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const csv = () => new File(['Nr;Kunde;Betrag\r\nO-1;A;1,5'], 'alt.csv', { type: 'text/csv' })

const choose = async (named = 'Choose a file') => {
  await see(button(named))
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  if (!input) throw new Error('There is no choice of a file.')
  await userEvent.upload(input, csv())
}

const target = (head: string) => page.getByRole('combobox', { name: `${head} goes to` })
const choice = (name: string) => page.getByRole('combobox', { name, exact: true })
const queryOf = (service: Awaited<ReturnType<typeof openImport>>, path: string) =>
  Object.fromEntries(service.asked.findLast((one) => one.path === path)?.query ?? [])

test('a list leads to the import of those who may; others have neither the way nor the page', async () => {
  const answers = { 'GET /api/imports': { body: { data: [] } } }
  await openKept(orderList({}), ordersUpTo(3), {
    project: importProject,
    role: 'importer',
    answers,
  })
  await link('Import').click()
  await see(heading('Import: Order'), button('Choose a file'))
  await openImport('/order/import', { role: 'reader' })
  await see(page.getByText('There is no such page.'))
})

test('a file that is dropped is looked at; each column goes to a field or is left out, and then all rows are checked', async () => {
  const service = await openImport('/order/import')
  const area = page.getByRole('group', { name: '1. File' })
  await see(area)
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(csv())
  area
    .element()
    .dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  await see(page.getByText('alt.csv'), page.getByText('Nr 1 · Nr 2'))
  expect(service.asked.findLast(({ path }) => path === '/order/import/look')?.text).toContain(
    'O-1;A;1,5',
  )
  await expect.element(choice('Encoding')).toHaveValue('windows-1252')
  await expect.element(target('Nr')).toHaveDisplayValue('Number')
  await expect.element(target('Kunde')).toHaveAccessibleDescription(/^No field is known/)
  await see(
    page.getByText('1 column is marked'),
    page.getByText('No column goes to a required field: Customer.'),
  )
  await expect.element(button('Check all rows')).toBeDisabled()
  await see(page.getByRole('cell', { name: 'zwölf must be a number' }))
  await see(page.getByRole('cell', { name: 'has 9 cells' }))
  expect(await findViolations()).toEqual([])
  await target('Kunde').selectOptions('Customer › Name')
  await see(page.getByRole('cell', { name: 'Čavao' }))
  await gone(page.getByText('No column goes to a required field'))
  await choice('Between cells').selectOptions('Tab')
  await choice('Numbers of Betrag').selectOptions('1,234.50')
  await choice('What the rows do').selectOptions('Change existing records, create the others')
  await expect.element(choice('Records are found by')).toHaveDisplayValue('Number')
  await choice('An empty cell').selectOptions('empties the field')
  await press(button('Check all rows'), '{Enter}')
  await see(page.getByText('No row has a fault.'), button('Import 5,000 rows'))
  expect(queryOf(service, '/order/import')).toEqual({
    dryRun: 'true',
    file: 'alt.csv',
    mode: 'insertOrUpdate',
    match: 'number',
    emptyCells: 'clear',
    separator: 'tab',
    columns: JSON.stringify({
      Kunde: { field: 'customer.name' },
      Betrag: { field: 'total', decimal: '.' },
    }),
  })
  expect(location.search).toBe('?run=7')
})

test('a number that the service gives is not asked of a file', async () => {
  const order = importProject['entities/order.json']
  const receipt = {
    key: 'receipt',
    name: 'Receipt',
    type: 'string',
    required: true,
    series: { format: 'R-{0000}' },
  }
  const fields = [...order.fields, receipt]
  await openImport('/order/import', {
    project: { ...importProject, 'entities/order.json': { ...order, fields } },
  })
  await choose()
  await see(page.getByText('No column goes to a required field: Customer.', { exact: true }))
})

test('a file that cannot be read says why, and another one can be chosen', async () => {
  const refusal = problem(422, 'import.unreadable', 'The file has no rows.')
  await openImport('/order/import', { answers: { 'POST /order/import/look': refusal } })
  await choose()
  await see(
    page.getByRole('alert').getByText('The file has no rows.'),
    button('Choose another file'),
  )
})

test('what the file was taken for can be corrected when it cannot be read as that', async () => {
  const unreadable = problem(422, 'import.unreadable', 'The file is no UTF-16.')
  await openImport('/order/import', {
    answers: {
      'POST /order/import/look': (asked) =>
        asked.query.get('encoding') === 'utf-16le' ? unreadable : look(asked),
    },
  })
  await choose()
  await choice('Encoding').selectOptions('UTF-16LE')
  await see(page.getByRole('alert').getByText('The file is no UTF-16. Correct above'))
  await choice('Encoding').selectOptions('UTF-8')
  await see(page.getByText('Nr 1 · Nr 2'))
})

test('an import that is saved is chosen by the heads of a file; users save their own and remove it', async () => {
  const saved = {
    key: 'old',
    name: 'Orders of the old system',
    mode: 'insertOrUpdate',
    match: ['number'],
    emptyCells: 'keep',
    heads: 3,
    found: 3,
  }
  const other = { ...saved, key: 'other', name: 'Others', found: 2 }
  const service = await openImport('/order/import', {
    answers: {
      'POST /order/import/look': (asked) => ({
        body: { ...Object(look(asked).body), imports: [other, saved] },
      }),
    },
  })
  await choose()
  await expect.element(choice('Saved import')).toHaveDisplayValue('Orders of the old system')
  await expect.element(choice('Records are found by')).toHaveDisplayValue('Number')
  await expect
    .poll(() => queryOf(service, '/order/import/look'))
    .toMatchObject({ import: 'old', mode: 'insertOrUpdate', match: 'number' })
  await target('Kunde').selectOptions('Customer › Name')
  await see(page.getByRole('cell', { name: 'Čavao' }))
  await page.getByText('Save this for the next file').click()
  await page.getByRole('textbox', { name: 'Name' }).fill(' Mine ')
  expect(await findViolations()).toEqual([])
  await press(button('Save'), '{Enter}')
  const mine = {
    name: 'Mine',
    heads: ['Nr', 'Kunde', 'Betrag'],
    kept: {
      import: 'old',
      mode: 'insertOrUpdate',
      match: ['number'],
      emptyCells: 'keep',
      columns: { Kunde: { field: 'customer.name' } },
    },
  }
  await wrote(service, 'PATCH /console/-/settings.json', { 'imports.order': [mine] })
  await see(page.getByText('Saved. It is offered'))
  await expect.element(choice('Saved import')).toHaveDisplayValue('Mine')
  await choice('Saved import').selectOptions('None')
  await expect.element(choice('What the rows do')).toHaveDisplayValue('Create new records only')
  await expect.element(target('Kunde')).toHaveAccessibleDescription(/^No field is known/)
  // The next file with these heads has it at once.
  await choose('Choose another file')
  await expect.element(choice('Saved import')).toHaveDisplayValue('Mine')
  await expect.element(target('Kunde')).toHaveDisplayValue('Customer › Name')
  await button('Remove “Mine”').click()
  await wrote(
    service,
    'PATCH /console/-/settings.json',
    { 'imports.order': [mine] },
    { 'imports.order': null },
  )
})

test('faulty cells are corrected in place, one correction for all that are alike, and checked again', async () => {
  const service = await openImport('/order/import?run=7', {
    answers: {
      'GET /api/imports/7': runAnswer(withFaults),
      'PATCH /api/imports/7/rows': { body: { ...run, state: 'checking' } },
    },
  })
  await see(page.getByRole('heading', { name: '13 rows have faults' }))
  await see(
    page.getByText('The first 4 of 13 rows are shown.'),
    page.getByText('The total is too much.'),
  )
  await gone(page.getByText('x', { exact: true }))
  const cellOf = (head: string, row: number) =>
    page.getByRole('textbox', { name: `${head}, row ${row}`, exact: true })
  await expect.element(cellOf('Kunde', 4)).toHaveAccessibleDescription('there is no customer')
  await expect.element(button('Check again')).toBeDisabled()
  await cellOf('Kunde', 4).fill('Adria')
  await page.getByRole('checkbox', { name: 'in all 12 rows like this' }).first().click()
  // The others show what they will have.
  await expect.element(cellOf('Kunde', 10)).toHaveValue('Adria')
  await cellOf('Nr', 9).fill('O-8')
  // What is wrong with a whole row is corrected in any of its cells.
  await cellOf('Kunde', 12).fill('Other')
  await cellOf('Nr', 12).fill('O-13')
  await cellOf('Nr', 12).fill('O-12')
  expect(await findViolations()).toEqual([])
  service.answer({ 'GET /api/imports/7': runAnswer(run) })
  await press(button('Check again with 3 corrections'), '{Enter}')
  await wrote(service, 'PATCH /api/imports/7/rows', {
    corrections: [
      { row: 4, column: 'Kunde', text: 'Adria', alike: true },
      { row: 9, column: 'Nr', text: 'O-8', alike: false },
      { row: 12, column: 'Kunde', text: 'Other', alike: false },
    ],
  })
  await see(page.getByText('No row has a fault.'))
})

/** A column, with the rule of its fault, and what is said of that in German. */
const explained = [
  [{ name: 'contact' }, { rule: 'required' }, 'Geben Sie einen Wert ein.'],
  [{ name: 'total', decimal: ',' }, { rule: 'malformed' }, /^Geben Sie eine Zahl .* 1250,5\.$/],
  [{ name: 'quantity' }, { rule: 'malformed' }, /^Geben Sie eine ganze Zahl .* 1250\.$/],
  [
    { name: 'sent_at', dates: 'DMY' },
    { rule: 'malformed' },
    /^Geben Sie Tag .* 31\.01\.2026 14:30/,
  ],
  [{ name: 'is_gift' }, { rule: 'malformed' }, 'Geben Sie Ja oder Nein ein.'],
  [{ name: 'status' }, { rule: 'malformed' }, 'Geben Sie Open oder Paid ein.'],
  [
    { name: 'customer_id', link: 'name' },
    { rule: 'link' },
    'Es gibt keinen solchen Datensatz, oder er ist für Sie nicht sichtbar.',
  ],
  [{ name: 'id' }, { rule: 'unmatched' }, /^Es gibt keinen solchen Datensatz/],
  [
    { name: 'number' },
    { rule: 'unique', columns: ['number', 'link'] },
    /hat diese Kombination schon: number und link\. Ändern/,
  ],
  [{ name: 'notes' }, { rule: 'unique' }, /^Ein anderer Datensatz hat diesen Wert schon/],
  [{ name: 'terms' }, { rule: 'repeated', other_row: 4 }, 'Zeile 4 hat schon dasselbe: terms.'],
  [{ name: 'category_id' }, { rule: 'leadsToFault', other_row: 5 }, /^Das führt zu Zeile 5,/],
  [{ name: 'parent_id' }, { rule: 'leadsBack' }, /^Das führt zu Zeilen, die zu dieser zurück/],
  [{ name: 'lines.place' }, { rule: 'sameRecord', other_row: 6 }, /^Sie gehört .* wie Zeile 6,/],
  [{ name: 'link' }, { rule: 'refused' }, /^Geben Sie eine vollständige Adresse ein/],
  [{ name: 'serial' }, { rule: 'refused', value: '9'.repeat(19) }, 'Die Zahl ist zu groß.'],
  [{ name: '_step' }, {}, 'as the service says'],
] as const

test('what is wrong with cells is said in the language of the user, with examples as the file has them', async () => {
  const heads = explained.map(([{ name }]) => name)
  const faults = explained.map(([{ name: column }, fault]) => ({
    column,
    message: 'as the service says',
    alike: 1,
    ...fault,
  }))
  const total = { ...faults[1], rule: 'refused', value: '1.234' }
  const lacking = { column: 'approver_id', message: 'is required', alike: 1, rule: 'required' }
  const data = [
    { row: 2, cells: heads.map(() => 'x'), faults },
    { row: 3, cells: heads.map(() => '1,234'), faults: [total, lacking] },
  ]
  await openImport('/order/import?run=7', {
    locale: 'de-DE',
    answers: {
      'GET /api/imports/7': runAnswer({
        ...withFaults,
        columns: explained.map(([column]) => ({ ...column, head: column.name })),
      }),
      'GET /api/imports/7/rows': { body: { heads, data, next: null } },
    },
  })
  const cellOf = (head: string, row: number) =>
    page.getByRole('textbox', { name: `${head}, Zeile ${row}`, exact: true })
  for (const [{ name }, , said] of explained)
    await expect.element(cellOf(name, 2)).toHaveAccessibleDescription(said)
  const decimals = 'Geben Sie höchstens 2 Stellen nach dem Komma ein.'
  await expect.element(cellOf('total', 3)).toHaveAccessibleDescription(decimals)
  await see(page.getByText('Keine Spalte wird zu einem Pflichtfeld: Approver.'))
})

test('the rows without a fault are imported, with progress; it is stopped, goes on, and leads to its records', async () => {
  let now: object = withFaults
  const begun = { ...withFaults, done_rows: 2500 }
  // The page asks for the run while the service works on it, so that the answer is what the run is by then.
  const becomes = (state: object) => () => {
    now = state
    return { body: now }
  }
  const service = await openImport('/order/import?run=7', {
    answers: {
      'GET /api/imports/7': () => runAnswer(now),
      'POST /api/imports/7/start': becomes({ ...begun, state: 'writing' }),
      'POST /api/imports/7/stop': becomes({ ...begun, state: 'stopped', error: null }),
      'PATCH /api/imports/7/rows': becomes({ ...withFaults, state: 'checking', check_step: 3 }),
    },
  })
  await see(button('Import 4,987 rows without a fault'))
  await expect
    .element(link('Save the rows with faults'))
    .toHaveAttribute('href', '/api/imports/7/faults')
  await press(button('Import 4,987 rows without a fault'), '{Enter}')
  await see(page.getByText('2,500 of 5,000 rows are imported.'), page.getByRole('progressbar'))
  expect(queryOf(service, '/api/imports/7/start')).toEqual({ allOrNothing: 'false' })
  await button('Stop').click()
  await see(page.getByText('The import is stopped.'))
  service.answer({
    'POST /api/imports/7/start': becomes({ ...withFaults, state: 'done', done_rows: 5000 }),
  })
  await button('Go on').click()
  await see(page.getByText('13 rows with faults were not imported.'))
  await expect
    .element(link('Show these records'))
    .toHaveAttribute('href', expect.stringContaining('_created_by'))
  // A link that looks like a button is as dark as one.
  const [one, other] = [link('Show these records'), button('Import another file')]
  expect(getComputedStyle(one.element()).color).toBe(getComputedStyle(other.element()).color)
  expect(sent(service, 'POST /api/imports/7/start')).toHaveLength(2)
  expect(await findViolations()).toEqual([])
  await page.getByRole('textbox', { name: 'Nr, row 9', exact: true }).fill('O-8')
  await button('Check again with 1 correction').click()
  await see(page.getByText('Checking the rows: step 3 of 8'), page.getByRole('progressbar'))
  await button('Stop').click()
  await see(button('Go on'))
})

test('a file that is still being read is left for another one, and its import is removed', async () => {
  const service = await openImport('/order/import?run=7', {
    answers: {
      'GET /api/imports/7': () => runAnswer({ ...run, state: 'reading', faulty: 0, done_rows: 0 }),
      'DELETE /api/imports/7': { status: 204 },
    },
  })
  await button('Change the file or its columns').click()
  await see(button('Choose a file'))
  expect(sent(service, 'DELETE /api/imports/7')).toHaveLength(1)
})

test('a whole import is undone after its plan is shown; what was changed since stays, with the reason', async () => {
  const done = { ...run, state: 'done', done_rows: 5000, created: 4000, changed: 1000 }
  const plan = { removed: 4000, taken_back: 999, kept: 1, records: [{ id: 12, reason: null }] }
  const service = await openImport('/order/import?run=7', {
    answers: {
      'GET /api/imports/7': runAnswer(done),
      'GET /api/imports/7/undo': { body: plan },
      'POST /api/imports/7/undo': { status: 202, body: { ...done, state: 'undoing' } },
    },
  })
  await press(button('Undo this import'), '{Enter}')
  await see(page.getByText('4,000 records that it created are removed.'))
  await see(page.getByText('999 records that it changed get back what they had.'), link('Order 12'))
  await button('Cancel').click()
  await button('Undo this import').click()
  expect(await findViolations()).toEqual([])
  service.answer({ 'GET /api/imports/7': runAnswer({ ...done, state: 'undoing' }) })
  await button('Undo 4,999 records').click()
  await see(page.getByText('Undoing: 4,999 records are left.'))
  const left = {
    removed: 0,
    taken_back: 0,
    kept: 1,
    records: [{ id: 12, reason: 'It was changed since.' }],
  }
  service.answer({
    'GET /api/imports/7': runAnswer({ ...done, state: 'undone' }),
    'GET /api/imports/7/undo': { body: left },
  })
  await see(page.getByText('The import is undone.'), page.getByText('It was changed since.'))
  await gone(button('Undo'))
  await gone(link('Show these records'))
})

test('on a phone, in German, faults are cards; the own imports lead back to their runs', async () => {
  const other = { ...run, id: 8, entity: 'customer', file_name: 'fremd.csv' }
  const service = await openImport('/order/import?run=7', {
    locale: 'de-DE',
    viewport: { width: 390, height: 800 },
    answers: {
      'GET /api/imports/7': runAnswer(withFaults),
      'GET /api/imports': { body: { data: [{ ...run, id: 9, file_name: 'neu.xlsx' }, other] } },
      'DELETE /api/imports/7': { status: 204 },
    },
  })
  await see(page.getByRole('heading', { name: '13 Zeilen haben Fehler' }))
  await see(link('Den Import von neu.xlsx öffnen'))
  await gone(link('fremd.csv'))
  expect(document.documentElement.scrollWidth).toBe(390)
  expect(await findViolations()).toEqual([])
  await button('Datei oder Spalten ändern').click()
  await see(button('Datei wählen'))
  expect(sent(service, 'DELETE /api/imports/7')).toHaveLength(1)
})
