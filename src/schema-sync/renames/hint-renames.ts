/**
 * Suggests `was` when a new key resembles a removed one; and where a text becomes a link, or a link a text, the
 * statement that fills the new column from the other one.
 */
import { type Queryable, queryCount } from '../../database/pool.ts'
import { identifier, ref, type Sql, sql, table, tableName } from '../../database/sql.ts'
import { type Catalog, type Column, type Entity, uniqueIndexes } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'
import { alterTable, type Change, counted, printSql } from '../diff/change.ts'
import { type Schema, storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'

const maxNamed = 3

/** Warnings; the statement is the one that `was` would run. */
export const hintRenames = (desired: Schema, current: Schema): Change[] => [
  ...tableHints(desired, current),
  ...[...desired.values()].flatMap((desiredTable) => {
    const actual = current.get(desiredTable.name)
    return actual ? columnHints(desiredTable, actual) : []
  }),
]

const tableHints = (desired: Schema, current: Schema): Change[] => {
  const unknown = [...current.values()].filter(({ name }) => !desired.has(name))
  return [...desired.values()]
    .filter(({ name }) => !current.has(name))
    .flatMap((desiredTable) => {
      const alike = unknown.filter((actual) => ownColumns(actual) === ownColumns(desiredTable))
      return hint(
        `the entity ${desiredTable.name}`,
        'definition',
        alike,
        ({ name }) => `ALTER TABLE ${tableName(name)} RENAME TO ${identifier(desiredTable.name)}`,
      )
    })
}

const ownColumns = ({ columns }: TableSchema): string =>
  columns
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('_'))
    .sort()
    .join()

const columnHints = (desiredTable: TableSchema, actual: TableSchema): Change[] => {
  const lacks = (table: TableSchema, name: string) =>
    !name.startsWith('_') && !table.columns.some((column) => column.name === name)
  const unknown = actual.columns.filter(({ name }) => lacks(desiredTable, name))
  return desiredTable.columns
    .filter(({ name }) => lacks(actual, name))
    .flatMap((column) => {
      const alike = unknown.filter(({ type }) => type === column.type)
      return hint(`${desiredTable.name}.${column.name}`, 'field', alike, ({ name }) =>
        alterTable(
          desiredTable.name,
          `RENAME COLUMN ${identifier(name)} TO ${identifier(column.name)}`,
        ),
      )
    })
}

const hint = <T extends { readonly name: string }>(
  fresh: string,
  what: string,
  alike: readonly T[],
  sql: (one: T) => string,
): Change[] => {
  const [one] = alike
  if (!one) return []
  const names = alike.slice(0, maxNamed).map(({ name }) => name)
  return [
    {
      kind: 'warning',
      sql: sql(one),
      reason: `${fresh} is new, while no ${what} is left for ${names.join(', ')}; if it was renamed, add "was": "${one.name}" to keep its data`,
    },
  ]
}

type Pair = {
  readonly entity: Entity
  readonly column: Column
  /** The column of the field as it was. */
  readonly kept: string
  readonly target: Entity
  readonly isLinkNow: boolean
}

/** A warning for each such field, until no record has only the earlier value. */
export const hintLinks = async (
  database: Queryable,
  catalog: Catalog,
  current: Schema,
): Promise<Change[]> => {
  const changes: Change[] = []
  for (const entity of catalog.entities.values()) {
    const actual = current.get(entity.key)
    for (const column of actual ? entity.columns : []) {
      const pair = actual && pairOf(catalog, entity, actual, column)
      const count = pair ? await countWaiting(database, actual, pair) : 0
      if (pair && count > 0) changes.push(linkHint(pair, count))
    }
  }
  return changes
}

const pairOf = (
  catalog: Catalog,
  entity: Entity,
  actual: TableSchema,
  column: Column,
): Pair | undefined => {
  const { field, isSystem, target } = column
  if (isSystem || (target === undefined && column.type.cast !== 'text')) return undefined
  const isLinkNow = target !== undefined
  const keys = [field.key, ...('was' in field ? earlierKeys(field.was) : [])]
  const kept = keys
    .map((key) => (isLinkNow ? key : `${key}_id`))
    .find(
      (name) =>
        !entity.columnsByName.has(name) &&
        actual.columns.some(
          (one) => one.name === name && one.type === (isLinkNow ? 'text' : 'integer'),
        ),
    )
  const led = target ?? actual.foreignKeys.find((key) => key.column === kept)?.target
  const entityLed = catalog.entities.get(led ?? '')
  return kept !== undefined && entityLed
    ? { entity, column, kept, target: entityLed, isLinkNow }
    : undefined
}

const countWaiting = async (
  database: Queryable,
  actual: TableSchema,
  { column, kept }: Pair,
): Promise<number> => {
  const isThere = actual.columns.some(({ name }) => name === column.name)
  const lacks = isThere ? sql`${ref(storedColumn(actual, column.name))} IS NULL` : sql`true`
  return queryCount(
    database,
    sql`
      SELECT count(*) AS count
      FROM ${table(storedTable(actual))}
      WHERE NOT _is_deleted AND ${ref(storedColumn(actual, kept))} IS NOT NULL AND ${lacks}`,
  )
}

const linkHint = (pair: Pair, count: number): Change => {
  const { entity, column, kept, target, isLinkNow } = pair
  const [was, now] = isLinkNow
    ? ['a text', `a link to ${target.key}`]
    : [`a link to ${target.key}`, 'a text']
  const records = counted(count, ['record has', 'records have'])
  return {
    kind: 'warning',
    sql: printSql(fill(pair, nameIn(target))),
    reason: `${entity.key}.${column.field.key} was ${was} and is ${now} now: ${records} a value in the column ${kept}, which is kept, and none in ${column.name}; this statement fills it, ${isLinkNow ? `where a ${target.key} of that name exists` : 'with the name of what is linked'}`,
  }
}

/** The text that identifies records: the display field, else one that is unique. */
const nameIn = (target: Entity): string => {
  const unique = uniqueIndexes(target).flatMap(({ columns }) =>
    columns.length === 1 ? columns : [],
  )
  const isText = (name: string) => target.columnsByName.get(name)?.type.cast === 'text'
  return [target.definition.displayField ?? '', ...unique].find(isText) ?? 'id'
}

const fill = ({ entity, column, kept, target, isLinkNow }: Pair, name: string): Sql => {
  const [value, found] = isLinkNow
    ? [sql`l.id`, sql`${ref(name, 'l')}::text = ${ref(kept, 't')}`]
    : [sql`${ref(name, 'l')}::text`, sql`l.id = ${ref(kept, 't')}`]
  return sql`
    UPDATE ${table(entity)} t
    SET ${ref(column.name)} = ${value}, _version = t._version + 1
    FROM ${table(target)} l
    WHERE ${found} AND ${ref(column.name, 't')} IS NULL AND NOT l._is_deleted`
}
