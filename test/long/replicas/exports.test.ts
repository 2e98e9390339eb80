/** Exports on a replica of their own, and what becomes of one that PostgreSQL cancels there. */
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import type { Connection } from '../../../src/database/pool.ts'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { afterwards, opened } from '../../support/afterwards.ts'
import { untilBuffersFull } from '../../support/export-backends.ts'
import { exportOf, openExport, readCells, readToEnd } from '../../support/export-request.ts'
import {
  create,
  namesIn,
  pause,
  reader,
  readsOf,
  resume,
  type Standby,
  startReplicated,
  untilUsed,
} from '../../support/replicas/a-replicated-project.ts'
import type { TestService } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

let standby: Standby
let service: TestService
// A conflict is not waited for.
const all = opened(() => startReplicated(1, { max_standby_streaming_delay: '0' }))
before(async () => {
  const [one] = all.standbys
  assert.ok(one)
  standby = one
  service = await all.start({
    DATABASE_EXPORT_URL: standby.connectionString,
    DATABASE_REPLICA_LAG_SECONDS: '3600',
  })
  await all.addReader()
  await untilUsed(service, 1)
})
afterEach(async () => {
  await resume(standby)
  await all.untilReplayed()
})

const namesOf = async (options: { headers?: Record<string, string>; body?: object } = {}) => {
  const { text } = await exportOf(service, '/item/export', { as: reader, ...options })
  return readCells(text).flat()
}

test('reads are answered by the primary, for the replica is for exports alone', async () => {
  await pause(standby)
  await create(service, 'read')
  assert.ok((await namesIn(service, { as: reader })).includes('read'))
  assert.equal((await readsOf(service)).replicas, 0)
})

test('a caller who sends the position of a write exports it, others when it is replayed', async () => {
  await pause(standby)
  const { position } = await create(service, 'exported')
  assert.ok(!(await namesOf()).includes('exported'))
  assert.ok((await namesOf({ headers: { 'Docket-Position': position } })).includes('exported'))
  await resume(standby)
  await all.untilReplayed()
  assert.ok((await namesOf()).includes('exported'))
})

for (const format of exportFormatNames)
  test(`an export as ${format} comes from the replica`, async () => {
    await all.untilReplayed()
    await pause(standby)
    const rowsOf = async (as?: string) => {
      const path = `/item/export?format=${format}&manifest=true`
      const { status, trailers } = await exportOf(service, path, { ...(as && { as }) })
      assert.equal(status, 200)
      return Number(trailers['x-row-count'])
    }
    const earlier = await rowsOf(reader)
    await create(service, format)
    assert.equal(await rowsOf(reader), earlier)
    // Who has written it gets it from the primary.
    assert.equal(await rowsOf(), earlier + 1)
  })

/** A transaction of the primary whose locks the standby replays. */
const openTransaction = async () => {
  const connection = await all.primary.pool.connect()
  await connection.query('BEGIN')
  const close = afterwards(async () => {
    await connection.query('ROLLBACK')
    connection.release()
  })
  return { connection, close }
}
/** Locks a table, on the standby too as soon as it replays it. */
const lock = async (connection: Connection, table: string) => {
  await connection.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  // A standby is sent only what the primary has on disk, and a lock alone comes there with the next commit.
  await all.primary.pool.query(`SELECT pg_logical_emit_message(true, 'test', '')`)
}

/** Whether the standby has a lock of a table that is held, or waited for. */
const isLocked = async (mode: 'AccessShareLock' | 'AccessExclusiveLock', granted: boolean) => {
  const { rowCount } = await standby.pool.query(
    `SELECT FROM pg_locks WHERE locktype = 'relation' AND mode = $1 AND granted = $2`,
    [mode, granted],
  )
  return (rowCount ?? 0) > 0
}

/** The errors of exports that PostgreSQL has cancelled. */
const errorsOf = (kind: 'exportMoved' | 'exportAborted') =>
  service.observations.flatMap((one) => (one.kind === kind ? [String(one.error)] : []))

test('an export that a conflict cancels before its first bytes runs again on the primary, and is whole', async () => {
  const { id } = await create(service, 'moved')
  await all.untilReplayed()
  const { connection, close } = await openTransaction()
  // The export has the lock of the records, and waits for that of the boxes.
  await lock(connection, 'records.box')
  await until('the standby has replayed the lock', () => isLocked('AccessExclusiveLock', true))
  const body = { $where: { id }, $select: ['name', 'box.name'] }
  const exporting = exportOf(service, '/item/export', { as: reader, body })
  await until('the export waits on the standby', () => isLocked('AccessShareLock', false))
  await lock(connection, 'records.item')
  await until('the export is moved', () => errorsOf('exportMoved').length > 0)
  await close()
  const { status, text } = await within('the export ends', exporting)
  assert.equal(status, 200, text)
  assert.equal(readCells(text)[1]?.[0], 'moved')
  assert.match(errorsOf('exportMoved').join(), /conflict with recovery/)
})

test('an export that a conflict cancels after its first bytes is visibly broken', async () => {
  await all.primary.pool.query(
    `INSERT INTO records.item (name, _created_at, _updated_at)
     SELECT repeat('x', 1000), now(), now()
     FROM generate_series(1, 60000)`,
  )
  await all.untilReplayed()
  const response = await openExport(service, '/item/export', { as: reader })
  assert.equal(response.statusCode, 200)
  // The export may be cut before anybody reads it.
  response.on('error', () => undefined)
  await untilBuffersFull({ database: standby })
  const { connection } = await openTransaction()
  await lock(connection, 'records.item')
  // PostgreSQL cancels a statement that is sending rows only when its client has read what was sent.
  await until(
    'the replay waits for the export, or the export is cut',
    async () =>
      (await isLocked('AccessExclusiveLock', false)) || errorsOf('exportAborted').length > 0,
  )
  await assert.rejects(within('the export is cut', readToEnd(response)), /aborted/)
  assert.match(errorsOf('exportAborted').join(), /conflict with recovery/)
})

test('while the replica is away, exports run on the primary', async () => {
  await standby.stop()
  assert.ok((await namesOf()).includes('moved'))
  await standby.start()
})
