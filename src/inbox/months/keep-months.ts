/**
 * Makes months of notifications ahead: the last partition, which takes every later id, ends with a month, and a new last one
 * begins. So nothing is refused because a month is missing. Each step is a transaction; a process that is killed between two
 * leaves the rest to the next one.
 */
import { type Pool, type Queryable, queryOnce } from '../../database/pool.ts'
import { raw, sql } from '../../database/sql.ts'
import { briefly, type Step, takeSteps } from './change-months.ts'
import { firstId, listOwnMonths, type Month, monthAfter, timeOf, wholeTable } from './months.ts'

// So many months after the current one have a partition before the last one begins.
const monthsAhead = 2
// A partition that was open until now ends so far ahead that no event reaches the end meanwhile.
const safeMs = 7 * 86_400_000

/** Makes months until there are enough, also in several processes at once. Does nothing for a role that may not. */
export const keepMonthsAhead = async (pool: Pool): Promise<void> => {
  // Nearly always there is nothing to do.
  if (await findStep(pool)) await takeSteps(pool, findStep)
}

/** What is next: a constraint says where the last partition ends, it is checked, and the next partition begins there. */
const findStep = async (database: Queryable): Promise<Step | undefined> => {
  const last = (await listOwnMonths(database)).at(-1)
  if (!last) return undefined
  const { now, latest, end, isChecked } = await readState(database, last)
  if (end !== undefined) return isChecked ? beginNext(last, end) : checkEnd(last)
  if (last.from !== undefined && last.from > monthAfter(now, monthsAhead)) return undefined
  // The clock may have been ahead.
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

// Waiting for this lock delays nobody who reads or writes rows; it only ends a vacuum.
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

/** The checked constraint says that every row fits, so that no row is read. */
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
