/**
 * The job that removes the texts of a person from what the service has written elsewhere. It begins after the record is anonymised, so
 * that nothing new is written with them, and looks again once nothing runs that may have read the record before.
 */
import { type Pool, type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { bigint, int, isoTime, sql, text, timestamp } from '../database/sql.ts'
import { enqueue, handleJob, type JobHandler, jobKind, jobsIn } from '../jobs/job.ts'
import { forgetMailings } from './forget-mailings.ts'
import { emptyNotifications, removeJobs } from './record-traces.ts'
import { type Forgotten, forgetStoredTexts } from './stored-texts.ts'
import { removeUserRows } from './user-tables.ts'

type Payload = {
  readonly entity_key: string
  readonly entity_id: number
  readonly is_user: boolean
  readonly is_purged: boolean
  /** The texts themselves: they are stored until the job is done, and nowhere else. */
  readonly searched: readonly string[]
  readonly placeholder: string
  /** When the texts were removed once: what has begun before may still write them. Null before that. */
  readonly before: Moment | null
}

type Moment = {
  readonly at: string
  /** The first transaction that had not begun. */
  readonly transaction: string
}

const forgetTexts = jobKind<Payload>('personalData.forget')

const pauseSeconds = 3

/** Enqueues the job in the transaction that anonymises the record. */
export const enqueueForget = (
  connection: Queryable,
  { entityKey, entityId, isUser, isPurged = false, searched, placeholder }: Forgotten,
): Promise<void> =>
  add(connection, {
    entity_key: entityKey,
    entity_id: entityId,
    is_user: isUser,
    is_purged: isPurged,
    searched,
    placeholder,
    before: null,
  })

const add = async (database: Queryable, payload: Payload, seconds = 0): Promise<void> => {
  const runAt = sql`now() + make_interval(secs => ${int(seconds)})`
  const job = enqueue({ kind: forgetTexts, payload, runAt })
  await queryRows(database, sql`SELECT ${jobsIn(job, 'jobs')}`)
}

/** The handler of the job. */
export const forgetHandler = (pool: Pool): JobHandler =>
  handleJob(forgetTexts, async (payload, { jobId }) => {
    const { before } = payload
    if (before && (await mayStillWrite(pool, before, jobId)))
      return add(pool, payload, pauseSeconds)
    const isAnySending = await forgetAll(pool, payload, jobId)
    if (!before) await add(pool, { ...payload, before: await presentMoment(pool) }, pauseSeconds)
    else if (isAnySending) await add(pool, payload, pauseSeconds)
  })

const presentMoment = async (database: Queryable): Promise<Moment> => {
  const row = await queryRow<Moment>(
    database,
    sql`
      SELECT ${isoTime('clock_timestamp()')} AS at,
        pg_snapshot_xmax(pg_current_snapshot())::text AS transaction`,
  )
  if (!row) throw new Error('PostgreSQL does not say what time it is.')
  return row
}

const forgetAll = async (pool: Pool, payload: Payload, jobId: string): Promise<boolean> => {
  const about = {
    entityKey: payload.entity_key,
    entityId: payload.entity_id,
    placeholder: payload.placeholder,
  }
  const forgotten = { ...about, isUser: payload.is_user, searched: payload.searched, jobId }
  if (payload.is_user) await removeUserRows(pool, payload.entity_id)
  if (payload.is_purged)
    await removeJobs(pool, { entity: { key: payload.entity_key }, id: payload.entity_id })
  await emptyNotifications(pool, about)
  await forgetStoredTexts(pool, forgotten)
  return forgetMailings(pool, forgotten)
}

/** Whether something runs that has begun before, and may have read the record. A job that waits reads it when it runs. */
const mayStillWrite = async (
  database: Queryable,
  { at, transaction }: Moment,
  jobId: string,
): Promise<boolean> => {
  const row = await queryRow<{ runs: boolean }>(
    database,
    sql`
      SELECT pg_snapshot_xmin(pg_current_snapshot()) < ${text(transaction)}::xid8 OR EXISTS (
        SELECT FROM docket.job j
        WHERE j.status = 'running' AND j.id <> ${bigint(jobId)} AND j.started_at < ${timestamp(at)}
      ) AS runs`,
  )
  return row?.runs ?? false
}
