/** Database roles that may not change tables, and starts that must not: what is missing is listed. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loadConfig } from '../../../src/config/load-config.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { prepareDatabase } from '../../../src/runtime/open-database.ts'
import { createTestDatabase } from '../../support/database.ts'
import { assertSentence, runOn, writeThingProject } from './a-given-database.ts'

const role = 'test_runs'
const project = await writeThingProject()
const own = await createTestDatabase()
await own.pool.query(
  `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
)
after(async () => {
  await own.pool.query(`DROP OWNED BY ${role}`)
  await own.drop()
})

const run = (args: readonly string[], url: string) => runOn(project, args, url)

/** As `docket start --no-migrate` does it. */
const startUnchanged = async () => {
  const config = loadConfig({ PROJECT: project, DATABASE_URL: own.connectionString })
  const { project: loaded } = await loadProject(project)
  assert.ok(loaded)
  await prepareDatabase(own.pool, loaded, config, () => undefined, { mayMigrate: false })
}

const urlOf = (user: string) => {
  const url = new URL(own.connectionString)
  url.username = user
  return url.href
}

test('a role that may not change tables gets an error that points to the documented rights', async () => {
  const outcome = await run(['migrate'], urlOf(role))
  assertSentence(
    outcome,
    /^PostgreSQL refused: permission denied .*\. docs\/operations\.md lists the rights that the role of DATABASE_URL needs\./m,
  )
})

test('start --no-migrate lists the missing migrations', async () => {
  await assert.rejects(startUnchanged(), {
    name: 'StartupError',
    message:
      /The database does not match the definitions, and --no-migrate changes nothing:\n {2}0001-.*\nRun "docket migrate"/s,
  })
})

test('start --no-migrate reports job tables of an earlier graphile-worker', async () => {
  assert.equal((await run(['migrate'], own.connectionString)).code, 0)
  const { rows } = await own.pool.query<{ id: number }>(
    'DELETE FROM graphile_worker.migrations WHERE id = (SELECT max(id) FROM graphile_worker.migrations) RETURNING id',
  )
  await assert.rejects(startUnchanged(), {
    name: 'StartupError',
    message: /--no-migrate changes nothing:\n {2}the tables of jobs\nRun "docket migrate"/s,
  })
  await own.pool.query('INSERT INTO graphile_worker.migrations (id) VALUES ($1)', [rows[0]?.id])
  await startUnchanged()
})
