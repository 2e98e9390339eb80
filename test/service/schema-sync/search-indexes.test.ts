/** Trigram indexes of names and titles: created, used, kept up with their field, and never required. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadProject } from '../../../src/definitions/load-project.ts'
import type { Observation } from '../../../src/observations.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const project = (field: object, displayField: string) =>
  writeProject({
    'entities/page.json': { key: 'page', displayField, fields: [field] },
  })
const title = { key: 'title', type: 'string' }

const indexesOf = async ({ database }: TestService): Promise<string[]> =>
  (
    await database.pool.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE tablename = 'page' AND indexname LIKE '%.trgm'`,
    )
  ).rows.map(({ indexdef }) => indexdef.replace(/^.* USING /, '').replaceAll('docket.', ''))

const pagesFor = async (service: TestService, q: string) =>
  (await service.ask('GET', `/api/search?q=${q}`)).json().data

test('the display field has an index that the search uses, whatever becomes of the field', async () => {
  const database = await createPreparedDatabase()
  const persistent = { ...database, drop: async () => undefined }
  const first = await startTestService(await project(title, 'title'), {}, persistent)
  assert.deepEqual(await indexesOf(first), ['gin (folded(title) gin_trgm_ops)'])
  await database.pool.query(
    `INSERT INTO records.page (title) SELECT 'Page ' || md5(n::text) FROM generate_series(1, 20000) n`,
  )
  await database.pool.query(`INSERT INTO records.page (title) VALUES ('A needle in it')`)
  await database.pool.query('VACUUM ANALYZE records.page')
  const { rows } = await database.pool.query(
    `EXPLAIN SELECT id FROM records.page t
     WHERE NOT t._is_deleted AND docket.folded(t.title) LIKE docket.folded('%needle%')
     ORDER BY id DESC LIMIT 5`,
  )
  assert.match(JSON.stringify(rows), /page\.title\.trgm/)
  assert.equal((await pagesFor(first, 'NEEDLE')).length, 1)
  await first.stop()

  const renamed = { key: 'name', type: 'string', was: 'title' }
  const second = await startTestService(await project(renamed, 'name'), {}, persistent)
  assert.deepEqual(await indexesOf(second), ['gin (folded(name) gin_trgm_ops)'])
  assert.equal((await pagesFor(second, 'needle')).length, 1)
  await second.stop()

  const asTitle = await startTestService(await project(renamed, 'id'), {}, persistent)
  assert.deepEqual(await indexesOf(asTitle), ['gin (folded(name) gin_trgm_ops)'])
  assert.equal((await pagesFor(asTitle, 'needle')).length, 1)
  await asTitle.stop()

  await database.drop()
})

test('the title is the first other string among the columns of exports, and has an index too', async () => {
  const titled = await startTestService(
    await writeProject({
      'entities/page.json': {
        ...{ key: 'page', displayField: 'title' },
        fields: [title, { key: 'isbn', type: 'string' }, { key: 'about', type: 'string' }],
        exportSettings: { columnDefs: [{ field: 'id' }, { field: 'title' }, { field: 'about' }] },
      },
    }),
  )
  assert.deepEqual((await indexesOf(titled)).sort(), [
    'gin (folded(about) gin_trgm_ops)',
    'gin (folded(title) gin_trgm_ops)',
  ])
  const body = { title: 'One', about: 'Needles', isbn: '978' }
  await titled.ask('POST', '/page', { body })
  assert.deepEqual(
    [(await pagesFor(titled, 'needle')).length, (await pagesFor(titled, '978')).length],
    [1, 0],
  )
  await titled.stop()
})

test('an index of a version that did not take accents away is replaced', async () => {
  const database = await createPreparedDatabase()
  const persistent = { ...database, drop: async () => undefined }
  const first = await startTestService(await project(title, 'title'), {}, persistent)
  await first.stop()
  await database.pool.query(`DROP INDEX records."page.title.trgm";
    CREATE INDEX "page.title.trgm" ON records.page USING gin (title docket.gin_trgm_ops)`)
  const second = await startTestService(await project(title, 'title'), {}, persistent)
  assert.deepEqual(await indexesOf(second), ['gin (folded(title) gin_trgm_ops)'])
  await second.stop()
  await database.drop()
})

test('a display field may become a number', async () => {
  const database = await createPreparedDatabase()
  const first = await startTestService(await project(title, 'title'), {}, database)
  await first.ask('POST', '/page', { body: { title: '17' } })
  const field = { key: 'title', type: 'integer' }
  const { project: changed } = await loadProject(await project(field, 'title'))
  assert.ok(changed)
  const { catalog } = changed
  const observe = () => undefined
  await syncSchema({ pool: database.pool, catalog, observe, allowDestructive: true })
  assert.deepEqual(await indexesOf(first), [])
  const { rows } = await database.pool.query('SELECT title FROM records.page')
  assert.deepEqual(rows, [{ title: 17 }])
  await first.stop()
})

test('long texts have no such index', async () => {
  const text = await startTestService(
    await project({ key: 'title', type: 'text' }, 'title'),
    {},
    await createPreparedDatabase(),
  )
  assert.deepEqual(await indexesOf(text), [])
  await text.ask('POST', '/page', { body: { title: 'A needle in it' } })
  assert.equal((await pagesFor(text, 'needle')).length, 1)
  await text.stop()
})

test('without the extension a start warns, the search works, and a later start adds the index', async () => {
  const database = await createPreparedDatabase()
  // The name of a type of the extension: it cannot be created.
  await database.pool.query('CREATE TYPE docket.gtrgm AS (taken integer)')
  const service = await startTestService(await project(title, 'title'), {}, database)
  assert.deepEqual(await indexesOf(service), [])
  await service.ask('POST', '/page', { body: { title: 'A needle in it' } })
  assert.equal((await pagesFor(service, 'needle')).length, 1)

  const sync = async () => {
    const events: Observation[] = []
    const { catalog } = service.project
    await syncSchema({ pool: database.pool, catalog, observe: (event) => events.push(event) })
    return events.flatMap((event) => (event.kind === 'schemaWarning' ? event.warnings : []))
  }
  assert.match(String(await sync()), /search over all entities.*gtrgm/)
  await database.pool.query('DROP TYPE docket.gtrgm')
  assert.deepEqual([await sync(), await sync()], [[], []])
  assert.deepEqual(await indexesOf(service), ['gin (folded(title) gin_trgm_ops)'])
  await service.stop()
})
