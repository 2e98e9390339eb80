/** Finds the sessions that a statement waits for, and describes them in messages. */
import type { Queryable } from '../pool.ts'

export type Holder = {
  readonly pid: number
  readonly application: string | null
  readonly state: string | null
  /** Seconds since its transaction began. */
  readonly seconds: number | null
}

const parts = `a.pid, a.application_name AS application, a.state,
  extract(epoch FROM clock_timestamp() - a.xact_start)::integer AS seconds`

/** Sessions that hold an advisory lock of this database. */
export const listAdvisoryHolders = (database: Queryable, lock: number): Promise<Holder[]> =>
  list(
    database,
    `SELECT ${parts} FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND l.classid = ($1::bigint >> 32)::oid AND l.objid = ($1::bigint & 4294967295)::oid`,
    lock,
  )

/** Other sessions that use one of the tables, the oldest transaction first. */
export const listTableHolders = (
  database: Queryable,
  tables: readonly string[],
): Promise<Holder[]> =>
  list(
    database,
    `SELECT DISTINCT ${parts} FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.relation IN (SELECT to_regclass(name) FROM unnest($1::text[]) name) AND l.granted
       AND l.pid <> pg_backend_pid()
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY seconds DESC NULLS LAST LIMIT 5`,
    tables,
  )

/** Other sessions of this database with an older snapshot. */
export const listOldTransactions = (database: Queryable): Promise<Holder[]> =>
  list(
    database,
    `SELECT ${parts} FROM pg_stat_activity a
     WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
       AND (a.backend_xid IS NOT NULL OR a.backend_xmin IS NOT NULL)
     ORDER BY seconds DESC NULLS LAST LIMIT 5`,
  )

/** The sessions that a waiting one waits for. */
export const listBlockers = (database: Queryable, pid: number): Promise<Holder[]> =>
  list(
    database,
    `SELECT ${parts} FROM pg_stat_activity a
     WHERE a.pid = ANY (pg_blocking_pids($1))
     ORDER BY seconds DESC NULLS LAST LIMIT 5`,
    pid,
  )

const list = async (database: Queryable, text: string, ...values: unknown[]): Promise<Holder[]> =>
  (await database.query<Holder>(text, values)).rows

/** `pid 4711 (docket, idle in transaction, for 65 s) and pid 4712 (psql, active)`. */
export const printHolders = (holders: readonly Holder[]): string =>
  holders
    .map(({ pid, application, state, seconds }) => {
      const known = [application, state, seconds === null ? null : `for ${seconds} s`]
      const words = known.filter((word) => word !== null && word !== '')
      return `pid ${pid}${words.length > 0 ? ` (${words.join(', ')})` : ''}`
    })
    .join(' and ')
