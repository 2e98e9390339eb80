/** Indexes of what json fields contain: made, used, renamed with their field, and gone with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPreparedDatabase } from '../support/prepared-database.ts'
import { startTestService, writeProject } from '../support/service.ts'

const project = (field: object) =>
  writeProject({ 'entities/page.json': { key: 'page', fields: [field] } })

test('an index serves $contains, follows its field, and goes before another type comes', async () => {
  const database = await createPreparedDatabase()
  const kept = { ...database, drop: async () => undefined }
  const indexes = async () =>
    (
      await database.pool.query<{ indexdef: string }>(
        `SELECT indexdef FROM pg_indexes WHERE tablename = 'page' AND indexname LIKE '%.gin'`,
      )
    ).rows.map(({ indexdef }) => indexdef)
  const facts = { key: 'facts', type: 'json', indexed: true }
  const first = await startTestService(await project(facts), {}, kept)
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

  const named = { ...facts, key: 'details', was: 'facts' }
  const second = await startTestService(await project(named), {}, kept)
  assert.match(String(await indexes()), /page\.details\.gin.*USING gin .*details/)
  await second.stop()

  const plain = { key: 'details', type: 'text', was: 'facts' }
  const third = await startTestService(await project(plain), {}, kept)
  assert.deepEqual(await indexes(), [])
  const text = await third.ask('POST', '/page', { body: { details: 'no JSON' } })
  assert.equal(text.status, 201, text.text)
  await third.stop()
  await database.drop()
})
