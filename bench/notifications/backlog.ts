/** How fast workers process a backlog of events, compared with the same number of empty jobs. */
import { queryRows } from '../../src/database/pool.ts'
import { raw, type Sql, sql, table, text } from '../../src/database/sql.ts'
import { transaction } from '../../src/database/transaction.ts'
import { enqueue, jobsIn } from '../../src/jobs/job.ts'
import { sendNotifications } from '../../src/records/write/change-events.ts'
import { until } from '../../test/support/wait.ts'
import { byTurns, median, rangeOf, rounds, sampler } from '../figures.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { memberCount } from './fill.ts'
import { clearEmails, emptyJob, type Measured, waitSeconds, withoutSending } from './measured.ts'

const events = 5000
const warmUpEvents = 500
const workerCounts = [1, 2]
/** Jobs that a process runs concurrently, in Docket and in the comparison. */
export const jobsAtOnce = 32

/** Entities whose records notify the users of these fields. */
const readersOf = {
  memo: ['reader_id'],
  circular: Array.from({ length: 10 }, (_, index) => `reader_${index + 1}_id`),
}

type Backlog = {
  readonly entity: keyof typeof readersOf
  readonly kind: typeof emptyJob
  readonly workers: number
}

/** Three rows for each number of workers: empty jobs, events of one recipient, events of ten. */
export const measureBacklog = async (measured: Measured): Promise<Table> => {
  const found = workerCounts.map((workers) => {
    const rate = (entity: Backlog['entity'], kind: Backlog['kind']) =>
      sampler(() => rateOf(measured, { entity, kind, workers }))
    return {
      workers,
      empty: rate('memo', emptyJob),
      memo: rate('memo', sendNotifications),
      circular: rate('circular', sendNotifications),
    }
  })
  // Each run warms up by itself.
  const all = found.flatMap(({ empty, memo, circular }) => [empty, memo, circular])
  await byTurns(all, { warmUps: 0 })
  const rows = found.flatMap(({ workers, empty, memo, circular }): Row[] => {
    const processes = workers === 1 ? '1 process' : `${workers} processes`
    const rowOf = (what: string, { samples }: typeof empty, recipients: number) => {
      const perSecond = median(samples)
      const ratio = perSecond / median(empty.samples)
      return {
        what: `${processes}, ${what}`,
        'events/s': perSecond,
        'notifications/s': perSecond * recipients,
        ratio,
        range: rangeOf(samples, empty.samples),
        ...aimOf(ratio, { least: 0.5 }),
      }
    }
    return [
      { what: `${processes}, empty jobs`, 'events/s': median(empty.samples) },
      rowOf('one recipient each', memo, 1),
      rowOf('ten recipients each', circular, 10),
    ]
  })
  return {
    title: `A backlog of ${events} events, ${jobsAtOnce} jobs at once in a process, e-mails wait in the queue, median of ${rounds}`,
    rows,
  }
}

/** Events per second, after a few that only warm up. */
const rateOf = async (measured: Measured, backlog: Backlog): Promise<number> => {
  const isEmpty = backlog.kind === emptyJob
  const start = () =>
    isEmpty
      ? measured.startPeer(new URL('./run-empty-jobs.ts', import.meta.url), {
          JOBS_AT_ONCE: `${jobsAtOnce}`,
        })
      : measured.startWorker(withoutSending)
  await clearEmails(measured.pool)
  const processes = await Promise.all(Array.from({ length: backlog.workers }, start))
  await drain(measured, backlog, warmUpEvents)
  const before = await countNotifications(measured)
  const seconds = await drain(measured, backlog, events)
  const expected = isEmpty ? 0 : events * readersOf[backlog.entity].length
  const found = (await countNotifications(measured)) - before
  if (found !== expected) throw new Error(`Of ${expected} notifications ${found} were stored.`)
  await Promise.all(processes.map(({ stop }) => stop()))
  return events / seconds
}

const countNotifications = async ({ pool, members }: Measured): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT sum(total)::integer AS count FROM docket.notification_count
     WHERE user_id BETWEEN $1 AND $2`,
    [members.first, members.last],
  )
  return rows[0]?.count ?? 0
}

const jobs = 'docket.job'

/** Writes the backlog in one transaction, and returns the seconds until it is processed. */
const drain = async (measured: Measured, backlog: Backlog, count: number): Promise<number> => {
  const { pool } = measured
  // Finished jobs stay in the table until it is vacuumed.
  await pool.query(`VACUUM ${jobs}`)
  const lastId = await transaction(pool, async (connection) => {
    await queryRows(connection, insertBacklog(measured, backlog, count))
    const { rows } = await connection.query<{ id: number }>(`SELECT max(id) AS id FROM ${jobs}`)
    return rows[0]?.id
  })
  const begun = performance.now()
  const isGone = async () => {
    const askedAt = performance.now()
    // Jobs are taken in order, and counting the remaining ones takes a while.
    const last = await pool.query(`SELECT id FROM ${jobs} WHERE id = $1`, [lastId])
    if (last.rows.length > 0) return false
    const { rows } = await pool.query<{ count: number; error: string | null }>(
      `SELECT count(*) AS count, max(last_error) AS error FROM ${jobs}`,
    )
    if (rows[0]?.error) throw new Error(`A job failed: ${rows[0].error}`)
    return rows[0]?.count === 0 && askedAt
  }
  return ((await until('the backlog is gone', isGone, waitSeconds)) - begun) / 1000
}

/**
 * Records as if they had just been created, each with the job of its message; the recipients are spread
 * evenly, and differ from one event to the next.
 */
const insertBacklog = ({ members }: Measured, { entity, kind }: Backlog, count: number): Sql => {
  const columns = readersOf[entity]
  const readers = columns.map((_, position) => {
    const number = `(n * ${columns.length} + ${position})::bigint * 7919`
    return `${members.first} + (${number}) % ${memberCount}`
  })
  const payload = sql`json_build_object('event', gen_random_uuid(), 'entity_key', ${text(entity)},
    'entity_id', id, 'operation', 'create', 'action', NULL, 'comment', NULL, 'actor_id', 1,
    'at', ${text(new Date().toISOString())})`
  return sql`
    WITH new AS (
      INSERT INTO ${table(entity)} (title, ${raw(columns.join(', '))}, _created_by, _updated_by)
      SELECT 'The lift is out of order', ${raw(readers.join(', '))}, 1, 1
      FROM generate_series(1, ${raw(`${count}`)}) n RETURNING id
    ) SELECT ${jobsIn(sql`count(${enqueue({ kind, payload })})`, 'jobs')} FROM new`
}
