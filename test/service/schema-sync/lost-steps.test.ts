/** A workflow that loses a step blocks the sync while records are in that step. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import type {
  EntityDefinition,
  WorkflowDefinition,
} from '../../../src/definitions/schemas/entity-definition.ts'
import { SchemaRefusal } from '../../../src/schema-sync/refuse-changes.ts'
import { planSync, syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { aCatalog } from '../../support/schema-sync/a-catalog.ts'
import { writeProject } from '../../support/service.ts'

const database = await createTestDatabase()
after(() => database.drop())

const workflowOf = (...keys: string[]): WorkflowDefinition => ({
  initialStep: keys[0] ?? '',
  steps: keys.map((key) => ({ key })),
})
const entityOf = (key: string, ...steps: string[]): EntityDefinition => ({
  key,
  fields: [],
  ...(steps.length > 0 && { workflow: workflowOf(...steps) }),
})
const sync = (catalog: Catalog) =>
  syncSchema({
    pool: database.pool,
    catalog,
    observe: () => undefined,
    allowDestructive: true,
    dropKept: true,
  })
const run = (sql: string) => database.pool.query(sql)
const rejectionMessage = async (catalog: Catalog): Promise<string> => {
  try {
    await sync(catalog)
  } catch (error) {
    assert.ok(error instanceof SchemaRefusal)
    return error.message
  }
  throw new Error('The sync was not rejected.')
}

test('existing records get the initial step of a new workflow', async () => {
  await sync(aCatalog(entityOf('order')))
  await run('INSERT INTO records."order" DEFAULT VALUES')
  await run('INSERT INTO records."order" DEFAULT VALUES')
  const catalog = aCatalog(entityOf('order', 'draft', 'review'))
  const { applied } = await sync(catalog)
  assert.ok(applied.every(({ kind }) => kind === 'safe'))
  const { rows } = await run('SELECT DISTINCT _step FROM records."order"')
  assert.deepEqual(rows, [{ _step: 'draft' }])
  assert.deepEqual((await sync(catalog)).applied, [])
})

test('_step is indexed unless another index begins with it', async () => {
  const definition = entityOf('indexed', 'draft')
  const order = entityOf('order', 'draft', 'review')
  const both = (indexes: EntityDefinition['indexes']) =>
    aCatalog(order, { ...definition, ...(indexes && { indexes }) })
  await sync(both(undefined))
  const indexes = async () =>
    (
      await run(
        `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'indexed' AND indexname NOT LIKE '%pkey' ORDER BY 1`,
      )
    ).rows.map(({ name }) => name)
  assert.deepEqual(await indexes(), ['indexed._step.idx'])
  await sync(both([{ fields: ['_created_at', '_step'] }]))
  assert.deepEqual(await indexes(), ['indexed._created_at._step.idx', 'indexed._step.idx'])
  await sync(both([{ fields: ['_step', '_created_at'] }]))
  assert.deepEqual(await indexes(), ['indexed._step._created_at.idx'])
})

const advice = (step: string) =>
  `add the step to the workflow again, add "was": "${step}" to the step that replaced it, or move the records to another step with this statement first`

test('the message lists each lost step of all entities with the number of records and SQL that moves them', async () => {
  const complete = aCatalog(
    entityOf('order', 'draft', 'review', 'done'),
    entityOf('user', 'new', "it's old"),
  )
  await sync(complete)
  await run(`UPDATE records."order" SET "_step" = 'review'`)
  await run(`INSERT INTO records."user" (_step) VALUES ('it''s old'), ('new')`)
  await sync(complete)
  const reduced = aCatalog(entityOf('order', 'draft', 'reviews', 'done'), entityOf('user', 'new'))
  assert.equal(
    await rejectionMessage(reduced),
    [
      'The database cannot follow the definitions yet; nothing was changed:',
      `  2 records of order are in the step "review", which its workflow no longer has; ${advice('review')}`,
      `    UPDATE "records"."order" SET "_step" = 'reviews'::text, _version = _version + 1 WHERE "_step" = 'review'::text;`,
      `  1 record of user is in the step "it's old", which its workflow no longer has; ${advice("it's old")}`,
      `    UPDATE "records"."user" SET "_step" = 'new'::text, _version = _version + 1 WHERE "_step" = 'it''s old'::text;`,
    ].join('\n'),
  )
})

test('the SQL of the plan moves the records, and the sync then succeeds', async () => {
  const reduced = aCatalog(entityOf('order', 'draft', 'reviews', 'done'), entityOf('user', 'new'))
  for (const { kind, sql } of await planSync({ pool: database.pool, catalog: reduced }))
    if (kind === 'blocked') await run(sql)
  await sync(reduced)
  const { rows } = await run('SELECT DISTINCT _step, _version FROM records."order"')
  assert.deepEqual(rows, [{ _step: 'reviews', _version: 2 }])
})

test('removed records do not block the sync', async () => {
  await run(`UPDATE records."order" SET _is_deleted = true`)
  const catalog = aCatalog(entityOf('order', 'draft', 'done'), entityOf('user', 'new'))
  await sync(catalog)
})

test('lost steps of definitions that are already in force are reported but do not block the sync', async () => {
  await run(`UPDATE records."order" SET _is_deleted = false WHERE id = 1`)
  const { left } = await sync(aCatalog(entityOf('order', 'draft', 'done'), entityOf('user', 'new')))
  assert.deepEqual(
    left.map(({ reason }) => reason),
    ['1 record of order is in the step "reviews", which its workflow no longer has'],
  )
})

test('a new workflow whose table does not exist yet does not block the plan', async () => {
  const catalog = aCatalog(entityOf('order', 'draft', 'reviews'), entityOf('other', 'open'))
  const changes = await planSync({ pool: database.pool, catalog })
  assert.ok(changes.every(({ kind }) => kind !== 'blocked'))
  assert.ok(changes.some(({ sql }) => sql.startsWith('CREATE TABLE "records"."other"')))
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
  try {
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
  } finally {
    await other.drop()
  }
})
