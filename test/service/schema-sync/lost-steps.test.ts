/** Steps of workflows: records get the initial one, and one that is lost blocks the sync while records are in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { planSync } from '../../../src/schema-sync/sync-schema.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { aCatalog } from '../../support/schema-sync/a-catalog.ts'
import { writeProject } from '../../support/service.ts'
import { assertRejected, database, define, rows, shareSchema, sync } from './a-schema.ts'

shareSchema()

const entityOf = (key: string, ...steps: string[]): EntityDefinition => ({
  key,
  fields: [],
  ...(steps.length > 0 && {
    workflow: { initialStep: steps[0] ?? '', steps: steps.map((step) => ({ key: step })) },
  }),
})
const run = (sql: string) => database.pool.query(sql)
const permitted = (...definitions: EntityDefinition[]) => ({
  definitions,
  allowDestructive: true,
  dropKept: true,
})

test('existing records get the initial step of a new workflow', async () => {
  await define(entityOf('order'))
  await run('INSERT INTO records."order" SELECT FROM generate_series(1, 2)')
  await define(entityOf('order', 'draft', 'review'))
  assert.deepEqual(await rows('SELECT DISTINCT _step FROM records."order"'), [{ _step: 'draft' }])
  assert.deepEqual((await define(entityOf('order', 'draft', 'review'))).statements, [])
})

test('_step is indexed unless another index begins with it', async () => {
  const indexesWith = async (...indexes: string[][]) => {
    const entity = {
      ...entityOf('order', 'draft'),
      indexes: indexes.map((fields) => ({ fields })),
    }
    await sync(permitted(entity))
    const found = await rows(`SELECT indexname AS name FROM pg_indexes
      WHERE tablename = 'order' AND indexname NOT LIKE '%pkey' ORDER BY 1`)
    return found.map(({ name }) => name)
  }
  assert.deepEqual(await indexesWith(), ['order._step.idx'])
  const other = await indexesWith(['_created_at', '_step'])
  assert.deepEqual(other, ['order._created_at._step.idx', 'order._step.idx'])
  assert.deepEqual(await indexesWith(['_step', '_created_at']), ['order._step._created_at.idx'])
})

const advice = (step: string) =>
  `add the step to the workflow again, add "was": "${step}" to the step that replaced it, or move the records to another step with this statement first`

test('each lost step is listed with its records and the SQL that moves them, after which the sync succeeds', async () => {
  await define(entityOf('order', 'draft', 'review', 'done'), entityOf('user', 'new', "it's old"))
  await run(`INSERT INTO records."order" (_step) VALUES ('review'), ('review')`)
  await run(`INSERT INTO records."user" (_step) VALUES ('it''s old'), ('new')`)
  const reduced = permitted(entityOf('order', 'draft', 'reviews', 'done'), entityOf('user', 'new'))
  await assertRejected(
    reduced,
    [
      'The database cannot follow the definitions yet; nothing was changed:',
      `  2 records of order are in the step "review", which its workflow no longer has; ${advice('review')}`,
      `    UPDATE "records"."order" SET "_step" = 'reviews'::text, _version = _version + 1 WHERE "_step" = 'review'::text;`,
      `  1 record of user is in the step "it's old", which its workflow no longer has; ${advice("it's old")}`,
      `    UPDATE "records"."user" SET "_step" = 'new'::text, _version = _version + 1 WHERE "_step" = 'it''s old'::text;`,
    ].join('\n'),
  )
  const catalog = aCatalog(...reduced.definitions, entityOf('other', 'open'))
  const plan = await planSync({ pool: database.pool, catalog })
  // The table of another workflow does not exist yet.
  assert.ok(plan.some(({ sql }) => sql.startsWith('CREATE TABLE "records"."other"')))
  for (const { kind, sql } of plan) if (kind === 'blocked') await run(sql)
  await sync(reduced)
  assert.deepEqual(await rows('SELECT DISTINCT _step, _version FROM records."order"'), [
    { _step: 'reviews', _version: 2 },
  ])
})

test('removed records do not block the sync; a step that is lost already is reported', async () => {
  await define(entityOf('order', 'draft', 'review'))
  await run(`INSERT INTO records."order" (_step, _is_deleted) VALUES ('review', true)`)
  await define(entityOf('order', 'draft'))
  await run(`UPDATE records."order" SET _is_deleted = false`)
  assert.deepEqual((await sync(permitted(entityOf('order', 'draft')))).left, [
    '1 record of order is in the step "review", which its workflow no longer has',
  ])
})

test('docket migrate and migrate --plan fail with exit code 4', async () => {
  const other = await createTestDatabase()
  const projectOf = (step: string) => {
    const workflow = { initialStep: step, steps: [{ key: step, final: true }] }
    return writeProject({ 'entities/order.json': { key: 'order', fields: [], workflow } })
  }
  const [earlier, later] = await Promise.all([projectOf('draft'), projectOf('open')])
  const docket = (project: string, ...args: string[]) =>
    callDocket(args, { DATABASE_URL: other.connectionString, PROJECT: project })
  assert.equal((await docket(earlier, 'migrate')).code, 0)
  await other.pool.query('INSERT INTO records."order" DEFAULT VALUES')
  const plan = await docket(later, 'migrate', '--plan')
  assert.equal(plan.code, 4)
  assert.match(plan.out, /^-- 1 record of order is in the step "draft", .*\n-- UPDATE .*;$/m)
  assert.match(plan.err, /^1 statement planned; 1 blocked, so nothing would be applied\.$/m)
  for (const args of [['migrate'], ['migrate', '--allow-destructive']]) {
    const failed = await docket(later, ...args)
    assert.equal(failed.code, 4)
    assert.match(failed.err, /1 record of order is in the step "draft"/)
    assert.doesNotMatch(failed.err, /\.ts:\d+/)
  }
  await other.drop()
})
