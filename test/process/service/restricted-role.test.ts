/** Database roles that may not change tables: the errors of a start, and the rights that suffice. */
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { outcomeOf, runDocket, spawnDocket, waitFor } from '../../support/docket.ts'
import { assertSentence, runOn, writeThingProject } from './a-given-database.ts'

const role = 'test_runs'
let project = ''
let own: TestDatabase
before(async () => {
  project = await writeThingProject()
  own = await createTestDatabase()
  const { pool } = own
  await pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
})
after(async () => {
  await own.pool.query(`DROP OWNED BY ${role}`)
  await own.drop()
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

const run = (args: readonly string[], url: string, wait?: string) => runOn(project, args, url, wait)

const urlOf = (user: string) => {
  const url = new URL(own.connectionString)
  url.username = user
  return url.href
}

test('a role that may not change tables gets an error that points to the documented rights', async () => {
  const outcome = await run(['start'], urlOf(role))
  assertSentence(
    outcome,
    /^PostgreSQL refused: permission denied .*\. docs\/operations\.md lists the rights that the role of DATABASE_URL needs\./m,
  )
})

test('start --no-migrate lists the missing migrations', async () => {
  const outcome = await run(['start', '--no-migrate'], urlOf('docket'))
  assertSentence(
    outcome,
    /The database does not match the definitions, and --no-migrate changes nothing:\n {2}0001-.*\nRun "docket migrate"/s,
  )
})

test('start --no-migrate reports job tables of an earlier graphile-worker', async () => {
  assert.equal((await run(['migrate'], own.connectionString)).code, 0)
  const { rows } = await own.pool.query<{ id: number }>(
    'DELETE FROM graphile_worker.migrations WHERE id = (SELECT max(id) FROM graphile_worker.migrations) RETURNING id',
  )
  const outcome = await run(['start', '--no-migrate'], urlOf('docket'))
  assertSentence(
    outcome,
    /--no-migrate changes nothing:\n {2}the tables of jobs\nRun "docket migrate"/s,
  )
  await own.pool.query('INSERT INTO graphile_worker.migrations (id) VALUES ($1)', [rows[0]?.id])
})

test('a role with the documented rights starts with --no-migrate, writes, and runs jobs', async () => {
  assert.equal((await run(['migrate'], own.connectionString)).code, 0)
  for (const statement of await documentedRights(role)) await own.pool.query(statement)
  const child = spawnDocket(['start', '--no-migrate', '--project', project], {
    DATABASE_URL: urlOf(role),
    PORT: '0',
  })
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /"kind":"workerStarted"|workerStarted/)
  const [, base = ''] = /"address":"([^"]+)"/.exec(shown) ?? []
  const token = (
    await runDocket(['token', '--project', project], { DATABASE_URL: own.connectionString })
  ).out.trim()
  const made = await fetch(`${base}/thing`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: '{"name":"one"}',
  })
  assert.equal(made.status, 201, await made.text())
  assert.equal((await fetch(`${base}/api/health/ready`)).status, 200)
  child.kill('SIGTERM')
  const { code, err } = await ended
  assert.equal(code, 0)
  assert.doesNotMatch(err, /permission denied/)
})

/** The statements of docs/operations.md, for a role of the test. */
const documentedRights = async (role: string): Promise<string[]> => {
  const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const [, block = ''] = /## Rights in the database.*?```sql\n(.*?)```/s.exec(text) ?? []
  const statements = block
    .replaceAll('docket_run', role)
    .split(';')
    .map((one) => one.trim())
  return statements.filter((one) => /^(GRANT|ALTER DEFAULT)/.test(one))
}
