/** Reads the current tables of records. */
import { type Queryable, queryValues } from '../database/pool.ts'
import { recordSchema, sql, text, texts } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'
import {
  type CheckSchema,
  type ColumnSchema,
  type ForeignKeySchema,
  type IndexSchema,
  nameEndings,
  type Schema,
  type TableSchema,
  type TriggerSchema,
} from './diff/schema.ts'

type Row<T> = T & { readonly tableName: string }

/**
 * Every table in the schema of records with its columns, and the indexes, foreign keys and checks with
 * our names; others belong to their creators. Without the schema there are none.
 */
export const currentSchema = async (connection: Queryable): Promise<Schema> => {
  const read = async <T extends object>(text: string, ...values: unknown[]) =>
    (await connection.query<Row<T>>(text, [recordSchema, ...values])).rows
  const tables = await read(tableQuery)
  const columns = await read<ColumnSchema>(columnQuery)
  const indexes = await read<IndexSchema>(indexQuery, [
    nameEndings.unique,
    nameEndings.caseless,
    nameEndings.series,
    nameEndings.order,
    nameEndings.containment,
  ])
  const checks = await read<CheckSchema>(checkQuery, nameEndings.check)
  const triggers = await read<TriggerSchema>(triggerQuery, nameEndings.calculation)
  const foreignKeys = await read<ForeignKeySchema>(foreignKeyQuery, nameEndings.foreignKey)
  return new Map(
    tables.map(({ tableName }): [string, TableSchema] => [
      tableName,
      {
        name: tableName,
        columns: of(columns, tableName).map((row) => ({
          ...row,
          default: row.default ?? undefined,
          calculation: row.calculation ?? undefined,
          numbering: row.numbering ?? undefined,
        })),
        indexes: of(indexes, tableName).map((row) => ({
          ...row,
          columns: JSON.parse(String(row.columns)),
          lowered: JSON.parse(String(row.lowered)),
        })),
        foreignKeys: of(foreignKeys, tableName),
        checks: of(checks, tableName),
        trigger: of(triggers, tableName)[0],
      },
    ]),
  )
}

const of = <T>(rows: readonly Row<T>[], table: string): Omit<Row<T>, 'tableName'>[] =>
  rows.filter(({ tableName }) => tableName === table).map(({ tableName: _, ...rest }) => rest)

const tableQuery = `
  SELECT relname AS "tableName" FROM pg_class
  WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')
  ORDER BY relname`

const columnQuery = `
  SELECT c.relname AS "tableName", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS "isNotNull", pg_get_expr(d.adbin, d.adrelid) AS "default",
    a.attidentity <> '' AS "isIdentity",
    substring(col_description(a.attrelid, a.attnum) FROM '^Calculated by Docket: .*') AS calculation,
    substring(col_description(a.attrelid, a.attnum) FROM '^Numbered by Docket: .*') AS numbering
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relnamespace = to_regnamespace($1) AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname, a.attnum`

const indexedColumn = `coalesce(
      (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = k.number AND k.number > 0),
      (parse_ident(substring(pg_get_indexdef(x.indexrelid, k.place::int, true)
        FROM '^[(\\s]*(?:CASE\\s+WHEN[(\\s]+octet_length[(]+)?("[^"]+"|[a-z0-9_]+)')))[1])`

const indexQuery = `
  SELECT t.relname AS "tableName", i.relname AS name, x.indisvalid AS "isValid",
    CASE WHEN m.amname = 'gin' THEN 'containment' WHEN NOT x.indisunique THEN 'order'
      WHEN right(i.relname, 4) = '${nameEndings.series}' THEN 'series'
      WHEN x.indexprs IS NULL THEN 'unique' ELSE 'caseless' END AS kind,
    x.indnullsnotdistinct AS "nullsNotDistinct",
    -- An expression is that of one column, which it names first.
    (SELECT coalesce(json_agg(${indexedColumn} ORDER BY k.place), '[]')
     FROM unnest(x.indkey::smallint[]) WITH ORDINALITY k (number, place))::text AS columns,
    (SELECT coalesce(json_agg(${indexedColumn} ORDER BY k.place) FILTER (WHERE k.number = 0), '[]')
     FROM unnest(x.indkey::smallint[]) WITH ORDINALITY k (number, place)
     WHERE x.indisunique)::text AS lowered
  FROM pg_index x
  JOIN pg_class i ON i.oid = x.indexrelid
  JOIN pg_am m ON m.oid = i.relam
  JOIN pg_class t ON t.oid = x.indrelid
  WHERE t.relnamespace = to_regnamespace($1) AND right(i.relname, 4) = ANY ($2)
  ORDER BY t.relname, i.relname`

const foreignKeyQuery = `
  SELECT t.relname AS "tableName", k.conname AS name, a.attname AS "column", f.relname AS target,
    k.convalidated AS "isValid"
  FROM pg_constraint k
  JOIN pg_class t ON t.oid = k.conrelid
  JOIN pg_class f ON f.oid = k.confrelid
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
  WHERE k.contype = 'f' AND t.relnamespace = to_regnamespace($1) AND right(k.conname, 5) = $2
  ORDER BY t.relname, k.conname`

const triggerQuery = `
  SELECT c.relname AS "tableName", t.tgname AS name, p.proname AS "functionName", p.prosrc AS body
  FROM pg_trigger t
  JOIN pg_class c ON c.oid = t.tgrelid
  JOIN pg_proc p ON p.oid = t.tgfoid AND p.pronamespace = c.relnamespace
  WHERE NOT t.tgisinternal AND c.relnamespace = to_regnamespace($1) AND right(t.tgname, 5) = $2`

const checkQuery = `
  SELECT t.relname AS "tableName", k.conname AS name, a.attname AS "column"
  FROM pg_constraint k
  JOIN pg_class t ON t.oid = k.conrelid
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
  WHERE k.contype = 'c' AND t.relnamespace = to_regnamespace($1) AND right(k.conname, 6) = $2
  ORDER BY t.relname, k.conname`

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
  return queryValues<string>(database, select)
}
