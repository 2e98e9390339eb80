/** What the console asks of an export, and how it names the file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  docketLine,
  type ExportRequest,
  fileNameOf,
  queryOf,
} from '../../../console/features/export/export-request.ts'

const request: ExportRequest = {
  ...{ entity: 'request', name: 'Meldungen', criteria: {}, format: 'csv', isForExcel: true },
  ...{ hasNames: false, language: 'de-DE', day: '2026-11-26' },
}

for (const [language, separator] of [
  ...['de-DE', 'de-AT', 'hr', 'fr'].map((tag) => [tag, 'semicolon'] as const),
  ...['de-CH', 'en-GB', 'ja'].map((tag) => [tag, undefined] as const),
] as const)
  test(`CSV for Excel in ${language} has ${separator ?? 'the usual comma'} between fields`, () => {
    const wanted = { ...request, language }
    assert.equal(queryOf(wanted).separator, separator)
    assert.equal(docketLine(wanted, 'http://x').includes(' --separator semicolon'), !!separator)
    for (const other of [{ isForExcel: false }, { format: 'xlsx' as const }])
      assert.equal(queryOf({ ...wanted, ...other }).separator, undefined)
  })

for (const [name, file] of [
  ['Meldungen', 'Meldungen'],
  ['Purchase orders', 'Purchase-orders'],
  ['Schlüssel/Übergabe: "neu"', 'Schlüssel-Übergabe-neu'],
  ['注文', '注文'],
  ['../..', 'request'],
] as const)
  test(`the file of ${name} is ${file} with the day`, () => {
    assert.equal(fileNameOf({ ...request, name }), `${file}-2026-11-26.csv`)
  })
