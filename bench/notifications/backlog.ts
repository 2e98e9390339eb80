/** A backlog: records as if they had just been created, each with the job of its message. */
import { queryRows } from '../../src/database/pool.ts'
import { bound, raw, type Sql, sql, tableName, toStatement } from '../../src/database/sql.ts'
import { transaction } from '../../src/database/transaction.ts'
import { enqueueMany } from '../../src/jobs/enqueue.ts'
import type { JobKind } from '../../src/jobs/job.ts'
import type { ChangeMessage } from '../../src/records/write/change-events.ts'
import { untilHolds } from '../until-holds.ts'
import type { FanOutPlace } from './fan-out-place.ts'
import { memberCount, readersOf } from './fan-out-project.ts'

export type Backlog = {
  readonly entity: keyof typeof readersOf
  readonly kind: JobKind<ChangeMessage>
  readonly events: number
}

/** Writes it in one transaction, and answers after how many seconds nothing of it is left. */
export const drain = async (place: FanOutPlace, backlog: Backlog): Promise<number> => {
  const { pool } = place
  // What was worked off before stays in the table until it is vacuumed.
  await pool.query('VACUUM graphile_worker._private_jobs')
  const lastId = await transaction(pool, async (connection) => {
    await queryRows(connection, toStatement(writing(place, backlog)))
    return (await queryRows<{ id: number }>(connection, latestJob))[0]?.id ?? 0
  })
  const begun = performance.now()
  const isLeft = toStatement(sql`SELECT id FROM ${jobs} WHERE id = ${bound(lastId, 'bigint')}`)
  const ended = await untilHolds('the backlog is gone', async () => {
    // Jobs are taken in their order, and counting those that are left takes a while.
    if ((await queryRows(pool, isLeft)).length > 0) return false
    const [left] = await queryRows<{ count: number; error: string | null }>(pool, leftJobs)
    if (left?.error) throw new Error(`A job failed: ${left.error}`)
    return left?.count === 0
  })
  return (ended - begun) / 1000
}

const jobs = raw('graphile_worker._private_jobs')
const latestJob = toStatement(sql`SELECT max(id) AS id FROM ${jobs}`)
const leftJobs = toStatement(sql`SELECT count(*) AS count, max(last_error) AS error FROM ${jobs}`)

/** The records and their jobs; people are named evenly, and far from one event to the next. */
const writing = ({ members }: FanOutPlace, { entity, kind, events }: Backlog): Sql => {
  const columns = readersOf[entity].map((reader) => `${reader}_id`)
  const readers = columns.map((_, place) => {
    const number = `(n * ${columns.length} + ${place})::bigint * 7919`
    return `${members.first} + (${number}) % ${memberCount}`
  })
  const insert = raw(
    `INSERT INTO ${tableName(entity)} (title, ${columns.join(', ')}, _created_by, _updated_by) SELECT 'The lift is out of order', ${readers.join(', ')}, 1, 1 FROM generate_series(1, ${events}) n RETURNING id`,
  )
  const at = new Date().toISOString()
  const payload = sql`json_build_object('event', gen_random_uuid(), 'entity_key', ${bound(entity, 'text')}, 'entity_id', id, 'operation', 'create', 'action', NULL, 'comment', NULL, 'actor_id', 1, 'at', ${bound(at, 'text')})`
  return sql`WITH new AS (${insert}) ${enqueueMany({ kind, payload, rows: raw('new') })}`
}
