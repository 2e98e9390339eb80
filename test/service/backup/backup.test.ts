/** A backup is a consistent snapshot, and restore gives the same data. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import { createPool } from '../../../src/database/pool.ts'
import { isSendingDatabase } from '../../../src/database/sending-database.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { keepMonthsAhead } from '../../../src/inbox/months.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import {
  backUp,
  createDatabase,
  createSource,
  entriesOf,
  project,
  restore,
  restoredFrom,
} from '../../support/backup/a-backup.ts'
import { keepBytes } from '../../support/files/keep-bytes.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { within } from '../../support/wait.ts'

/** The entries without the time of the backup and without the mark that stops sending. */
const comparable = async (backup: Buffer) => {
  const entries = await entriesOf(backup)
  return [...entries]
    .filter(([path]) => !/head|manifest|sending_database/.test(path))
    .map(([path, bytes]) => [path, bytes.toString('utf8')] as const)
}

test('a backup of a restored database has the same content; its months are months with rows and indexes', async () => {
  const source = await createSource()
  await keepMonthsAhead(source.pool)
  await source.pool.query(
    `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
     SELECT docket.notification_id(at, '', '', i), at, i, 1, 'city', '{}'
     FROM generate_series(1, 5) i, LATERAL (SELECT now() + i * interval '40 days' AS at) w`,
  )
  const target = await createDatabase()
  const backup = await backUp(source)
  const { counts } = await restore(target, backup)
  assert.equal(counts.find(({ name }) => name === 'records.city')?.rows, 2)
  assert.deepEqual(await comparable(await backUp(target)), await comparable(backup))
  const months = `SELECT inhrelid::regclass::text AS month, pg_get_expr(relpartbound, oid) AS ids,
      (SELECT count(*)::integer FROM pg_index WHERE indrelid = oid AND indisvalid) AS indexes
    FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'docket.notification'::regclass ORDER BY 1`
  const rows =
    'SELECT tableoid::regclass::text AS month, user_id FROM docket.notification ORDER BY _id'
  for (const select of [months, rows])
    assert.deepEqual(await target.ask(select), (await source.pool.query(select)).rows)
})

test('a backup takes the bytes of files along in parts, and a restore verifies and stores them', async () => {
  const source = await createSource()
  const aStore = () => openFolderStore({ folder: join(temporaryFolder(), 'files'), isOwn: true })
  const [blobs, others] = [aStore(), aStore()]
  const content = Buffer.alloc(5_000_000, 'a file of two parts ')
  const sha256 = await keepBytes(blobs, content)
  const missing = 'f'.repeat(64)
  await source.pool.query(
    `INSERT INTO docket.blob (sha256, bytes, state) VALUES ($1, 5000000, 'stored'), ($2, 1, 'stored')`,
    [sha256, missing],
  )
  const backup = await backUp({ ...source, blobs })
  const parts = [...(await entriesOf(backup)).keys()].filter((one) => one.startsWith('files/'))
  assert.deepEqual(parts, [`files/${sha256}/00000001`, `files/${sha256}/00000002`])
  const target = await createDatabase()
  const damaged = gunzipSync(backup)
  const at = damaged.indexOf('a file of two parts ', damaged.length / 2)
  damaged[at] = 0
  const restored = restore({ ...target, blobs: others }, gzipSync(damaged))
  await assert.rejects(restored, new RegExp(`files/${sha256}/ does not match its checksum`))
  assert.equal(await others.sizeOf(sha256), undefined)
  assert.equal((await restore({ ...target, blobs: others }, backup)).files, 1)
  assert.deepEqual(await buffer(await others.open(sha256)), content)
})

const sends = async ({ connectionString }: { connectionString: string }) => {
  const pool = createPool({ connectionString, size: 1, observe: () => undefined })
  return isSendingDatabase(pool).finally(() => pool.end())
}

test('restore keeps sequences, constraints and jobs; nobody is signed in, and nothing is sent', async () => {
  const source = await createSource()
  await createLoginCode(source.pool, 1)
  await source.pool.query(
    `INSERT INTO docket.session (digest, user_id, expires_at) VALUES ('x', 1, now() + interval '1 hour');
     INSERT INTO docket.passkey (user_id, credential_id, public_key, counter, transports, name)
     VALUES (1, 'YQ', '\\x00ff5c0a', 7, '{internal}', 'Laptop');
     INSERT INTO docket.second_factor (user_id, key, last_step) VALUES (1, '\\x0102', 9);
     INSERT INTO docket.recovery_code (user_id, digest) VALUES (1, 'x');
     INSERT INTO docket.sign_in_step (digest, user_id, expires_at) VALUES ('x', 1, now() + interval '1 hour');
     INSERT INTO docket.used_challenge (digest, expires_at) VALUES ('x', now() + interval '1 hour');
     SELECT docket.add_job('task.tell', '{"a":1}')`,
  )
  const target = await restoredFrom(source)
  const insert = `INSERT INTO records.city (name) VALUES ('Split') RETURNING id`
  assert.deepEqual(await target.ask(insert), [{ id: 3 }])
  await assert.rejects(target.ask(insert), { code: '23505' })
  await assert.rejects(target.ask('UPDATE records.city SET twin_id = 99'), { code: '23503' })
  const jobs = await target.ask('SELECT id, kind, payload::text, status FROM docket.job')
  assert.deepEqual(jobs, [{ id: '1', kind: 'task.tell', payload: '{"a":1}', status: 'queued' }])
  assert.deepEqual(
    await target.ask(`SELECT docket.add_job('task.tell', '{}') AS job, lastval()::integer AS id`),
    [{ job: 1, id: 2 }],
  )
  const kept = [
    'SELECT credential_id, public_key::text, counter::text, transports FROM docket.passkey',
    'SELECT user_id, key::text, last_step FROM docket.second_factor',
  ]
  for (const select of kept)
    assert.deepEqual(await target.ask(select), (await source.pool.query(select)).rows)
  for (const table of [
    'session',
    'one_time_code',
    'recovery_code',
    'sign_in_step',
    'used_challenge',
  ])
    assert.deepEqual(await target.ask(`SELECT FROM docket.${table}`), [])
  assert.deepEqual([await sends(source), await sends(target)], [true, false])
})

