/** Reads the tables of records as they are in the database. */
import { recordSchema } from '../database/sql.ts'
import type { Queryable } from '../database/pool.ts'
import type { ColumnSchema, ForeignKeySchema, IndexSchema, Schema, TableSchema } from './schema.ts'

type Row<T> = T & { readonly table_name: string }

/** Everything in the schema of records, whoever made it. */
export const currentSchema = async (connection: Queryable): Promise<Schema> => {
  const read = async <T extends object>(text: string) =>
    (await connection.query<Row<T>>(text, [recordSchema])).rows
  const tables = await read('SELECT relname AS table_name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN (\'r\', \'p\')')
  const columns = await read<ColumnSchema>(columnQuery)
  const indexes = await read<IndexSchema>(indexQuery)
  const foreignKeys = await read<ForeignKeySchema>(foreignKeyQuery)
  const of = <T>(rows: readonly Row<T>[], table: string) =>
    rows.filter((row) => row.table_name === table)
  return new Map(
    tables.map(({ table_name: name }): [string, TableSchema] => [
      name,
      {
        name,
        columns: of(columns, name).map((row) => ({ ...row, default: row.default ?? undefined })),
        indexes: of(indexes, name).map((row) => ({
          ...row,
          columns: JSON.parse(String(row.columns)),
        })),
        foreignKeys: of(foreignKeys, name),
      },
    ]),
  )
}

const columnQuery = `
  SELECT c.relname AS table_name, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS "isNotNull", pg_get_expr(d.adbin, d.adrelid) AS "default",
    a.attidentity <> '' AS "isIdentity"
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relnamespace = $1::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname, a.attnum`

const indexQuery = `
  SELECT t.relname AS table_name, i.relname AS name, x.indisunique AS "isUnique",
    (SELECT json_agg(a.attname ORDER BY k.place)
     FROM unnest(x.indkey) WITH ORDINALITY k (number, place)
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number)::text AS columns
  FROM pg_index x
  JOIN pg_class i ON i.oid = x.indexrelid
  JOIN pg_class t ON t.oid = x.indrelid
  WHERE t.relnamespace = $1::regnamespace AND NOT x.indisprimary`

const foreignKeyQuery = `
  SELECT t.relname AS table_name, k.conname AS name, a.attname AS column, f.relname AS target
  FROM pg_constraint k
  JOIN pg_class t ON t.oid = k.conrelid
  JOIN pg_class f ON f.oid = k.confrelid
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
  WHERE k.contype = 'f' AND t.relnamespace = $1::regnamespace`
