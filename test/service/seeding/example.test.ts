/** The seeds of the example project are complete and consistent. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadProject, type Project } from '../../../src/definitions/load-project.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { listSeeds, readSeed } from '../../../src/seeding/files/seed-file.ts'
import { isUnseeded, loadSeeds } from '../../../src/seeding/load-seeds.ts'
import { ensureRoles } from '../../../src/users/ensure-roles.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { countsOf } from './a-seeded-project.ts'

let database: TestDatabase
let project: Project
let loaded: ReturnType<typeof countsOf>[]
before(async () => {
  const read = await loadProject(new URL('../../../example', import.meta.url).pathname)
  assert.ok(read.project)
  project = read.project
  database = await createTestDatabase()
  const { pool } = database
  await syncSchema({ pool, catalog: project.catalog, observe: () => undefined })
  await ensureRoles(pool, project.catalog)
  assert.equal(await isUnseeded(pool, project), true)
  loaded = (await loadSeeds({ pool, project, timeZone: 'Europe/Zagreb' })).files.map(countsOf)
})
after(() => database.drop())

const rows = async (text: string) => (await database.pool.query(text)).rows

test('every record of every file is loaded into its table', async () => {
  const { seeds } = await listSeeds(project)
  assert.equal(seeds.length, 11)
  for (const [position, seed] of seeds.entries()) {
    const { records } = await readSeed(project, seed)
    const { file } = seed
    const inserted = records.length
    const nothing = { inserted: 0, updated: 0, unchanged: 0, left: 0 }
    assert.deepEqual(loaded[position], { ...nothing, file, inserted })
    assert.deepEqual(await rows(`SELECT count(*) AS count FROM records."${seed.entity.key}"`), [
      { count: inserted },
    ])
  }
})

test('the lines of each order add up to its total', async () => {
  const [sums] = await rows(`
    SELECT count(*) AS orders, count(*) FILTER (WHERE o.total IS DISTINCT FROM l.sum) AS mismatches
    FROM records.purchase_order o
    LEFT JOIN (SELECT order_id, sum(amount) FROM records.purchase_order_line GROUP BY 1) l
    ON l.order_id = o.id`)
  assert.deepEqual(sums, { orders: 3000, mismatches: 0 })
})

test('creator and owner of each order are users of the seeds', async () => {
  assert.deepEqual(
    await rows(`
      SELECT count(*) AS count FROM records.purchase_order o
      LEFT JOIN records."user" c ON c.id = o._created_by LEFT JOIN records."user" w ON w.id = o._owned_by
      WHERE c.id IS NULL OR w.id IS NULL OR o._updated_by IS DISTINCT FROM o._created_by`),
    [{ count: 0 }],
  )
})

test('loading the seeds again finds every record unchanged', async () => {
  const { files } = await loadSeeds({ pool: database.pool, project, timeZone: 'Europe/Zagreb' })
  assert.deepEqual(
    files.map(countsOf),
    loaded.map((counts) => ({ ...counts, inserted: 0, unchanged: counts.inserted })),
  )
  assert.deepEqual(await rows('SELECT max(_version) AS version FROM records.purchase_order_line'), [
    { version: 1 },
  ])
  assert.equal(await isUnseeded(database.pool, project), false)
})
