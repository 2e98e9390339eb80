/**
 * Whether the tables follow the definitions, by one statement and without a lock, so that many processes can start at
 * once: a sync that leaves nothing stores digests of both.
 */
import { createHash } from 'node:crypto'
import { findMissingMigrations } from '../database/migrate.ts'
import { execute, type Queryable, queryRow } from '../database/pool.ts'
import { raw, recordSchema, sql, text } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { desiredSchema } from './desired-schema.ts'
import { rulesOf } from './rows/field-rules.ts'

type Wanted = {
  readonly catalog: Catalog
  readonly timeZone?: string
}

/** Whether the last sync of these definitions left nothing, and nobody has changed the tables since. */
export const isSynced = async (database: Queryable, wanted: Wanted): Promise<boolean> => {
  if ((await findMissingMigrations(database)).length > 0) return false
  const row = await queryRow<{ definitions: string; is_same: boolean }>(
    database,
    sql`SELECT s.definitions, s.tables = (${tablesDigest}) AS is_same FROM docket.synced_schema s`,
  )
  return row?.is_same === true && row.definitions === definitionsDigest(wanted)
}

/** Stores the state after a sync that left nothing; `isLeft`: the next start compares again. */
export const storeSynced = async (
  connection: Queryable,
  wanted: Wanted,
  isLeft: boolean,
): Promise<void> => {
  await execute(connection, sql`DELETE FROM docket.synced_schema`)
  if (isLeft) return
  const digest = text(definitionsDigest(wanted))
  await execute(
    connection,
    sql`INSERT INTO docket.synced_schema (definitions, tables) SELECT ${digest}, (${tablesDigest})`,
  )
}

/** The tables that the definitions require, and the definitions, which say what was renamed and which values fit. */
const definitionsDigest = ({ catalog, timeZone = 'UTC' }: Wanted): string => {
  const entities = [...catalog.entities.values()]
  const wanted = [
    [...desiredSchema(catalog, timeZone)],
    entities.map(({ definition }) => definition),
    // A later version of the service may compare with other rules.
    entities.map(({ columns }) => columns.map((column) => rulesOf(column, timeZone))),
    timeZone,
  ]
  return createHash('sha256').update(JSON.stringify(wanted)).digest('hex')
}

const ofRecords = `relnamespace = to_regnamespace('${recordSchema}')`

const tablesDigest = raw(`
  SELECT md5(coalesce(string_agg(line, E'\\n' ORDER BY line COLLATE "C"), '')) FROM (
    SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attidentity, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)) AS line
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE c.${ofRecords} AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT concat_ws(' ', pg_get_indexdef(x.indexrelid), x.indisvalid)
    FROM pg_index x
    JOIN pg_class t ON t.oid = x.indrelid
    WHERE t.${ofRecords}
    UNION ALL
    SELECT concat_ws(' ', t.relname, k.conname, pg_get_constraintdef(k.oid), k.convalidated)
    FROM pg_constraint k
    JOIN pg_class t ON t.oid = k.conrelid
    WHERE t.${ofRecords}
    UNION ALL
    SELECT concat_ws(' ', t.relname, g.tgname, g.tgenabled, p.prosrc)
    FROM pg_trigger g
    JOIN pg_class t ON t.oid = g.tgrelid
    JOIN pg_proc p ON p.oid = g.tgfoid
    WHERE t.${ofRecords} AND NOT g.tgisinternal
    UNION ALL
    SELECT name FROM pg_available_extensions WHERE name = 'pg_trgm'
  ) lines`)
