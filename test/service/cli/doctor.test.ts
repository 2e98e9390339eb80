/** `docket doctor`: what it finds in a database, what it says about it, and what a role without rights sees. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { after, before, test } from 'node:test'
import type { Level } from '../../../src/diagnosis/check.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { writeProject } from '../../support/service.ts'

const role = 'test_asks_doctor'
const slot = `doctor_${process.pid}`
let database: TestDatabase
let project = ''
before(async () => {
  database = await createTestDatabase()
  const { pool } = database
  await pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
  project = await writeProject({
    'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
    'roles/clerk.json': { key: 'clerk', permissions: {} },
  })
})
after(async () => {
  await database.pool.query(
    `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '${slot}'`,
  )
  await database.drop()
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

type Found = { level: Level; value: string; advice?: string; facts?: unknown }

const docket = (args: readonly string[], url = database.connectionString) =>
  callDocket(args, { DATABASE_URL: url, PROJECT: project })

/** The findings by the names of their checks, and the exit code. */
const examine = async (url?: string) => {
  const { code, out, err } = await docket(['doctor', '--json'], url)
  assert.notEqual(out, '', err)
  const { worst, checks }: { worst: Level; checks: (Found & { check: string })[] } = JSON.parse(out)
  const of = (name: string): Found => {
    const one = checks.find(({ check }) => check === name)
    assert.ok(one, name)
    return one
  }
  return { code, worst, of }
}

const levelsOf = ({ of }: Awaited<ReturnType<typeof examine>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, of(name).level]))

const urlOf = (user: string) => {
  const url = new URL(database.connectionString)
  url.username = user
  return url.href
}

test('a new database has no tables of Docket, and the doctor says so and changes nothing', async () => {
  const found = await examine()
  assert.equal(found.of('migrations').level, 'warn')
  assert.match(found.of('migrations').value, /^missing: 0001-foundation\.sql, .* and \d+ more$/)
  assert.equal(found.of('dead jobs').level, 'unknown')
  const { rowCount } = await database.pool.query(
    `SELECT FROM pg_namespace WHERE nspname IN ('docket', 'records', 'graphile_worker')`,
  )
  assert.equal(rowCount, 0)
})

const lookedAt = [
  ...['migrations', 'connections', 'own demand', 'dead jobs', 'oldest waiting job', 'dead rows'],
  ...['invalid indexes', 'unchecked constraints', 'months of notifications', 'extensions', 'clock'],
]

test('a prepared database is healthy; each line has its value, and the demand is that of the documentation', async () => {
  assert.equal((await docket(['migrate'])).code, 0)
  const found = await examine()
  assert.deepEqual(
    levelsOf(found, lookedAt),
    Object.fromEntries(lookedAt.map((name) => [name, 'ok'])),
  )
  assert.match(found.of('connections').value, /^\d+ of \d+ of the server: .*docket/)
  const own = 44 + Math.min(4, availableParallelism()) - 1
  assert.match(
    found.of('own demand').value,
    new RegExp(`^one "docket start" may open ${own} of \\d+ connections$`),
  )
  // The server of the tests does not write to the disk, which must not pass unnoticed.
  assert.equal(found.of('settings').level, 'fail')
  assert.match(found.of('settings').value, /fsync = off: a crash can destroy the database/)
  assert.deepEqual([found.worst, found.code], ['fail', 6])
})

/** What an operator must do something about. */
const troubles = [
  `ALTER TABLE records.note SET (autovacuum_enabled = off)`,
  `INSERT INTO records.note (title) SELECT 'same' FROM generate_series(1, 20000)`,
  `DELETE FROM records.note WHERE id > 10`,
  `ALTER TABLE records.note ADD CONSTRAINT long_title CHECK (length(title) > 100) NOT VALID`,
  // As after an upgrade, before a worker has run.
  `DO $$ DECLARE month regclass; BEGIN
     FOR month IN SELECT inhrelid FROM pg_inherits
       WHERE inhparent = 'docket.notification'::regclass AND inhrelid <> 'docket.notification_earlier'::regclass
     LOOP EXECUTE format('DROP TABLE %s', month); END LOOP;
   END $$`,
  `SELECT FROM pg_create_physical_replication_slot('${slot}', true)`,
  `SELECT FROM graphile_worker.add_job('webhook.send')`,
  `SELECT FROM graphile_worker.add_job('webhook.send', run_at => now() - interval '1 hour')`,
  `UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE id = (SELECT min(id) FROM graphile_worker._private_jobs)`,
]

test('what is wrong is named, with what to do: dead and late jobs, dead rows, unfinished changes, a slot', async () => {
  const client = await database.pool.connect()
  try {
    for (const statement of troubles) await client.query(statement)
    await assert.rejects(
      client.query(`CREATE UNIQUE INDEX CONCURRENTLY unique_title ON records.note (title)`),
    )
    await client.query('SELECT pg_stat_force_next_flush()')
  } finally {
    client.release(true)
  }
  const found = await examine()
  const expected: Readonly<Record<string, readonly [Level, RegExp, RegExp]>> = {
    'dead jobs': ['warn', /^1$/, /"Jobs" of the console/],
    'oldest waiting job': ['fail', /^60 min; 0 workers$/, /docket worker/],
    'dead rows': ['warn', /^records\.note \d+ %, never vacuumed$/, /VACUUM \(ANALYZE\)/],
    'invalid indexes': ['warn', /^1 index: records\.unique_title$/, /docket migrate/],
    'unchecked constraints': ['warn', /records\.note long_title$/, /docket migrate/],
    'months of notifications': ['warn', /^none is made$/, /docket worker/],
    'replication slots': [
      'warn',
      new RegExp(`${slot} inactive, keeps`),
      /pg_drop_replication_slot/,
    ],
  }
  for (const [name, [level, value, advice]] of Object.entries(expected)) {
    const one = found.of(name)
    assert.equal(one.level, level, name)
    assert.match(one.value, value)
    assert.match(one.advice ?? '', advice)
  }
})

test('people get a table with the advice below each line', async () => {
  const { code, out, err } = await docket(['doctor'])
  assert.equal(code, 6, err)
  assert.match(out, /^warn {2}dead jobs +1\n {6}They were given up: /m)
  assert.match(out, /^ok +clock +/m)
  assert.match(err, /^\d+ checks: \d+ failed, \d+ with a warning, \d+ not seen\.$/m)
})

test('a role without rights gets the lines that it may see, and the others say that it may not', async () => {
  const found = await examine(urlOf(role))
  assert.deepEqual(
    levelsOf(found, ['dead jobs', 'oldest transaction', 'invalid indexes', 'connections']),
    {
      'dead jobs': 'unknown',
      'oldest transaction': 'unknown',
      'invalid indexes': 'warn',
      connections: 'ok',
    },
  )
  assert.equal(found.of('dead jobs').value, 'this role may not see it')
  assert.match(found.of('oldest transaction').advice ?? '', /pg_monitor/)
})
