/** Exports of the console: what it asks for, and how it names the file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  curlLine,
  docketLine,
  type ExportRequest,
  fileNameOf,
  queryOf,
} from '../../../console/features/export/export-request.ts'

const request: ExportRequest = {
  entity: 'request',
  name: 'Meldungen',
  criteria: {},
  format: 'csv',
  csv: 'excel-de',
  hasNames: false,
  language: 'de-DE',
  day: '2026-11-26',
}

test('CSV is asked for in the chosen dialect, and other formats in none', () => {
  const json = { ...request, format: 'json' } as const
  assert.deepEqual(queryOf(request), { format: 'csv', dialect: 'excel-de' })
  for (const [wanted, format] of [
    [{ ...request, csv: undefined }, 'csv'],
    [json, 'json'],
  ] as const) {
    assert.deepEqual(queryOf(wanted), { format })
    assert.doesNotMatch(docketLine(wanted, 'http://x'), /--dialect/)
  }
})

test('a file is named by its entity and the day', () => {
  const names = {
    Meldungen: 'Meldungen',
    'Purchase orders': 'Purchase-orders',
    'Schlüssel/Übergabe: "neu"': 'Schlüssel-Übergabe-neu',
    注文: '注文',
    '../..': 'request',
  }
  for (const [name, file] of Object.entries(names))
    assert.equal(fileNameOf({ ...request, name }), `${file}-2026-11-26.csv`)
})

test('lines for a shell ask for the same file, whatever its filter has', () => {
  const criteria = {
    $where: { number: { $ne: "it's" } },
    $search: 'O-7',
    $orderBy: ['id'],
    $select: ['number'],
  }
  const quoted = `'{"$where":{"number":{"$ne":"it'\\''s"}},"$search":"O-7","$orderBy":["id"],"$select":["number"]}'`
  const wanted = { ...request, language: 'en-GB', criteria }
  const file = 'Meldungen-2026-11-26.csv'
  const curl = curlLine({ ...wanted, csv: undefined }, 'http://x')
  assert.ok(curl.startsWith("curl -sSf 'http://x/request/export?format=csv' -H "), curl)
  assert.ok(curl.endsWith(` -d ${quoted} -o ${file}`), curl)
  assert.equal(
    docketLine(wanted, 'http://x'),
    `docket export request --url 'http://x' --format csv --dialect excel-de --criteria ${quoted} --out ${file}`,
  )
})
