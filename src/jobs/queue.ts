/**
 * Rows of work, jobs and deliveries alike. A row is `queued`, or `failed` and to be tried again, until it is due. Then a
 * process takes it for an attempt and has it as long as it renews its lease. After the last attempt the row is `dead`.
 */
import { execute, type Pool, type Queryable, queryRows } from '../database/pool.ts'
import {
  bigint,
  bound,
  int,
  type SignalChannel,
  type Sql,
  signalled,
  sql,
  text,
  toStatement,
} from '../database/sql.ts'
import { jobRetries } from '../retry-policy.ts'

/** A table with the columns id, status, tries, due_at and last_error; conditions are on its rows as `r`. */
export type Queue = {
  readonly table: Sql
  /** The status of a row that a process has, as a literal: indexes of the table know it. */
  readonly taken: Sql
  /** Which rows of the table are of this queue. */
  readonly rows: Sql
  /** After so many attempts a row is dead. */
  readonly maxTries: Sql
  /** Signals to processes that rows are due. */
  readonly channel: SignalChannel
}

/** A channel that says that rows of a queue are due; its values are their numbers. */
export const queueChannel = (name: string): SignalChannel => ({
  name,
  payloadOf: (numbers) => (numbers.some((number) => Number(number) > 0) ? '' : undefined),
})

/** An attempt at a row; another process may have taken the row over meanwhile. */
export type Attempt = { readonly id: number; readonly tries: number }

const leaseEnd = (seconds: number): Sql => sql`now() + make_interval(secs => ${int(seconds)})`

type Take = {
  readonly limit: number
  readonly leaseSeconds: number
  /** Further columns to set, beginning with a comma. */
  readonly set: Sql
}

/**
 * The beginning of a statement that takes due rows, the longest due first: `taken` has their columns, and `was_due_at`. Not
 * to be prepared: a plan that was made while there are few rows would read all of them when there are many.
 */
export const takenRows = (
  { table, taken, rows }: Queue,
  { limit, leaseSeconds, set }: Take,
): Sql => sql`
WITH due AS (
  SELECT r.id, r.due_at
  FROM ${table} r
  WHERE ${rows} AND r.status IN ('queued', 'failed') AND r.due_at <= now()
  ORDER BY r.due_at, r.id
  LIMIT ${int(limit)}
  FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE ${table} r
  SET status = ${taken}, tries = r.tries + 1, due_at = ${leaseEnd(leaseSeconds)}${set}
  FROM due
  WHERE r.id = due.id
  RETURNING r.*, due.due_at AS was_due_at
)`

/** The attempts as rows `held`, and the condition that they still have their rows `r`. */
const held = (attempts: readonly Attempt[]): Sql => {
  const ids = bound(
    attempts.map(({ id }) => id),
    'bigint[]',
  )
  const tries = bound(
    attempts.map((one) => one.tries),
    'integer[]',
  )
  return sql`unnest(${ids}, ${tries}) AS held(id, tries)`
}

const isHeld = ({ taken }: Queue): Sql =>
  sql`r.id = held.id AND r.tries = held.tries AND r.status = ${taken}`

/** Renews the leases of attempts, and returns those that still had their row. */
export const renewLeases = async (
  database: Queryable,
  queue: Queue,
  attempts: readonly Attempt[],
  { leaseSeconds, withinMs }: { readonly leaseSeconds: number; readonly withinMs: number },
): Promise<readonly Attempt[]> => {
  const renew = sql`
UPDATE ${queue.table} r
SET due_at = ${leaseEnd(leaseSeconds)}
FROM ${held(attempts)}
WHERE ${isHeld(queue)}
RETURNING r.id, r.tries`
  const statement = { ...toStatement(renew), query_timeout: withinMs }
  return (await database.query<Attempt>(statement)).rows
}

/**
 * Ends the attempts whose process has not renewed their leases; of several processes one does it. The attempt counts:
 * otherwise a row that ends its process would do so forever. From the second attempt on the row waits, so that it is
 * not tried with the same rows again. Returns how many they were.
 */
export const endLostAttempts = async (
  database: Queryable,
  { table, taken, rows, maxTries }: Queue,
): Promise<number> => {
  const { pausesMs } = jobRetries
  const pauses = bound(pausesMs, 'double precision[]')
  const statement = sql`
WITH lost AS (
  SELECT r.id
  FROM ${table} r
  WHERE ${rows} AND r.status = ${taken} AND r.due_at <= now()
  FOR UPDATE SKIP LOCKED
)
UPDATE ${table} r
SET status = CASE WHEN r.tries < ${maxTries} THEN 'failed' ELSE 'dead' END,
  last_error = 'The process that ran it ended.',
  due_at = now() + interval '1 millisecond'
    * coalesce((${pauses})[least(r.tries - 1, ${int(pausesMs.length)})], 0) * (0.5 + random() / 2)
FROM lost
WHERE r.id = lost.id
RETURNING r.id`
  return (await queryRows(database, statement)).length
}

