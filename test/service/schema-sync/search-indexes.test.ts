/** Trigram indexes of names and titles, and containment indexes of json: created, used, kept up with their field, and never required. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../../../src/definitions/field-types.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import type { Observation } from '../../../src/observations.ts'
import { isSynced } from '../../../src/schema-sync/desired-schema.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { aCatalog } from '../../support/schema-sync/a-catalog.ts'
import { startTestService } from '../../support/service.ts'
import { database, define, rows, shareSchema, sync } from './a-schema.ts'

shareSchema()

const title: FieldDefinition = { key: 'title', type: 'string' }
const page = (displayField: string, ...fields: FieldDefinition[]): EntityDefinition => ({
  key: 'page',
  displayField,
  fields,
})

const indexesOf = async (kind: string, { pool }: Pick<TestDatabase, 'pool'> = database) => {
  const found = await pool.query<{ indexdef: string }>(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'records' AND indexname LIKE $1 ORDER BY 1`,
    [`%.${kind}`],
  )
  return found.rows.map(({ indexdef }) =>
    indexdef.replace(/^.* USING /, '').replaceAll('docket.', ''),
  )
}

/** How PostgreSQL finds records in a table that is too large to be read. */
const planOf = async (select: string): Promise<string> => {
  const connection = await database.pool.connect()
  await connection.query('SET enable_seqscan = off; SET enable_indexscan = off')
  const plan = await connection.query(`EXPLAIN ${select}`)
  connection.release(true)
  return JSON.stringify(plan.rows)
}

test('the display field has an index that the search uses, whatever becomes of the field', async () => {
  await define(page('title', title))
  assert.deepEqual(await indexesOf('trgm'), ['gin (folded(title) gin_trgm_ops)'])
  const plan = await planOf(
    `SELECT id FROM records.page t WHERE NOT t._is_deleted
     AND docket.folded(t.title) LIKE docket.folded('%needle%') ORDER BY id DESC LIMIT 5`,
  )
  assert.match(plan, /page\.title\.trgm/)
  const renamed: FieldDefinition = { key: 'name', type: 'string', was: 'title' }
  for (const displayField of ['name', 'id']) {
    await define(page(displayField, renamed))
    assert.deepEqual(await indexesOf('trgm'), ['gin (folded(name) gin_trgm_ops)'])
  }
})

test('the title is the first other string among the columns of exports, and has an index too', async () => {
  const others: FieldDefinition[] = ['isbn', 'about'].map((key) => ({ key, type: 'string' }))
  const columnDefs = ['id', 'title', 'about'].map((field) => ({ field }))
  await define({ ...page('title', title, ...others), exportSettings: { columnDefs } })
  assert.deepEqual(await indexesOf('trgm'), [
    'gin (folded(about) gin_trgm_ops)',
    'gin (folded(title) gin_trgm_ops)',
  ])
})

test('an index of a version that did not take accents away is replaced', async () => {
  await define(page('title', title))
  await database.pool.query(`DROP INDEX records."page.title.trgm";
    CREATE INDEX "page.title.trgm" ON records.page USING gin (title docket.gin_trgm_ops)`)
  const isSame = () => isSynced(database.pool, { catalog: aCatalog(page('title', title)) })
  assert.equal(await isSame(), false)
  await define(page('title', title))
  assert.deepEqual(await indexesOf('trgm'), ['gin (folded(title) gin_trgm_ops)'])
  assert.equal(await isSame(), true)
})

test('a display field may become a number', async () => {
  await define(page('title', title))
  await database.pool.query(`INSERT INTO records.page (title) VALUES ('17')`)
  const definitions = [page('title', { key: 'title', type: 'integer' })]
  await sync({ definitions, allowDestructive: true })
  assert.deepEqual(await indexesOf('trgm'), [])
  assert.deepEqual(await rows('SELECT title FROM records.page'), [{ title: 17 }])
})

test('without the extension a start warns, the search works, and a later start adds the indexes, but none of long texts', async () => {
  const own = await createPreparedDatabase()
  // The name of a type of the extension: it cannot be created.
  await own.pool.query('CREATE TYPE docket.gtrgm AS (taken integer)')
  const files = {
    'entities/page.json': page('title', title),
    'entities/essay.json': { ...page('title', { key: 'title', type: 'text' }), key: 'essay' },
  }
  const service = await startTestService(files, {}, own)
  assert.deepEqual(await indexesOf('trgm', own), [])
  const body = { title: 'A needle in it' }
  for (const entity of ['page', 'essay']) await service.ask('POST', `/${entity}`, { body })
  const found = async () =>
    (await service.ask('GET', '/api/search?q=NEEDLE')).json().data.length as number
  assert.equal(await found(), 2)
  const warnings = async () => {
    const events: Observation[] = []
    const { catalog } = service.project
    await syncSchema({ pool: own.pool, catalog, observe: (event) => events.push(event) })
    return events.flatMap((event) => (event.kind === 'schemaWarning' ? event.warnings : []))
  }
  assert.match(String(await warnings()), /search over all entities.*gtrgm/)
  await own.pool.query('DROP TYPE docket.gtrgm')
  assert.deepEqual([await warnings(), await warnings()], [[], []])
  const indexes = await indexesOf('trgm', own)
  assert.ok(indexes.includes('gin (folded(title) gin_trgm_ops)'))
  const ofEssay = await own.pool.query(
    `SELECT FROM pg_indexes WHERE tablename = 'essay' AND indexname LIKE '%.trgm'`,
  )
  assert.equal(ofEssay.rowCount, 0)
  assert.equal(await found(), 2)
  await service.stop()
})

test('a containment index serves $contains, is renamed with its field, and is dropped when the type changes', async () => {
  const facts = (...fields: FieldDefinition[]): EntityDefinition => ({ key: 'page', fields })
  await define(facts({ key: 'facts', type: 'json', indexed: true }))
  await database.pool.query(`INSERT INTO records.page (facts) VALUES ('{"n":17}')`)
  const plan = await planOf(`SELECT FROM records.page t WHERE t.facts::jsonb @> '{"n":17}'::jsonb`)
  assert.match(plan, /page\.facts\.gin/)
  await define(facts({ key: 'details', type: 'json', indexed: true, was: 'facts' }))
  assert.match(String(await indexesOf('gin')), /details/)
  assert.deepEqual(await rows(`SELECT FROM pg_indexes WHERE indexname = 'page.details.gin'`), [{}])
  await define(facts({ key: 'details', type: 'text', was: 'facts' }))
  assert.deepEqual(await indexesOf('gin'), [])
  await database.pool.query(`INSERT INTO records.page (details) VALUES ('not JSON')`)
})
