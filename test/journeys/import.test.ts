/** Old records of a spreadsheet come in through the console, by what the page says alone. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage } from '../support/browser.ts'
import { entityFile, link } from '../support/definitions/files.ts'
import { startTestService } from '../support/service.ts'
import { startTestWorker } from '../support/worker.ts'

const project = {
  'docket.json': { name: 'Shop', locale: 'en', timeZone: 'Europe/Zagreb' },
  ...entityFile('supplier', { name: 'Supplier', displayField: 'name' }, [
    { key: 'code', name: 'Code', type: 'string', required: true, unique: true },
    { key: 'name', name: 'Name', type: 'string', required: true },
  ]),
  ...entityFile('delivery', { name: 'Delivery', displayField: 'number' }, [
    { key: 'number', name: 'Number', type: 'string', required: true, unique: true },
    { ...link('supplier'), name: 'Supplier', required: true },
    { key: 'delivered_on', name: 'Delivered on', type: 'date' },
    { key: 'amount', name: 'Amount', type: 'decimal', precision: 12, scale: 2 },
    { key: 'state', name: 'State', type: 'enum', values: ['open', 'paid'] },
    { key: 'notes', name: 'Notes', type: 'text' },
  ]),
}

const service = opened(() => startTestService(project))
before(async () => {
  await startTestWorker(service)
  await service.database.pool.query(
    `INSERT INTO records.supplier (code, name, _created_by, _updated_by)
     SELECT 'S-' || n, 'Müller & Söhne ' || n, 1, 1 FROM generate_series(1, 20) n`,
  )
})

const records = 5_000

/** A row of the spreadsheet, which counts its head as row 1. */
const rowOf = (row: number): string => {
  const cells = {
    number: `L-${row}`,
    supplier: row % 400 === 0 ? 'Mueller' : `S-${(row % 20) + 1}`,
    day: `${String((row % 28) + 1).padStart(2, '0')}.03.2026`,
    amount: `${row % 9}.${String(row % 1000).padStart(3, '0')},5${row % 10}`,
    state: row % 2 === 0 ? 'open' : 'Paid',
    notes: row % 5 === 0 ? '"Straße; Süd"' : '',
    ...wrong[row],
  }
  return `${Object.values(cells).join(';')};x`
}

const wrong: Readonly<Record<number, object>> = {
  17: { day: '31.02.2026' },
  1003: { amount: '12,5 m' },
  2500: { number: 'L-2499' },
  3001: { number: '' },
  4999: { state: 'offen' },
}

const spreadsheet = (): Buffer => {
  const heads = 'Number;Lieferant;Delivered on;Amount;State;Bemerkung;Alt'
  const rows = Array.from({ length: records }, (_, at) => rowOf(at + 2))
  return Buffer.from([heads, ...rows].join('\r\n'), 'latin1')
}

test('5,000 old records with faults are imported by somebody who reads nothing but the page', async () => {
  const { page, reports } = await openPage(service, '/console/delivery')
  const main = page.getByRole('main')
  await main.getByRole('link', { name: 'Import' }).click()
  const file = { name: 'Lieferungen 2026.csv', mimeType: 'text/csv', buffer: spreadsheet() }
  await main.getByRole('button', { name: 'Choose a file' }).waitFor()
  await main.locator('input[type=file]').setInputFiles(file)
  const target = (head: string) => main.getByLabel(`${head} goes to`)
  await target('Lieferant').selectOption({ label: 'Supplier › Code' })
  await target('Bemerkung').selectOption({ label: 'Notes' })
  await target('Alt').selectOption({ label: 'Leave out' })
  await main.getByRole('cell', { name: '2,002.52' }).waitFor()
  await main.getByRole('cell', { name: 'Straße; Süd' }).first().waitFor()
  await main.getByRole('button', { name: 'Check all rows' }).click()
  await main.getByRole('heading', { name: '17 rows have faults' }).waitFor()
  assert.deepEqual(await findViolations(page), [])
  const cell = (head: string, row: number) =>
    main.getByLabel(`${head}, row ${row}`, { exact: true })
  await cell('Delivered on', 17).fill('28.02.2026')
  await cell('Lieferant', 400).fill('S-7')
  await cell('Lieferant', 400).locator('..').getByLabel('in all 12 rows like this').check()
  await cell('Amount', 1003).fill('12,50')
  await cell('Number', 2500).fill('L-2500')
  await cell('Number', 3001).fill('L-3001')
  await main.getByRole('button', { name: 'Check again with 5 corrections' }).click()
  await main.getByRole('heading', { name: '1 row has a fault' }).waitFor()
  // Found again after a reload.
  await page.reload()
  await cell('State', 4999).fill('open')
  await cell('State', 4999).press('Enter')
  await main.getByText('No row has a fault.').waitFor()
  await main.getByRole('button', { name: 'Import 5,000 rows' }).click()
  await main.getByText('The import is done.').waitFor()
  await main.getByRole('link', { name: 'Show these records' }).click()
  await main.getByText('5,000 records').first().waitFor()
  const { rows } = await service.database.pool.query(
    `SELECT d.number, s.code, d.delivered_on::text, d.amount, d.state, d.notes
     FROM records.delivery d JOIN records.supplier s ON s.id = d.supplier_id
     WHERE d.number IN ('L-17', 'L-400', 'L-800', 'L-1003', 'L-2500', 'L-3001', 'L-4999') ORDER BY d.id`,
  )
  assert.deepEqual(
    rows.map((row) => Object.values(row).join('|')),
    [
      'L-17|S-18|2026-02-28|8017.57|paid|',
      'L-400|S-7|2026-03-09|4400.50|open|Straße; Süd',
      'L-800|S-7|2026-03-17|8800.50|open|Straße; Süd',
      'L-1003|S-4|2026-03-24|12.50|paid|',
      'L-2500|S-1|2026-03-09|7500.50|open|Straße; Süd',
      'L-3001|S-2|2026-03-06|4001.51|paid|',
      'L-4999|S-20|2026-03-16|4999.59|open|',
    ],
  )
  await page.goBack()
  await main.getByRole('button', { name: 'Undo this import' }).click()
  await main.getByText('5,000 records that it created are removed.').waitFor()
  await main.getByRole('button', { name: 'Undo 5,000 records' }).waitFor()
  assert.deepEqual(reports, [])
})
