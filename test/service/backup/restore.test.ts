/** Restore rejects unusable backups and databases in use, and leaves the database unchanged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { StartupError } from '../../../src/errors.ts'
import {
  backUp,
  createDatabase,
  restore,
  startService,
  type Target,
} from '../../support/backup/a-backup.ts'

const countTables = async ({ ask }: Target) => {
  const rows = await ask(
    `SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('docket', 'records')`,
  )
  return rows.length
}

const assertRejects = async (restored: Promise<unknown>, pattern: RegExp) =>
  assert.rejects(restored, (error: Error) => {
    assert.ok(error instanceof StartupError, String(error.stack))
    assert.match(error.message, pattern)
    return true
  })

test('restore into a database with tables of Docket requires the replace option', async (t) => {
  const service = await startService(t)
  const backup = await backUp(service.database)
  const target = await createDatabase(t)
  await restore(target, backup)
  await target.ask('DELETE FROM records.city')
  await assertRejects(restore(target, backup), /not empty.*--replace/)
  const count = 'SELECT count(*)::integer AS count FROM records.city'
  assert.deepEqual(await target.ask(count), [{ count: 0 }])
  await restore(target, backup, true)
  assert.deepEqual(await target.ask(count), [{ count: 2 }])
})

const dependentObjects = {
  'view reports.big': 'VIEW reports.big AS SELECT * FROM records.city',
  'materialized view reports.names':
    'MATERIALIZED VIEW reports.names AS SELECT name FROM reports.big',
  'function reports.first()':
    'FUNCTION reports.first() RETURNS records.city LANGUAGE sql RETURN NULL::records.city',
  'table reports.visit': 'TABLE reports.visit (city integer REFERENCES records.city)',
  'publication everything': 'PUBLICATION everything FOR TABLE records.city',
}

test('restore lists objects of other owners that depend on the tables, and does not remove them', async (t) => {
  const service = await startService(t)
  const backup = await backUp(service.database)
  const target = await createDatabase(t)
  await restore(target, backup)
  const made = Object.values(dependentObjects).map((made) => `CREATE ${made};`)
  await target.ask(`CREATE SCHEMA reports; ${made.join('')}
    CREATE INDEX ON reports.names (name); CREATE TABLE reports.own (city integer); DELETE FROM records.city`)
  const named = [
    ...['constraint visit_city_fkey on table reports.visit', 'function reports.first()'],
    ...[
      'materialized view reports.names',
      'publication of table records.city in publication everything',
    ],
    'view reports.big',
  ]
  await assertRejects(
    restore(target, backup, true),
    new RegExp(`with them: ${RegExp.escape(named.join(', '))}\\. Remove them`),
  )
  const count = 'SELECT count(*)::integer AS count FROM reports.big'
  assert.deepEqual(await target.ask(count), [{ count: 0 }])
  const names = Object.keys(dependentObjects).toReversed()
  await target.ask(names.map((name) => `DROP ${name};`).join(''))
  await restore(target, backup, true)
  assert.deepEqual(await target.ask('SELECT city FROM reports.own'), [])
})

test('restore rejects a database that a service in this process uses', async (t) => {
  const service = await startService(t)
  const backup = await backUp(service.database)
  await assertRejects(
    restore(service.database, backup, true),
    /A service, a worker or a command uses this database/,
  )
})

test('a damaged or truncated backup restores nothing', async (t) => {
  const service = await startService(t)
  const whole = gunzipSync(await backUp(service.database))
  const target = await createDatabase(t)
  for (let n = 0; n < 25; n++) {
    const at = Math.floor((whole.length - 1100) * (n / 25)) + n
    const flipped = Buffer.from(whole)
    flipped[at] = (flipped[at] ?? 0) ^ 0x01
    // A flipped bit in the padding or the date of an entry does not damage it.
    const outcome = await restore(target, gzipSync(flipped)).catch((error: Error) => error)
    if (outcome instanceof Error) assert.equal(await countTables(target), 0)
    else {
      await target.ask('DROP SCHEMA docket CASCADE; DROP SCHEMA records CASCADE')
      assert.ok(isOutsideContent(whole, at), `byte ${at}`)
    }
    await assertRejects(
      restore(target, gzipSync(whole.subarray(0, at))),
      /missing|truncated|not a backup|archive/,
    )
    assert.equal(await countTables(target), 0)
  }
})

/** Whether a byte belongs to the header or the padding of an entry, not to its content. */
const isOutsideContent = (archive: Buffer, at: number): boolean => {
  for (let start = 0; start < archive.length; ) {
    const size = Number.parseInt(archive.toString('latin1', start + 124, start + 135), 8)
    const end = start + 512 + Math.ceil(size / 512) * 512
    if (at < end) return at < start + 512 || at >= start + 512 + size
    start = end
  }
  return true
}

test('truncated, unrelated and empty files are rejected', async (t) => {
  const service = await startService(t)
  const backup = await backUp(service.database)
  const target = await createDatabase(t)
  for (const missingBytes of [1, 8, 20])
    await assertRejects(
      restore(target, backup.subarray(0, backup.length - missingBytes)),
      /damaged or truncated/,
    )
  const wrongChecksum = Buffer.from(backup)
  wrongChecksum.writeUInt8(
    wrongChecksum.readUInt8(wrongChecksum.length - 8) ^ 1,
    wrongChecksum.length - 8,
  )
  await assertRejects(restore(target, wrongChecksum), /damaged or truncated/)
  const longer = Buffer.concat([gunzipSync(backup), Buffer.from('more')])
  await assertRejects(restore(target, gzipSync(longer)), /continues after its end/)
  await assertRejects(restore(target, Buffer.from('id,name\n1,a\n')), /not a backup of Docket/)
  await assertRejects(restore(target, gzipSync('id,name\n1,a\n')), /truncated|archive/)
  await assertRejects(restore(target, Buffer.alloc(0)), /truncated|missing/)
  assert.equal(await countTables(target), 0)
})

test('a backup of a newer Docket is rejected with the version to use', async (t) => {
  const service = await startService(t)
  const { pool } = service.database
  await pool.query(`INSERT INTO docket.migration (number, name) VALUES (9999, '9999-later.sql')`)
  const target = await createDatabase(t)
  await assertRejects(
    restore(target, await backUp(service.database)),
    /created by Docket \d.*that version or a newer/,
  )
})

test('a database that Docket never ran on cannot be backed up', async (t) => {
  await assertRejects(backUp(await createDatabase(t)), /never run on this database/)
})

test('nobody is signed in to a restored database', async (t) => {
  const service = await startService(t)
  await createLoginCode(service.database.pool, 1)
  await service.database.pool.query(
    `INSERT INTO docket.session (digest, user_id, expires_at)
     VALUES ('x', 1, now() + interval '1 hour')`,
  )
  const target = await createDatabase(t)
  await restore(target, await backUp(service.database))
  for (const table of ['session', 'login_code'])
    assert.deepEqual(await target.ask(`SELECT FROM docket.${table}`), [])
})
