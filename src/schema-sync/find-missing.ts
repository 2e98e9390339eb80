/** Finds what the definitions need and the database has not: another version may have removed it. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, recordSchema, sql, toStatement } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'

/** Missing columns as `entity.column`, in the order of the definitions; all of a table that is gone. */
export const findMissing = async (database: Queryable, catalog: Catalog): Promise<string[]> => {
  const needed = [...catalog.entities.values()].flatMap(({ key, columns }) =>
    columns.map(({ name }) => ({ table: key, name })),
  )
  const tables = bound(
    needed.map(({ table }) => table),
    'text[]',
  )
  const names = bound(
    needed.map(({ name }) => name),
    'text[]',
  )
  const schema = bound(recordSchema, 'text')
  const select = sql`
    SELECT n.table_name || '.' || n.column_name AS name
    FROM unnest(${tables}, ${names}) WITH ORDINALITY AS n(table_name, column_name, place)
    WHERE NOT EXISTS (
      SELECT FROM pg_attribute a
      WHERE a.attrelid = to_regclass(quote_ident(${schema}) || '.' || quote_ident(n.table_name))
        AND a.attname = n.column_name AND NOT a.attisdropped)
    ORDER BY n.place`
  const rows = await queryRows<{ name: string }>(database, toStatement(select))
  return rows.map(({ name }) => name)
}
