/** Exports of random definitions, data, filters, pages and texts; `service/export/` has fixed ones. */
import { test } from 'node:test'
import fc from 'fast-check'
import { shareExports } from '../../support/an-export-project.ts'
import { scenario } from '../../support/exports/a-random-project.ts'
import { checkExports } from '../../support/exports/checked-exports.ts'
import { assertRoundTrip, texts } from '../../support/exports/hostile-texts.ts'

const service = await shareExports()

test('exported ids = ids in the snapshot, whatever the definitions, data, filters, pages and writers', () =>
  fc.assert(fc.asyncProperty(scenario, checkExports), { numRuns: 12 }))

test('any text is exact in csv, ndjson, json, xlsx and parquet', () =>
  fc.assert(
    fc.asyncProperty(texts, (rows) => assertRoundTrip(service, rows)),
    { numRuns: 40 },
  ))
