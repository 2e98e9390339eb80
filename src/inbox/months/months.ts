/**
 * The monthly partitions of notifications (docs/decisions/0080-notifications-by-month.md): which there are, and their bounds. An
 * id is a UUIDv7, so bounds of ids are times. The last partition takes every later id.
 */
import { type Queryable, queryOnce } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'

/** The whole table. */
export const wholeTable = 'docket.notification'

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
  // It was dropped meanwhile.
  if (bound === null) return []
  const [from, until] = bound.split(' TO ').map((end) => {
    const id = /'([0-9a-f-]{36})'/.exec(end)?.[1]
    return id === undefined ? undefined : timeOf(id)
  })
  return [{ table, from, until }]
}
