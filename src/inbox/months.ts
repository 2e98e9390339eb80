/**
 * The monthly partitions of notifications (docs/decisions/0080-notifications-by-month.md): which there are, how months are made
 * ahead, and how old ones are dropped. An id is a UUIDv7, so bounds of ids are times. The last partition takes every later id.
 */

import type { QueryConfig } from 'pg'
import { listTableHolders, printHolders, tryForLocks } from '../database/locks.ts'
import { type Connection, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { raw, sql } from '../database/sql.ts'
import { counters } from './notification.ts'

/** The whole table. */
const wholeTable = 'docket.notification'

/** A partition. */
export type Month = {
  /** With its schema, as an identifier. */
  readonly table: string
  /** When its events begin, in milliseconds; undefined for the first. */
  readonly from: number | undefined
  /** When those of the next one begin; undefined for the last. */
  readonly until: number | undefined
}

/** The time of an id in milliseconds. */
export const timeOf = (id: string): number =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** The first id of a time in milliseconds. */
export const firstId = (time: number): string =>
  `${time.toString(16).padStart(12, '0')}${'0'.repeat(20)}`

/** The beginning of the month so many months after that of a time, in milliseconds of UTC. */
export const monthAfter = (time: number, months: number): number => {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

type Row = { readonly table: string; readonly bound: string | null }

/** All partitions, the earliest first, as far as this role owns them; none if it owns only some. */
export const listOwnMonths = async (database: Queryable): Promise<Month[]> => {
  const rows = await queryOnce<Row & { readonly is_own: boolean }>(
    database,
    sql`
SELECT format('%I.%I', n.nspname, c.relname) AS table, pg_get_expr(c.relpartbound, c.oid) AS bound,
  pg_has_role(c.relowner, 'USAGE') AS is_own
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE i.inhparent = 'docket.notification'::regclass`,
  )
  if (rows.some((row) => !row.is_own)) return []
  return rows.flatMap(monthOf).sort((one, other) => (one.from ?? 0) - (other.from ?? 0))
}

/** A partition by its bounds as PostgreSQL prints them: `FOR VALUES FROM ('…') TO (MAXVALUE)`. */
const monthOf = ({ table, bound }: Row): Month[] => {
  // The partition was dropped meanwhile.
  if (bound === null) return []
  const [from, until] = bound.split(' TO ').map((end) => {
    const id = /'([0-9a-f-]{36})'/.exec(end)?.[1]
    return id === undefined ? undefined : timeOf(id)
  })
  return [{ table, from, until }]
}

// So many months after the current one have a partition before the last one begins.
const monthsAhead = 2
// A partition that was open until now ends so far ahead that no event reaches the end meanwhile.
const safeMs = 7 * 86_400_000

/**
 * Makes months until there are enough, so that nothing is refused because a month is missing; also in several processes at once.
 * Each step is a transaction: what a killed process leaves, the next one does. Does nothing for a role that may not.
 */
export const keepMonthsAhead = async (pool: Pool): Promise<void> => {
  // Nearly always there is nothing to do.
  if (await findStepAhead(pool)) await takeSteps(pool, findStepAhead)
}

/** The next step: add a constraint where the last partition ends, check it, or begin the next partition there. */
const findStepAhead = async (database: Queryable): Promise<Step | undefined> => {
  const last = (await listOwnMonths(database)).at(-1)
  if (!last) return undefined
  const { now, latest, end, isChecked } = await readState(database, last)
  if (end !== undefined) return isChecked ? beginNext(last, end) : checkEnd(last)
  if (last.from !== undefined && last.from > monthAfter(now, monthsAhead)) return undefined
  // The clock may have been ahead, so there may be events after now.
  const reached = Math.max(last.from ?? 0, latest, now + safeMs)
  return endAt(last, monthAfter(reached, 1))
}

type State = {
  /** Milliseconds. */
  readonly now: number
  /** The time of the latest event in the last partition; 0 if there is none. */
  readonly latest: number
  /** Where the last partition is about to end. */
  readonly end: number | undefined
  readonly isChecked: boolean
}

const readState = async (database: Queryable, { table }: Month): Promise<State> => {
  const [row] = await queryOnce<{
    now: string
    latest: string | null
    constraint: string | null
    checked: boolean | null
  }>(
    database,
    sql`
SELECT (extract(epoch FROM now()) * 1000)::bigint::text AS now,
  (SELECT _id FROM ${raw(table)} ORDER BY _id DESC LIMIT 1) AS latest,
  pg_get_constraintdef(k.oid) AS constraint, k.convalidated AS checked
FROM (SELECT) one
LEFT JOIN pg_constraint k ON k.conrelid = ${raw(`'${table}'`)}::regclass AND k.conname = ${raw(`'${endName}'`)}`,
  )
  const end = /.*'([0-9a-f-]{36})'/.exec(row?.constraint ?? '')?.[1]
  return {
    now: Number(row?.now),
    latest: row?.latest == null ? 0 : timeOf(row.latest),
    end: end === undefined ? undefined : timeOf(end),
    isChecked: row?.checked === true,
  }
}

const endName = 'notification_end'

// Waiting for this lock delays no read or write of rows; it only ends a vacuum.
const withoutVacuum = ({ table }: Month): string =>
  `SET LOCAL lock_timeout = '10s'; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`

const endAt = (last: Month, end: number): Step => [
  withoutVacuum(last),
  briefly,
  `ALTER TABLE ${last.table} ADD CONSTRAINT ${endName} CHECK (${
    last.from === undefined ? '' : `_id >= '${firstId(last.from)}' AND `
  }_id < '${firstId(end)}') NOT VALID`,
]

/** Reads the partition while others read and write. */
const checkEnd = (last: Month): Step => [
  withoutVacuum(last),
  `ALTER TABLE ${last.table} VALIDATE CONSTRAINT ${endName}`,
]

/** The checked constraint proves that every row fits, so PostgreSQL reads no row. */
const beginNext = (last: Month, end: number): Step => {
  const next = tableFrom(end)
  const from = last.from === undefined ? 'MINVALUE' : `'${firstId(last.from)}'`
  const at = `'${firstId(end)}'`
  return [
    withoutVacuum(last),
    briefly,
    `ALTER TABLE ${wholeTable} DETACH PARTITION ${last.table}`,
    `ALTER TABLE ${wholeTable} ATTACH PARTITION ${last.table} FOR VALUES FROM (${from}) TO (${at})`,
    `ALTER TABLE ${last.table} DROP CONSTRAINT ${endName}`,
    `CREATE TABLE ${next} (LIKE ${last.table} INCLUDING ALL)`,
    `ALTER TABLE ${wholeTable} ATTACH PARTITION ${next} FOR VALUES FROM (${at}) TO (MAXVALUE)`,
  ]
}

const tableFrom = (time: number): string =>
  `docket.notification_${new Date(time).toISOString().slice(0, 7).replace('-', '_')}`

const dayMs = 86_400_000

/**
 * Drops months that ended so many days ago, with a day to spare: their users' counters do not count them any more, and nothing is
 * deleted row by row, which PostgreSQL would have to clean up. Does nothing for a role that may not.
 */
export const dropOldMonths = async (pool: Pool, days: number): Promise<void> => {
  const end = Date.now() - (days + 1) * dayMs
  for (const month of await listOwnMonths(pool)) {
    if (month.until === undefined || month.until > end) return
    await takeSteps(pool, (database) => findStepToDrop(database, month.table))
  }
}

const findStepToDrop = async (database: Queryable, table: string): Promise<Step | undefined> => {
  const month = (await listOwnMonths(database)).find((one) => one.table === table)
  if (!month) return undefined
  if (!(await isClosed(database, month))) return close(month)
  return (await hasKept(database, month)) ? undefined : drop(month)
}

const closedName = 'refuse_old_notification'

/** A closed month stores nothing more: a new notification would be counted, and dropped with the month. */
const close = ({ table }: Month): Step => [
  briefly,
  `CREATE TRIGGER ${closedName} BEFORE INSERT ON ${table}
   FOR EACH ROW EXECUTE FUNCTION docket.refuse_old_notification()`,
]

const isClosed = async (database: Queryable, { table }: Month): Promise<boolean> => {
  const rows = await queryOnce(
    database,
    sql`
SELECT
FROM pg_trigger
WHERE tgrelid = ${raw(`'${table}'`)}::regclass AND tgname = ${raw(`'${closedName}'`)}`,
  )
  return rows.length > 0
}

/** Whether a notification of the month is still kept, because it was stored long after its event. Reads the whole month. */
const hasKept = async (database: Queryable, { table }: Month): Promise<boolean> => {
  const rows = await queryOnce(
    database,
    sql`
SELECT
FROM ${raw(table)} n
LEFT JOIN ${counters} c ON c.user_id = n.user_id
WHERE c.user_id IS NULL OR n.timestamp >= c.kept_from
LIMIT 1`,
  )
  return rows.length > 0
}

const drop = ({ table }: Month): Step => [
  briefly,
  // In the order of those who read and write, so that there is no deadlock.
  `LOCK TABLE ONLY ${wholeTable} IN ACCESS EXCLUSIVE MODE`,
  `DROP TABLE ${table}`,
]

/** The statements of one transaction. */
type Step = readonly string[]

// An arbitrary number: the advisory lock of the process that changes months.
const monthsLock = 7_305_114_021
const waitMs = 60_000
// Reading a large partition takes minutes, and blocks nothing.
const longMs = 86_400_000

/** The longest wait for a lock: others queue behind this transaction meanwhile. */
const briefly = `SET LOCAL lock_timeout = '100ms'`

/** Takes steps until none is left, on a connection of its own; ends at once if another process takes them. */
const takeSteps = async (
  pool: Pool,
  findStep: (database: Queryable) => Promise<Step | undefined>,
): Promise<void> => {
  const connection = await pool.connect()
  try {
    while (await takeStep(connection, findStep));
  } finally {
    connection.release(true)
  }
}

const takeStep = async (
  connection: Connection,
  findStep: (database: Queryable) => Promise<Step | undefined>,
): Promise<boolean> => {
  let step: Step | undefined
  const giveUp = async (cause: unknown) => {
    const holders = printHolders(await listTableHolders(connection, [wholeTable]))
    return new Error(`others have used ${wholeTable} for ${waitMs / 1000} s: ${holders}`, { cause })
  }
  await tryForLocks(connection, { waitMs, giveUp }, async () => {
    await connection.query('SET LOCAL statement_timeout = 0')
    // Another process may have taken the step meanwhile.
    step = (await takeLock(connection)) ? await findStep(connection) : undefined
    for (const text of step ?? [])
      await connection.query({ text, query_timeout: longMs } as QueryConfig)
  })
  return step !== undefined
}

/** False if another process has the lock. */
const takeLock = async (connection: Connection): Promise<boolean> => {
  const [row] = await queryOnce<{ taken: boolean }>(
    connection,
    sql`SELECT pg_try_advisory_xact_lock(${raw(String(monthsLock))}) AS taken`,
  )
  return row?.taken === true
}
