/**
 * The job that removes the texts of a person from what the service has written elsewhere. It begins after the record is anonymised, so
 * that nothing new is written with them, and looks again once nothing runs that may have read the record before.
 */
import {
  execute,
  type Pool,
  type Queryable,
  queryCount,
  queryRow,
  queryRows,
  queryValue,
} from '../database/pool.ts'
import {
  bigint,
  bound,
  int,
  isoTime,
  type Sql,
  sql,
  text,
  texts,
  timestamp,
} from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { enqueue, handleJob, type JobHandler, jobKind, jobsIn } from '../jobs/job.ts'
import { emptyNotifications, removeAttachments, removeJobs } from './record-traces.ts'
import { createForget, mayContain } from './searched-texts.ts'
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
): Promise<boolean> =>
  (await queryValue<boolean>(
    database,
    sql`
      SELECT pg_snapshot_xmin(pg_current_snapshot()) < ${text(transaction)}::xid8 OR EXISTS (
        SELECT FROM docket.job j
        WHERE j.status = 'running' AND j.id <> ${bigint(jobId)} AND j.started_at < ${timestamp(at)}
      ) AS runs`,
  )) ?? false

// Messages about other records that name the person: their data, what was sent of them, and their attachments.

const batchSize = 100

/** Returns whether some are being sent now, which are left for later. */
const forgetMailings = async (pool: Pool, forgotten: Forgotten): Promise<boolean> => {
  if (forgotten.searched.length === 0) return false
  const forget = createForget(forgotten.searched, forgotten.placeholder)
  let isAnyLeft = false
  for (let after = 0; ; ) {
    const rows = await findMailings(pool, forgotten, after)
    const changed = rows
      .map(({ id, data }) => ({ id, data, next: forget(data, true) }))
      .filter(({ data, next }) => next !== data)
    if (changed.length > 0)
      isAnyLeft = (await transaction(pool, (one) => replaceData(one, changed))) || isAnyLeft
    after = rows.at(-1)?.id ?? after
    if (rows.length < batchSize) return isAnyLeft
  }
}

/** The number of those messages. */
export const countMailings = async (database: Queryable, forgotten: Forgotten): Promise<number> => {
  if (forgotten.searched.length === 0) return 0
  const select = sql`
    SELECT count(*) AS rows
    FROM docket.mailing m
    WHERE ${names(forgotten)} AND ${isOfOther(forgotten)}`
  return queryCount(database, select)
}

const names = ({ searched }: Forgotten): Sql => mayContain(sql`m.data::text`, searched, true)

const isOfOther = ({ entityKey, entityId }: Forgotten): Sql =>
  sql`(m.entity_key <> ${text(entityKey)} OR m.entity_id <> ${int(entityId)})`

const findMailings = (database: Queryable, forgotten: Forgotten, after: number) =>
  queryRows<{ id: number; data: string }>(
    database,
    sql`
      SELECT m.id, m.data::text AS data
      FROM docket.mailing m
      WHERE m.id > ${bigint(after)} AND ${names(forgotten)}
      ORDER BY m.id
      LIMIT ${int(batchSize)}`,
  )

type Changed = { readonly id: number; readonly next: string }

/**
 * Its deliveries are locked first: one that a process takes at this moment is then known to be sent. What was sent is shown as it would
 * be composed now, and attachments are made again for those who still wait.
 */
const replaceData = async (database: Queryable, changed: readonly Changed[]): Promise<boolean> => {
  const ids = bound(
    changed.map(({ id }) => id),
    'bigint[]',
  )
  const deliveries = await queryRows<{ mailing_id: number; is_sending: boolean }>(
    database,
    sql`
      SELECT d.mailing_id, d.status = 'sending' AS is_sending
      FROM docket.delivery d
      WHERE d.mailing_id = ANY (${ids})
      ORDER BY d.id
      FOR UPDATE`,
  )
  const sending = new Set(deliveries.flatMap((one) => (one.is_sending ? [one.mailing_id] : [])))
  const still = changed.filter(({ id }) => !sending.has(id))
  const stillIds = bound(
    still.map(({ id }) => id),
    'bigint[]',
  )
  const meant = sql`m.id = ANY (${stillIds})`
  const ofMeant = sql`SELECT m.id FROM docket.mailing m WHERE ${meant}`
  await execute(
    database,
    sql`
      UPDATE docket.mailing m
      SET data = n.data::json
      FROM unnest(${stillIds}, ${texts(still.map(({ next }) => next))}) n(id, data)
      WHERE m.id = n.id`,
  )
  await execute(
    database,
    sql`
      DELETE FROM docket.sent_message s
      USING docket.delivery d
      WHERE d.id = s.delivery_id AND d.mailing_id IN (${ofMeant})`,
  )
  await execute(
    database,
    sql`
      DELETE FROM docket.mailing_audience a
      WHERE a.mailing_id IN (${ofMeant}) AND EXISTS (
        SELECT FROM docket.delivery d
        WHERE d.mailing_id = a.mailing_id AND d.status IN ('queued', 'failed')
      )`,
  )
  const remove = sql`DELETE FROM docket.attachment a WHERE a.mailing_id IN (${ofMeant})`
  await removeAttachments(database, meant, remove)
  return sending.size > 0
}
