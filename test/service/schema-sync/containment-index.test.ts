/** Containment indexes of json fields: created, used, renamed and dropped with their field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, writeProject } from '../../support/service.ts'

const project = (field: object) =>
  writeProject({ 'entities/page.json': { key: 'page', fields: [field] } })

test('a containment index serves $contains, is renamed with its field, and is dropped when the type changes', async () => {
  const database = await createPreparedDatabase()
  const persistent = { ...database, drop: async () => undefined }
  const indexes = async () =>
    (
      await database.pool.query<{ indexdef: string }>(
        `SELECT indexdef FROM pg_indexes WHERE tablename = 'page' AND indexname LIKE '%.gin'`,
      )
    ).rows.map(({ indexdef }) => indexdef)
  const facts = { key: 'facts', type: 'json', indexed: true }
  const first = await startTestService(await project(facts), {}, persistent)
  await database.pool.query(
    `INSERT INTO records.page (facts)
     SELECT json_build_object('n', n, 'tags', json_build_array('t' || n % 100))
     FROM generate_series(1, 20000) n`,
  )
  await database.pool.query('ANALYZE records.page')
  const found = await first.ask('POST', '/page/search?limit=3', {
    body: { $where: { facts: { $contains: { n: 17 } } }, $count: true },
  })
  assert.deepEqual([found.json().total, found.json().data[0].facts], [1, { n: 17, tags: ['t17'] }])
  const { rows } = await database.pool.query(
    `EXPLAIN SELECT FROM records.page t WHERE t.facts::jsonb @> '{"n":17}'::jsonb`,
  )
  assert.match(JSON.stringify(rows), /page\.facts\.gin/)
  await first.stop()

  const renamed = { ...facts, key: 'details', was: 'facts' }
  const second = await startTestService(await project(renamed), {}, persistent)
  assert.match(String(await indexes()), /page\.details\.gin.*USING gin .*details/)
  await second.stop()

  const plain = { key: 'details', type: 'text', was: 'facts' }
  const third = await startTestService(await project(plain), {}, persistent)
  assert.deepEqual(await indexes(), [])
  const text = await third.ask('POST', '/page', { body: { details: 'not JSON' } })
  assert.equal(text.status, 201, text.text)
  await third.stop()
  await database.drop()
})
