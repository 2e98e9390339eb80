/** Jobs for operators: list, count, retry, remove. graphile-worker owns the table. */

import { type Queryable, queryRows } from '../database/pool.ts'
import { retryRows } from '../database/retry-rows.ts'
import { compactJson } from '../database/row-types.ts'
import { allOf, bigint, raw, type Sql, sql, text } from '../database/sql.ts'
import { fieldTypes } from '../definitions/field-types.ts'
import { apiError } from '../errors.ts'
import { jobsIn } from './enqueue.ts'

/** Each status with the condition of a job; the first that holds is its status. */
const conditions = {
  running: 'locked_at IS NOT NULL',
  dead: 'attempts >= max_attempts',
  failing: 'attempts > 0',
  scheduled: 'run_at > now()',
  waiting: 'true',
}

export type JobStatus = keyof typeof conditions

export const jobStatuses = Object.keys(conditions) as JobStatus[]

const status = `CASE ${Object.entries(conditions)
  .map(([name, condition]) => `WHEN ${condition} THEN '${name}'`)
  .join(' ')} END`

const time = (column: string) => `${fieldTypes.timestamp.csvText(column)}`

// The service shortens errors when it stores them; other writers may not.
const jobJson = raw(
  `json_build_object(
    'id', j.id,
    'task', t.identifier,
    'status', ${status},
    'payload', j.payload,
    'attempts', j.attempts,
    'max_attempts', j.max_attempts,
    'last_error', left(split_part(j.last_error, E'\\n', 1), 1000),
    'key', j.key,
    'queue', (
      SELECT q.queue_name FROM graphile_worker._private_job_queues q WHERE q.id = j.job_queue_id
    ),
    'worker', j.locked_by,
    'created_at', ${time('j.created_at')},
    'run_at', ${time('j.run_at')},
    'started_at', ${time('j.locked_at')}
  )::text AS json`,
)

const tasks = sql`JOIN graphile_worker._private_tasks t ON t.id = j.task_id`

type ListOptions = {
  /** Without it jobs of every status. */
  readonly status: JobStatus | undefined
  readonly page: { readonly limit: number; readonly offset: number }
}

/** Jobs as JSON, the newest first. */
export const listJobs = async (
  database: Queryable,
  { status: wanted, page }: ListOptions,
): Promise<string[]> => {
  const isWanted = wanted === undefined ? sql`true` : sql`${raw(status)} = ${text(wanted)}`
  const statement = sql`
    SELECT ${jobJson}
    FROM graphile_worker._private_jobs j ${tasks}
    WHERE ${isWanted}
    ORDER BY j.id DESC
    LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}`
  return jsonOf(database, statement)
}

export type JobCounts = Readonly<Record<JobStatus, number>>

/** The number of jobs of each status. */
export const countJobs = async (database: Queryable): Promise<JobCounts> => {
  const counts = Object.fromEntries(jobStatuses.map((name) => [name, 0])) as Record<
    JobStatus,
    number
  >
  const statement = sql`
    SELECT ${raw(status)} AS status, count(*) AS jobs
    FROM graphile_worker._private_jobs j
    GROUP BY 1`
  const rows = await queryRows<{ status: JobStatus; jobs: number }>(database, statement)
  for (const { status: name, jobs } of rows) counts[name] = jobs
  return counts
}

/** Makes a job run now, with all its attempts. Returns it as JSON. */
export const retryJob = async (database: Queryable, id: number): Promise<string> => {
  const statement = sql`
    WITH j AS (
      UPDATE graphile_worker._private_jobs
      SET attempts = 0, run_at = now(), updated_at = now()
      WHERE ${isIdle(id)}
      RETURNING *
    )
    SELECT ${jobJson}, ${jobsIn(sql`1`, 'queued')}
    FROM j ${tasks}`
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
export const retryJobs = async (
  database: Queryable,
  { ids, status: wanted = '', task }: JobChoice,
  most: number,
): Promise<{ id: number; result: string }[]> => {
  const ofTask = sql`(SELECT t.id FROM graphile_worker._private_tasks t WHERE t.identifier = ${text(task ?? '')})`
  const conditions = [
    sql`${raw(status)} = ${text(wanted)}`,
    ...(task === undefined ? [] : [sql`r.task_id = ${ofTask}`]),
  ]
  const statement = retryRows({
    queue: sql`graphile_worker._private_jobs`,
    ids,
    chosen: allOf(conditions),
    mayBeRetried: sql`r.locked_at IS NULL`,
    change: sql`attempts = 0, run_at = now(), updated_at = now()`,
    most,
    signal: (count) => jobsIn(count, 'queued'),
    refused: sql`'job.running'`,
    unknown: sql`'job.unknown'`,
  })
  return queryRows(database, statement)
}

/** Removes a job that does not run. */
export const removeJob = async (database: Queryable, id: number): Promise<void> => {
  const statement = sql`DELETE FROM graphile_worker._private_jobs WHERE ${isIdle(id)} RETURNING id`
  const removed = await queryRows(database, statement)
  if (removed.length === 0) await refuse(database, id)
}

// graphile-worker's own functions treat a job that has run for four hours as one that does not run.
const isIdle = (id: number): Sql => sql`id = ${bigint(id)} AND locked_at IS NULL`

const refuse = async (database: Queryable, id: number): Promise<never> => {
  const statement = sql`SELECT id FROM graphile_worker._private_jobs WHERE id = ${bigint(id)}`
  const found = await queryRows(database, statement)
  if (found.length > 0) throw apiError('job.running', `Job ${id} runs now.`)
  throw unknownJob(id)
}

/** The error for an id that no job has. */
export const unknownJob = (id: number | string) => apiError('job.unknown', `There is no job ${id}.`)

const jsonOf = async (database: Queryable, statement: Sql): Promise<string[]> => {
  const rows = await queryRows<{ json: string }>(database, statement)
  return rows.map((row) => compactJson(row.json))
}
