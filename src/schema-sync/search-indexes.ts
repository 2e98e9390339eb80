/**
 * Trigram indexes of names and titles without accents, for the search over all entities (docs/search.md). They only speed it
 * up, so they are no part of the schema that a start requires: without the extension pg_trgm there are none.
 */
import { type Connection, queryOnce, queryRow } from '../database/pool.ts'
import { identifier, raw, recordSchema, sql, tableName, text } from '../database/sql.ts'
import { type Catalog, columnsByPart } from '../definitions/catalog.ts'
import { errorText } from '../errors.ts'
import { nameEndings, nameOf } from './diff/schema.ts'

type SearchIndex = { readonly name: string; readonly table: string; readonly column: string }

const wantedIndexes = (catalog: Catalog): readonly SearchIndex[] =>
  [...catalog.entities.values()].flatMap((entity) =>
    columnsByPart(entity).map(({ name: column }) => {
      const name = nameOf({ table: entity.key, columns: [column], kind: 'trigram' })
      return { name, table: entity.key, column }
    }),
  )

const existingIndexes = (connection: Connection) =>
  queryOnce<SearchIndex & { is_usable: boolean }>(
    connection,
    sql`SELECT i.relname AS name, t.relname AS table, a.attname AS column,
        x.indisvalid AND x.indexprs IS NOT NULL AS is_usable
      FROM pg_index x
      JOIN pg_class i ON i.oid = x.indexrelid
      JOIN pg_class t ON t.oid = x.indrelid
      JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.oid
        AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.refobjsubid > 0
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
      WHERE t.relnamespace = to_regnamespace(${text(recordSchema)})
        AND i.relname LIKE ${text(`%${nameEndings.trigram}`)}`,
  )

const isSame = (a: SearchIndex, b: SearchIndex): boolean =>
  a.name === b.name && a.table === b.table && a.column === b.column

/**
 * Drops those that no definition wants, and those of a version that did not take accents away, before columns are renamed or get another type, which such an index
 * would reject.
 */
export const dropSearchIndexes = async (
  connection: Connection,
  catalog: Catalog,
): Promise<void> => {
  const wanted = wantedIndexes(catalog)
  const unwanted = (await existingIndexes(connection)).filter(
    (index) => !index.is_usable || !wanted.some((one) => isSame(one, index)),
  )
  if (unwanted.length === 0) return
  await withoutLongWaits(connection, async () => {
    for (const { name } of unwanted)
      await queryOnce(connection, raw(`DROP INDEX CONCURRENTLY ${tableName(name)}`))
  })
}

/** Adds the missing ones, while others read and write; returns why it could not. */
export const addSearchIndexes = async (
  connection: Connection,
  catalog: Catalog,
): Promise<readonly string[]> => {
  const existing = (await existingIndexes(connection)).filter((index) => index.is_usable)
  const missing = wantedIndexes(catalog).filter((one) => !existing.some((two) => isSame(one, two)))
  if (missing.length === 0) return []
  const failure = await withoutLongWaits(connection, async () => {
    const schema = await schemaOfTrigrams(connection)
    if (schema === undefined) return
    for (const index of missing) await createIndex(connection, index, schema)
  })
  return failure === undefined
    ? []
    : [`indexes for the search over all entities are missing until a later start: ${failure}`]
}

const createIndex = async (
  connection: Connection,
  { name, table, column }: SearchIndex,
  schema: string,
): Promise<void> => {
  const isFilled = await queryRow(connection, raw(`SELECT FROM ${tableName(table)} LIMIT 1`))
  const create = `CREATE INDEX ${isFilled ? 'CONCURRENTLY ' : ''}${identifier(name)}`
  const list = `docket.folded(${identifier(column)}) ${identifier(schema)}.gin_trgm_ops`
  await queryOnce(connection, raw(`${create} ON ${tableName(table)} USING gin (${list})`))
}

// A long transaction of others must not keep a service from starting.
const lockMs = 5000

/** Runs statements that wait only briefly for others; returns the text of an error. */
const withoutLongWaits = async (
  connection: Connection,
  work: () => Promise<void>,
): Promise<string | undefined> => {
  await queryOnce(connection, raw(`SET lock_timeout = ${lockMs}`))
  try {
    await work()
    return undefined
  } catch (error) {
    return errorText(error)
  } finally {
    await queryOnce(connection, raw('RESET lock_timeout'))
  }
}

/** The schema of the extension pg_trgm, which is created if the server has it. */
const schemaOfTrigrams = async (connection: Connection): Promise<string | undefined> => {
  const find = () =>
    queryRow<{ schema: string | null }>(
      connection,
      sql`SELECT n.nspname AS schema
        FROM pg_available_extensions v
        LEFT JOIN pg_extension e ON e.extname = v.name
        LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE v.name = 'pg_trgm'`,
    )
  const found = await find()
  if (!found || found.schema !== null) return found?.schema ?? undefined
  await queryOnce(connection, sql`CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA docket`)
  return (await find())?.schema ?? undefined
}
