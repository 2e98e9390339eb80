/**
 * Drops months of notifications that are removed as a whole: their users' counters do not count them any more. Nothing is deleted
 * row by row, and PostgreSQL has nothing to clean up.
 */
import { type Pool, type Queryable, queryOnce } from '../../database/pool.ts'
import { raw, sql } from '../../database/sql.ts'
import { counters } from '../notification.ts'
import { briefly, type Step, takeSteps } from './change-months.ts'
import { listOwnMonths, type Month, wholeTable } from './months.ts'

const dayMs = 86_400_000

/** Drops what ended so many days ago, with a day to spare; does nothing for a role that may not. */
export const dropOldMonths = async (pool: Pool, days: number): Promise<void> => {
  const end = Date.now() - (days + 1) * dayMs
  for (const month of await listOwnMonths(pool)) {
    if (month.until === undefined || month.until > end) return
    await takeSteps(pool, (database) => findStep(database, month.table))
  }
}

const findStep = async (database: Queryable, table: string): Promise<Step | undefined> => {
  const month = (await listOwnMonths(database)).find((one) => one.table === table)
  if (!month) return undefined
  if (!(await isClosed(database, month))) return close(month)
  return (await hasKept(database, month)) ? undefined : drop(month)
}

const closedName = 'refuse_old_notification'

/** Afterwards nothing is stored that would be dropped although it is counted. */
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

/** Whether a notification of the month still counts: it was stored long after its event. Reads the month. */
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
  // In the order of those who read and write, so that nobody waits for each other.
  `LOCK TABLE ONLY ${wholeTable} IN ACCESS EXCLUSIVE MODE`,
  `DROP TABLE ${table}`,
]
