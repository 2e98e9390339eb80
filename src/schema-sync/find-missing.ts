/**
 * Finds columns that the definitions need and the database lacks, because another version may have
 * removed them.
 */
import { type Queryable, queryRows } from '../database/pool.ts'
import { recordSchema, sql, text, texts } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'

/** Missing columns as `entity.column`, in the order of the definitions; every column of a missing table. */
export const findMissing = async (database: Queryable, catalog: Catalog): Promise<string[]> => {
  const needed = [...catalog.entities.values()].flatMap(({ key, columns }) =>
    columns.map(({ name }) => ({ table: key, name })),
  )
  const tables = texts(needed.map(({ table }) => table))
  const names = texts(needed.map(({ name }) => name))
  const schema = text(recordSchema)
  const select = sql`
    SELECT n.table_name || '.' || n.column_name AS name
    FROM unnest(${tables}, ${names}) WITH ORDINALITY AS n(table_name, column_name, place)
    WHERE NOT EXISTS (
      SELECT FROM pg_attribute a
      WHERE a.attrelid = to_regclass(quote_ident(${schema}) || '.' || quote_ident(n.table_name))
        AND a.attname = n.column_name AND NOT a.attisdropped)
    ORDER BY n.place`
  const rows = await queryRows<{ name: string }>(database, select)
  return rows.map(({ name }) => name)
}
