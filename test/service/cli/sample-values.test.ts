/** The sample request that the start prints creates a record, whatever records exist. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freeSampleBody } from '../../../src/cli/terminal/sample-values.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { createTestDatabase } from '../../support/database.ts'

test('a sample has unique values that no record has', async () => {
  const { project } = await loadProject(fileURLToPath(new URL('../../../example', import.meta.url)))
  assert.ok(project)
  const country = getEntity(project.catalog, 'country')
  const { pool, drop } = await createTestDatabase()
  // Every code of the first half of the alphabet.
  await pool.query(
    `CREATE SCHEMA records;
     CREATE TABLE records.country AS SELECT chr(65 + a) || chr(65 + b) AS code, a || ' ' || b AS name
     FROM generate_series(0, 12) a, generate_series(0, 25) b`,
  )
  for (let round = 0; round < 30; round++) {
    const body = await freeSampleBody(pool, country)
    assert.match(String(body && 'code' in body && body.code), /^[N-Z][A-Z]$/)
  }
  await drop()
})
