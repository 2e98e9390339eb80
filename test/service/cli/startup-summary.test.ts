/** The lines that a start prints can be pasted, whatever records exist. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freeSampleBody, startupSummary } from '../../../src/cli/startup-summary.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { openSeededExample } from '../../support/a-seeded-example.ts'
import { sendLines } from '../../support/curl.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const summaryOf = ({ url: base, project, database: { pool } }: TestService) =>
  startupSummary({ base, project, pool, page: '', token: 'x', people: undefined })

const paste = async (service: TestService) =>
  sendLines(await summaryOf(service), { TOKEN: await service.tokenOf() })

test('the lines of the example create a record, export with columns of associations, and read one', async () => {
  const { directory, database } = await openSeededExample()
  const service = await startTestService(directory, {}, database)
  assert.match(await summaryOf(service), /Procurement is up at http:/)
  const answers = await paste(service)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200],
  )
  assert.match(answers[1]?.text ?? '', /^"ID",Number,Supplier,/)
  await service.stop()
})

test('there is no record to read in a project without records, and nothing to paste without an entity', async () => {
  const fields = [{ key: 'title', type: 'string', required: true }]
  const service = await startTestService({ 'entities/note.json': { key: 'note', fields } })
  const shown = await summaryOf(service)
  assert.match(shown, /export with a filter/)
  assert.doesNotMatch(shown, /read one/)
  assert.deepEqual(
    (await paste(service)).map(({ status }) => status),
    [201, 200],
  )
  await service.stop()
  const empty = await startTestService({ 'docket.json': {} })
  assert.match(await summaryOf(empty), /There is no entity yet: write entities\/<key>\.json/)
  await empty.stop()
})

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
