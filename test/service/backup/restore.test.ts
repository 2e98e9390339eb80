/** Restore rejects unusable backups and databases in use, and leaves the database unchanged. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { restoreBackup } from '../../../src/backup/restore-backup.ts'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import { StartupError } from '../../../src/errors.ts'
import {
  backUp,
  createDatabase,
  createSource,
  project,
  restore,
  type Target,
} from '../../support/backup/a-backup.ts'
import { callDocket } from '../../support/call-docket.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until, within } from '../../support/wait.ts'

let backup: Buffer
before(async () => {
  backup = await backUp(await createSource())
})

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

test('restore into a database with tables of Docket requires the replace option', async () => {
  const target = await createDatabase()
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

test('restore lists objects of other owners that depend on the tables, and does not remove them', async () => {
  const target = await createDatabase()
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

test('restore rejects a database that a service in this process uses', async () => {
  const service = await startTestService(await writeProject(project), {}, await createSource())
  await assertRejects(
    restore(service.database, backup, true),
    /A service, a worker or a command uses this database \(\d+ connections, such as pid \d+ \(/,
  )
  await service.stop()
})

test('a command started during a restore reports that the restore uses the database', async () => {
  const { connectionString, ask } = await createDatabase()
  const source = new PassThrough()
  const blobs = openFolderStore({ folder: temporaryFolder(), isOwn: true })
  const options = { connectionString, source, blobs, replace: false, onTable: () => undefined }
  const restoring = restoreBackup(options)
  source.write(backup.subarray(0, backup.length / 2))
  const locks = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND database =
    (SELECT oid FROM pg_database WHERE datname = current_database())`
  await until('the restore has begun', async () => (await ask(locks)).length > 0)
  const PROJECT = await writeProject(project)
  const environment = { DATABASE_URL: connectionString, PROJECT, DATABASE_WAIT_SECONDS: '0' }
  const { code, err } = await callDocket(['migrate'], environment)
  source.end(backup.subarray(backup.length / 2))
  await within('the restore ends', restoring)
  assert.equal(code, 1)
  assert.match(err, /is not ready: a restore has exclusive use of the database/)
  const again = await callDocket(['migrate'], environment)
  assert.equal(again.code, 0, again.err)
})

test('a damaged or truncated backup restores nothing', async () => {
  const whole = gunzipSync(backup)
  const target = await createDatabase()
  for (let n = 0; n < 6; n++) {
    const at = Math.floor((whole.length - 1100) * (n / 6)) + n
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

test('truncated, unrelated and empty files are rejected', async () => {
  const target = await createDatabase()
  const wrongChecksum = Buffer.from(backup)
  const at = wrongChecksum.length - 8
  wrongChecksum.writeUInt8(wrongChecksum.readUInt8(at) ^ 1, at)
  const longer = Buffer.concat([gunzipSync(backup), Buffer.from('more')])
  for (const [file, sentence] of [
    ...[1, 8, 20].map((missing) => [backup.subarray(0, -missing), /damaged or truncated/] as const),
    [wrongChecksum, /damaged or truncated/],
    [gzipSync(longer), /continues after its end/],
    [Buffer.from('id,name\n1,a\n'), /not a backup of Docket/],
    [gzipSync('id,name\n1,a\n'), /truncated|archive/],
    [Buffer.alloc(0), /truncated|missing/],
  ] as const)
    await assertRejects(restore(target, file), sentence)
  assert.equal(await countTables(target), 0)
})

test('a backup of a newer Docket is rejected with the version to use', async () => {
  const source = await createSource()
  await source.pool.query(
    `INSERT INTO docket.migration (number, name) VALUES (9999, '9999-later.sql')`,
  )
  const target = await createDatabase()
  await assertRejects(
    restore(target, await backUp(source)),
    /created by Docket \d.*that version or a newer/,
  )
})

/** `docket restore` of a database with additional objects. */
const restoreWith = async (additionalSql: string) => {
  const source = await createSource()
  await source.pool.query(additionalSql)
  const PROJECT = await writeProject(project)
  const file = join(PROJECT, 'backup.tar.gz')
  await writeFile(file, await backUp(source))
  const target = await createDatabase()
  const environment = { DATABASE_URL: target.connectionString, PROJECT }
  return { target, outcome: await callDocket(['restore', file], environment) }
}

const cutNames = (when: string, then: string) =>
  `CREATE FUNCTION records.cut(name text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
     $$BEGIN IF ${when} THEN ${then}; END IF; RETURN left(name, 3); END$$;
   CREATE INDEX ON records.city (records.cut(name))`
const isRestore = `current_setting('application_name') = 'docket restore'`
const disconnect = 'PERFORM pg_terminate_backend(pg_backend_pid())'

test('the command succeeds with a warning when statistics cannot be collected', async () => {
  const { target, outcome } = await restoreWith(
    cutNames(`current_query() LIKE 'ANALYZE%'`, `RAISE 'no sample'`),
  )
  assert.equal(outcome.code, 0, outcome.err)
  assert.match(outcome.err, /was restored/)
  assert.match(outcome.err, /statistics .*no sample.*ANALYZE/)
  assert.equal((await target.ask('SELECT FROM records.city')).length, 2)
})

for (const [what, additionalSql, sentence] of [
  [
    'that nothing was changed when the connection breaks before the commit',
    cutNames(isRestore, disconnect),
    /was not restored; the database is unchanged\. The connection to PostgreSQL was lost: /,
  ],
  [
    'that the outcome is unknown when the connection breaks at the commit',
    `CREATE FUNCTION docket.disconnect() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN IF ${isRestore} THEN ${disconnect}; END IF; RETURN NULL; END$$;
     CREATE CONSTRAINT TRIGGER disconnect AFTER INSERT OR UPDATE ON docket.sending_database
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION docket.disconnect()`,
    /Whether .* was restored is not known.*--replace/,
  ],
] as const)
  test(`the command says ${what}`, async () => {
    const { outcome } = await restoreWith(additionalSql)
    assert.equal(outcome.code, 1)
    assert.match(outcome.err, sentence)
  })

test('an invalid command is reported in a sentence, and ends with 1 or 2', async () => {
  const { connectionString: DATABASE_URL } = await createDatabase()
  const PROJECT = await writeProject(project)
  assert.equal((await callDocket(['migrate'], { DATABASE_URL, PROJECT })).code, 0)
  const noBackup = join(PROJECT, 'entities/city.json')
  for (const [code, pattern, ...args] of [
    [1, /no\.tar\.gz cannot be read/, 'restore', 'no.tar.gz'],
    [
      1,
      /was not restored; the database is unchanged\. It is not a backup/,
      ...['restore', noBackup],
    ],
    [1, /is not a complete backup/, 'restore', '--check', noBackup],
    [1, /x\.tar\.gz cannot be written/, 'backup', '--out', join(PROJECT, 'no', 'x.tar.gz')],
    [2, /--drop-waiting requires --accept-copy/, 'deliveries', '--drop-waiting'],
  ] as const) {
    const outcome = await callDocket(args, { DATABASE_URL, PROJECT })
    assert.match(outcome.err, pattern)
    assert.equal(outcome.code, code)
    assert.doesNotMatch(outcome.err, /\n\s+at /)
  }
})