/** Gives rows back that were not attempted: another process may take them immediately, and the attempt does not count. */
export const releaseRows = async (
  pool: Pool,
  queue: Queue,
  attempts: readonly Attempt[],
): Promise<void> => {
  const statement = sql`
WITH released AS (
  UPDATE ${queue.table} r
  SET status = 'queued', tries = r.tries - 1, due_at = now()
  FROM ${held(attempts)}
  WHERE ${isHeld(queue)}
  RETURNING r.id
)
SELECT ${signalled(queue.channel, sql`count(*)`, 'released')}
FROM released`
  await queryRows(pool, statement)
}

type Failure = {
  readonly error: string
  /** It is tried again after so long; undefined: it is dead. */
  readonly pauseMs: number | undefined
}

/** Records that an attempt failed; nothing if another process has the row. */
export const failRow = async (
  database: Queryable,
  queue: Queue,
  attempt: Attempt,
  { error, pauseMs }: Failure,
): Promise<void> => {
  const status = pauseMs === undefined ? sql`'dead'` : sql`'failed'`
  const pause = sql`${bound(pauseMs ?? 0, 'double precision')} * interval '1 millisecond'`
  await execute(
    database,
    sql`
UPDATE ${queue.table} r
SET status = ${status}, last_error = ${text(error)}, due_at = now() + ${pause}
FROM ${held([attempt])}
WHERE ${isHeld(queue)}`,
  )
}

/** Removes the row of an attempt that has nothing to do; nothing if another process has it. */
export const removeRow = async (
  database: Queryable,
  queue: Queue,
  attempt: Attempt,
): Promise<void> => {
  await execute(
    database,
    sql`DELETE FROM ${queue.table} r USING ${held([attempt])} WHERE ${isHeld(queue)}`,
  )
}

/** What makes a row due now, with all its attempts. */
export const queuedAgain = sql`status = 'queued', tries = 0, due_at = now()`

type Retry = {
  /** These, or those that the conditions choose, the oldest first. */
  readonly ids: readonly number[] | undefined
  readonly chosen: Sql
  readonly mayBeRetried: Sql
  /** More are selected, and not retried, to know whether there are more. */
  readonly most: number
  /** Codes of errors: for a row that may not be retried, and for one that is not there. */
  readonly refused: string
  readonly unknown: string
}

const named = (ids: readonly number[]): Sql => sql`
  SELECT id, min(place) AS place
  FROM unnest(${bound(ids, 'bigint[]')}) WITH ORDINALITY AS given(id, place)
  GROUP BY id`

/** Retries many rows, and says of each, in order, whether it is `queued`, or why not. */
export const retryRows = (
  database: Queryable,
  { table, channel }: Pick<Queue, 'table' | 'channel'>,
  one: Retry,
): Promise<{ id: number; result: string }[]> =>
  queryRows(
    database,
    sql`
WITH chosen AS MATERIALIZED (
  ${
    one.ids
      ? named(one.ids)
      : sql`
  SELECT r.id, row_number() OVER (ORDER BY r.id) AS place
  FROM ${table} r
  WHERE ${one.chosen}
  ORDER BY r.id
  LIMIT ${bigint(one.most + 1)}`
  }
), locked AS MATERIALIZED (
  SELECT r.id
  FROM ${table} r
  JOIN chosen c ON c.id = r.id
  WHERE ${one.mayBeRetried} AND c.place <= ${bigint(one.most)}
  ORDER BY r.id
  FOR UPDATE OF r
), queued AS (
  UPDATE ${table} r
  SET ${queuedAgain}
  FROM locked l
  WHERE r.id = l.id
  RETURNING r.id
)
SELECT c.id, ${signalled(channel, sql`(q.id IS NOT NULL)::integer`, 'queued')}, CASE
    WHEN q.id IS NOT NULL THEN 'queued'
    WHEN r.id IS NOT NULL THEN ${text(one.refused)}
    ELSE ${text(one.unknown)}
  END AS result
FROM chosen c
LEFT JOIN queued q ON q.id = c.id
LEFT JOIN ${table} r ON r.id = c.id
ORDER BY c.place`,
  )
