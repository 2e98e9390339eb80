/** What is refused at a restore, and that the database is as it was then. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { StartupError } from '../../src/errors.ts'
import { aDatabase, aService, backUp, restore, type Target } from './a-backup.ts'

const tablesOf = async ({ ask }: Target) => {
  const rows = await ask(
    `SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('docket', 'records')`,
  )
  return rows.length
}

const refuses = async (restoring: Promise<unknown>, pattern: RegExp) =>
  assert.rejects(restoring, (error: Error) => {
    assert.ok(error instanceof StartupError, String(error.stack))
    assert.match(error.message, pattern)
    return true
  })

test('a database with tables of Docket is left alone, unless it is to be replaced', async (t) => {
  const service = await aService(t)
  const backup = await backUp(service.database)
  const target = await aDatabase(t)
  await restore(target, backup)
  await target.ask('DELETE FROM records.city')
  await refuses(restore(target, backup), /not empty.*--replace/)
  const count = 'SELECT count(*)::integer AS count FROM records.city'
  assert.deepEqual(await target.ask(count), [{ count: 0 }])
  await restore(target, backup, true)
  assert.deepEqual(await target.ask(count), [{ count: 2 }])
})

const ofOthers = {
  'view reports.big': 'VIEW reports.big AS SELECT * FROM records.city',
  'materialized view reports.names':
    'MATERIALIZED VIEW reports.names AS SELECT name FROM reports.big',
  'function reports.first()':
    'FUNCTION reports.first() RETURNS records.city LANGUAGE sql RETURN NULL::records.city',
  'table reports.visit': 'TABLE reports.visit (city integer REFERENCES records.city)',
  'publication everything': 'PUBLICATION everything FOR TABLE records.city',
}

test('what others made of the tables is named, and not removed with them', async (t) => {
  const service = await aService(t)
  const backup = await backUp(service.database)
  const target = await aDatabase(t)
  await restore(target, backup)
  const made = Object.values(ofOthers).map((made) => `CREATE ${made};`)
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
  await refuses(
    restore(target, backup, true),
    new RegExp(`with them: ${RegExp.escape(named.join(', '))}\\. Remove them`),
  )
  const count = 'SELECT count(*)::integer AS count FROM reports.big'
  assert.deepEqual(await target.ask(count), [{ count: 0 }])
  const names = Object.keys(ofOthers).toReversed()
  await target.ask(names.map((name) => `DROP ${name};`).join(''))
  await restore(target, backup, true)
  assert.deepEqual(await target.ask('SELECT city FROM reports.own'), [])
})

test('a database that a service in this process uses is left alone', async (t) => {
  const service = await aService(t)
  const backup = await backUp(service.database)
  await refuses(
    restore(service.database, backup, true),
    /A service, a worker or a command uses this database/,
  )
})

test('a backup that is damaged or cut at any place restores nothing', async (t) => {
  const service = await aService(t)
  const whole = gunzipSync(await backUp(service.database))
  const target = await aDatabase(t)
  for (let n = 0; n < 25; n++) {
    const at = Math.floor((whole.length - 1100) * (n / 25)) + n
    const flipped = Buffer.from(whole)
    flipped[at] = (flipped[at] ?? 0) ^ 0x01
    // A flipped bit in what only pads or dates an entry is no damage.
    const outcome = await restore(target, gzipSync(flipped)).catch((error: Error) => error)
    if (outcome instanceof Error) assert.equal(await tablesOf(target), 0)
    else {
      await target.ask('DROP SCHEMA docket CASCADE; DROP SCHEMA records CASCADE')
      assert.ok(isOutside(whole, at), `byte ${at}`)
    }
    await refuses(
      restore(target, gzipSync(whole.subarray(0, at))),
      /missing|truncated|not a backup|archive/,
    )
    assert.equal(await tablesOf(target), 0)
  }
})

/** Whether a byte is in the head or the padding of an entry, and not in what it holds. */
const isOutside = (archive: Buffer, at: number): boolean => {
  for (let start = 0; start < archive.length; ) {
    const size = Number.parseInt(archive.toString('latin1', start + 124, start + 135), 8)
    const end = start + 512 + Math.ceil(size / 512) * 512
    if (at < end) return at < start + 512 || at >= start + 512 + size
    start = end
  }
  return true
}

test('a compressed file that was cut, another file and an empty one are refused', async (t) => {
  const service = await aService(t)
  const backup = await backUp(service.database)
  const target = await aDatabase(t)
  for (const lost of [1, 8, 20])
    await refuses(restore(target, backup.subarray(0, backup.length - lost)), /damaged or truncated/)
  const sum = Buffer.from(backup)
  sum.writeUInt8(sum.readUInt8(sum.length - 8) ^ 1, sum.length - 8)
  await refuses(restore(target, sum), /damaged or truncated/)
  const longer = Buffer.concat([gunzipSync(backup), Buffer.from('more')])
  await refuses(restore(target, gzipSync(longer)), /continues after its end/)
  await refuses(restore(target, Buffer.from('id,name\n1,a\n')), /not a backup of Docket/)
  await refuses(restore(target, gzipSync('id,name\n1,a\n')), /truncated|archive/)
  await refuses(restore(target, Buffer.alloc(0)), /truncated|missing/)
  assert.equal(await tablesOf(target), 0)
})

test('a backup of a newer Docket is refused with the version to use', async (t) => {
  const service = await aService(t)
  const { pool } = service.database
  await pool.query(`INSERT INTO docket.migration (number, name) VALUES (9999, '9999-later.sql')`)
  const target = await aDatabase(t)
  await refuses(
    restore(target, await backUp(service.database)),
    /created by Docket \d.*that version or a newer/,
  )
})

test('a database that Docket was never started on has no backup', async (t) => {
  await refuses(backUp(await aDatabase(t)), /never run on this database/)
})
