/** The rows of jobs: taken and removed by workers; listed, counted, retried and removed by operators. */
import { execute, type Pool, type Queryable, queryOnce, queryRows } from '../database/pool.ts'
import { compactJson } from '../database/row-types.ts'
import { allOf, bigint, bound, raw, type Sql, sql, text, texts } from '../database/sql.ts'
import { fieldTypes } from '../definitions/field-types.ts'
import { apiError } from '../errors.ts'
import { jobChannel, jobsIn } from './job.ts'
import { type Attempt, type Queue, queuedAgain, retryRows, takenRows } from './queue.ts'

const table = sql`docket.job`

/** The jobs of these kinds. */
export const jobQueueOf = (kinds: readonly string[]): Queue => ({
  table,
  taken: sql`'running'`,
  rows: sql`r.kind = ANY (${texts(kinds)})`,
  maxTries: sql`r.max_tries`,
  channel: jobChannel,
})

export type TakenJob = Attempt & {
  readonly kind: string
  /** JSON. */
  readonly payload: string
  readonly max_tries: number
  readonly was_due_at: string
}

type Take = { readonly limit: number; readonly leaseSeconds: number; readonly workerId: string }

/** Takes due jobs, the longest due first. */
export const takeJobs = (
  pool: Pool,
  queue: Queue,
  { workerId, ...take }: Take,
): Promise<TakenJob[]> => {
  const set = sql`, worker = ${text(workerId)}, started_at = now()`
  return queryOnce(
    pool,
    sql`${takenRows(queue, { ...take, set })}
SELECT id, kind, payload, tries, max_tries, was_due_at
FROM taken
ORDER BY was_due_at, id`,
  )
}

/** They are done, whichever process has them now. */
export const removeDone = (pool: Pool, ids: readonly number[]): Promise<unknown> =>
  execute(pool, sql`DELETE FROM docket.job WHERE id = ANY (${bound(ids, 'bigint[]')})`)

/** Each status with the condition of a job; the first that holds is its status. */
const conditions = {
  running: `r.status = 'running'`,
  dead: `r.status = 'dead'`,
  failing: 'r.tries > 0',
  scheduled: 'r.due_at > now()',
  waiting: 'true',
}

export type JobStatus = keyof typeof conditions

export const jobStatuses = Object.keys(conditions) as JobStatus[]

const status = raw(
  `CASE ${Object.entries(conditions)
    .map(([name, condition]) => `WHEN ${condition} THEN '${name}'`)
    .join(' ')} END`,
)

const time = (column: string) => `${fieldTypes.timestamp.csvText(column)}`
const whileRunning = (value: string) => raw(`CASE WHEN r.status = 'running' THEN ${value} END`)

// Clients expect a key and a queue, which jobs once had.
const jobJson = sql`json_build_object(
    'id', r.id,
    'task', r.kind,
    'status', ${status},
    'payload', r.payload,
    'attempts', r.tries,
    'max_attempts', r.max_tries,
    'last_error', r.last_error,
    'key', NULL,
    'queue', NULL,
    'worker', ${whileRunning('r.worker')},
    'created_at', ${raw(time('r.created_at'))},
    'run_at', ${raw(time(`(CASE WHEN r.status = 'running' THEN r.started_at ELSE r.due_at END)`))},
    'started_at', ${whileRunning(time('r.started_at'))}
  )::text AS json`

type ListOptions = {
  /** Without it jobs of every status. */
  readonly status: JobStatus | undefined
  readonly page: { readonly limit: number; readonly offset: number }
}

/** Jobs as JSON, the newest first. */
export const listJobs = async (
  database: Queryable,
  { status: wanted, page }: ListOptions,
): Promise<string[]> =>
  jsonOf(
    database,
    sql`
    SELECT ${jobJson}
    FROM docket.job r
    WHERE ${wanted === undefined ? sql`true` : hasStatus(wanted)}
    ORDER BY r.id DESC
    LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}`,
  )

const hasStatus = (wanted: string): Sql => sql`${status} = ${text(wanted)}`

export type JobCounts = Readonly<Record<JobStatus, number>>

/** The number of jobs of each status. */
export const countJobs = async (database: Queryable): Promise<JobCounts> => {
  const rows = await queryRows<{ status: JobStatus; jobs: number }>(
    database,
    sql`SELECT ${status} AS status, count(*) AS jobs FROM docket.job r GROUP BY 1`,
  )
  const countOf = (name: JobStatus) => rows.find((row) => row.status === name)?.jobs ?? 0
  return Object.fromEntries(jobStatuses.map((name) => [name, countOf(name)])) as JobCounts
}

/** Makes a job run now, with all its attempts. Returns it as JSON. */
export const retryJob = async (database: Queryable, id: number): Promise<string> => {
  const statement = sql`
    WITH r AS (
      UPDATE docket.job
      SET ${queuedAgain}
      WHERE ${isIdle(id)}
      RETURNING *
    )
    SELECT ${jobJson}, ${jobsIn(sql`1`, 'queued')}
    FROM r`
  const [job] = await jsonOf(database, statement)
  return job ?? refuse(database, id)
}

/** The jobs to retry: these, or the oldest of a status. */
export type JobChoice = {
  readonly ids?: readonly number[] | undefined
  readonly status?: string | undefined
  readonly task?: string | undefined
}

/** Makes jobs run now, with all their attempts, and says what became of each, in order. */
export const retryJobs = (
  database: Queryable,
  { ids, status: wanted = '', task }: JobChoice,
  most: number,
): Promise<{ id: number; result: string }[]> => {
  const ofTask = task === undefined ? [] : [sql`r.kind = ${text(task)}`]
  return retryRows(
    database,
    { table, channel: jobChannel },
    {
      ids,
      chosen: allOf([hasStatus(wanted), ...ofTask]),
      mayBeRetried: sql`r.status <> 'running'`,
      most,
      refused: 'job.running',
      unknown: 'job.unknown',
    },
  )
}

/** Removes a job that does not run. */
export const removeJob = async (database: Queryable, id: number): Promise<void> => {
  const statement = sql`DELETE FROM docket.job WHERE ${isIdle(id)} RETURNING id`
  const removed = await queryRows(database, statement)
  if (removed.length === 0) await refuse(database, id)
}

const isIdle = (id: number): Sql => sql`id = ${bigint(id)} AND status <> 'running'`

const refuse = async (database: Queryable, id: number): Promise<never> => {
  const found = await queryRows(database, sql`SELECT id FROM docket.job WHERE id = ${bigint(id)}`)
  if (found.length > 0) throw apiError('job.running', `Job ${id} runs now.`)
  throw unknownJob(id)
}

/** The error for an id that no job has. */
export const unknownJob = (id: number | string) => apiError('job.unknown', `There is no job ${id}.`)

const jsonOf = async (database: Queryable, statement: Sql): Promise<string[]> => {
  const rows = await queryRows<{ json: string }>(database, statement)
  return rows.map((row) => compactJson(row.json))
}