test('a table that is stored in several parts is restored completely', async () => {
  const source = await createSource()
  await source.pool.query(
    `INSERT INTO records.city (name, notes) SELECT 'c' || i, repeat(md5(i::text), 40) FROM generate_series(1, 9000) i`,
  )
  const target = await createDatabase()
  const backup = await backUp(source)
  const paths = [...(await entriesOf(backup)).keys()]
  assert.ok(paths.filter((path) => path.includes('records.city')).length > 1)
  await restore(target, backup)
  const sum = `SELECT count(*)::integer AS count, md5(string_agg(name || notes, '' ORDER BY id)) AS sum FROM records.city`
  assert.deepEqual(await target.ask(sum), (await source.pool.query(sum)).rows)
})

test('a backup contains a concurrent write completely or not at all', async () => {
  const service = await startTestService(project, {}, await createSource())
  let writing: Promise<unknown> | undefined
  const backup = await backUp(service.database, () => {
    writing ??= service.ask('POST', '/city', { body: { name: 'Osijek' } })
  })
  await writing
  const target = await createDatabase()
  await restore(target, backup)
  const rows = await target.ask(
    `SELECT (SELECT count(*)::integer FROM records.city) AS cities,
       (SELECT count(*)::integer FROM docket.history WHERE entity_key = 'city' AND operation = 'create') AS changes`,
  )
  assert.deepEqual(rows, [{ cities: 2, changes: 2 }])
  await service.stop()
})

test('a backup that waits for a migration contains the migrated data', async () => {
  const source = await createSource()
  const migration = await source.pool.connect()
  let backup: Promise<Buffer> | undefined
  try {
    await migration.query('BEGIN; ALTER TABLE records.city ALTER area TYPE numeric(20, 4)')
    await migration.query('CREATE TABLE records.later AS SELECT 1 AS id')
    backup = backUp(source)
    await untilWaitingForLock(source.pool)
    await migration.query('COMMIT')
  } finally {
    migration.release(true)
  }
  const target = await createDatabase()
  await restore(target, await within('the backup ends', backup))
  const rows = await target.ask(
    `SELECT (SELECT count(*)::integer FROM records.city) AS cities, (SELECT max(area)::text FROM records.city) AS area,
       (SELECT count(*)::integer FROM records.later) AS later`,
  )
  assert.deepEqual(rows, [{ cities: 2, area: '641.2000', later: 1 }])
})

test('the backup lists views and types that it leaves out', async () => {
  const source = await createSource()
  await source.pool.query(
    "CREATE VIEW records.big AS SELECT * FROM records.city; CREATE TYPE docket.mood AS ENUM ('fine')",
  )
  const head = JSON.parse(String((await entriesOf(await backUp(source))).get('head.json')))
  assert.deepEqual(head.leftOut, ['type docket.mood', 'view records.big'])
})

const indexes = `SELECT indexname AS name FROM pg_indexes
  WHERE schemaname = 'records' AND tablename = 'city' AND indexname LIKE '%.trgm'`

test('a backup has no indexes of extensions, which may be missing: the first start adds them', async () => {
  const source = await createSource()
  const { rows } = await source.pool.query(indexes)
  assert.deepEqual(rows, [{ name: 'city.name.trgm' }])
  const target = await restoredFrom(source)
  assert.deepEqual(await target.ask(indexes), [])
  assert.deepEqual(await target.ask(`SELECT FROM pg_extension WHERE extname = 'pg_trgm'`), [])

  const { connectionString } = target
  const loaded = await loadProject(await writeProject(project))
  assert.ok(loaded.project)
  const { catalog } = loaded.project
  const pool = createPool({ connectionString, size: 1, observe: () => undefined })
  try {
    await syncSchema({ pool, catalog, observe: () => undefined })
  } finally {
    await pool.endWithin(5000)
  }
  assert.deepEqual(await target.ask(indexes), [{ name: 'city.name.trgm' }])
})

test('a database that Docket never ran on cannot be backed up', async () => {
  await assert.rejects(backUp(await createDatabase()), {
    name: 'StartupError',
    message: /never run on this database/,
  })
})
