/** Copies rows of a table between two databases whose tables are the same. */
import { type Pool, queryOnce } from '../../database/pool.ts'
import { bound, raw, type Sql, sql } from '../../database/sql.ts'

/** Users, and the places between which they move. */
export type Moving = {
  readonly source: Pool
  readonly target: Pool
  readonly userIds: readonly number[]
}

/** Writes rows that were read as JSON; those that are there stay as they are. */
export const writeRows = async (
  target: Pick<Pool, 'query'>,
  table: string,
  rows: readonly string[],
): Promise<void> => {
  if (rows.length === 0) return
  await queryOnce(
    target,
    sql`
INSERT INTO ${raw(table)} OVERRIDING SYSTEM VALUE
SELECT * FROM json_populate_recordset(NULL::${raw(table)}, ${bound(`[${rows.join(',')}]`, 'json')})
ON CONFLICT DO NOTHING`,
  )
}

/** Copies what a query selects of a table; returns the last row, or undefined if there was none. */
export const copyRows = async (
  { source, target }: Moving,
  table: string,
  rows: Sql,
): Promise<Readonly<Record<string, unknown>> | undefined> => {
  const found = await readRows(source, rows)
  await writeRows(target, table, found)
  const last = found.at(-1)
  return last === undefined ? undefined : JSON.parse(last)
}

/** The rows that a query selects, as JSON. */
export const readRows = async (source: Pool, rows: Sql): Promise<string[]> => {
  const found = await queryOnce<{ json: string }>(
    source,
    sql`SELECT row_to_json(r) AS json FROM (${rows}) r`,
  )
  return found.map(({ json }) => json)
}
