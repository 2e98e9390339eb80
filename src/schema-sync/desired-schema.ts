/**
 * The schema that the definitions require; and whether the tables follow it, by one statement and without a lock, so
 * that many processes can start at once: a sync that leaves nothing stores digests of both.
 */
import { createHash } from 'node:crypto'
import { findMissingMigrations } from '../database/migrate.ts'
import { execute, type Queryable, queryRow } from '../database/pool.ts'
import { bound, raw, recordSchema, sql, text, toLiteralText } from '../database/sql.ts'
import { type Catalog, type Column, type Entity, indexesOf } from '../definitions/catalog.ts'
import { defaultOf, hasMovingDefault, isRequired } from '../definitions/values/field-defaults.ts'
import { calculationText, triggerBody } from './calculations/calculation-sql.ts'
import {
  type ColumnSchema,
  nameOf,
  type Schema,
  type TableSchema,
  type TriggerSchema,
} from './diff/schema.ts'
import { rulesOf } from './rows/field-rules.ts'
import { numberingText } from './rows/number-records.ts'

/** A table per entity; default times without an offset are in `timeZone`. */
export const desiredSchema = (catalog: Catalog, timeZone: string): Schema =>
  new Map(
    [...catalog.entities.values()].map((entity) => [
      entity.key,
      tableOf(catalog, entity, timeZone),
    ]),
  )

const tableOf = (catalog: Catalog, entity: Entity, timeZone: string): TableSchema => ({
  name: entity.key,
  columns: [
    ...entity.columns.map((column) => ({
      ...columnOf(entity, column, timeZone),
      calculation: calculationText({ catalog, timeZone }, { entity, column }),
    })),
    // Not in the catalog: it stores the entity tag.
    { name: '_version', type: 'integer', isNotNull: true, default: '1', isIdentity: false },
  ],
  indexes: indexesOf(entity).map((index) => ({
    ...index,
    name: nameOf({ table: entity.key, columns: index.columns, kind: index.kind }),
    isValid: true,
  })),
  foreignKeys: foreignKeysOf(entity),
  checks: [],
  trigger: triggerOf(catalog, entity),
})

const triggerOf = (catalog: Catalog, entity: Entity): TriggerSchema | undefined => {
  const body = triggerBody(catalog, entity)
  const name = nameOf({ table: entity.key, columns: [], kind: 'calculation' })
  return body === undefined ? undefined : { name, functionName: name, body }
}

// No foreign keys on _created_by, _updated_by and _owned_by: every insert would lock the row of its user.
// Only the service writes these columns, and it never deletes users.
const foreignKeysOf = (entity: Entity) =>
  entity.columns.flatMap(({ name, target, isSystem }) =>
    isSystem || target === undefined
      ? []
      : [
          {
            name: nameOf({ table: entity.key, columns: [name], kind: 'foreignKey' }),
            column: name,
            target,
            isValid: true,
          },
        ],
  )

const columnOf = (entity: Entity, column: Column, timeZone: string): ColumnSchema => ({
  name: column.name,
  type: column.type.sqlType(),
  isNotNull: isRequired(column),
  default: column.isSystem ? systemDefault(entity, column) : declaredDefault(column, timeZone),
  isIdentity: column.name === 'id',
  numbering: numberingText(column),
  ...(column.series?.on === 'create' && { isNumbered: true }),
})

const systemDefault = (entity: Entity, { name }: Column): string | undefined => {
  switch (name) {
    case '_is_deleted':
      return 'false'
    case '_created_at':
    case '_updated_at':
      return 'now()'
    case '_step':
      return toLiteralText(text(entity.definition.workflow?.initialStep ?? ''))
    default:
      return undefined
  }
}

/** The service sets defaults itself; the database needs them for existing records, which have none that moves. */
const declaredDefault = (column: Column, timeZone: string): string | undefined => {
  const value = hasMovingDefault(column) ? null : defaultOf(column, { timeZone })
  return value === null ? undefined : toLiteralText(bound(value, column.type.cast)).trim()
}

type Wanted = {
  readonly catalog: Catalog
  readonly timeZone?: string
}

/** Whether the last sync of these definitions left nothing, and the tables have not changed since. */
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
