/** The foreign keys of one table. */
import { identifier, tableName } from '../../database/sql.ts'
import { alterTable, blocked, type Change, counted, during, safe } from './change.ts'
import { type ForeignKeySchema, isSameForeignKey, type TableSchema } from './schema.ts'
import type { TableStats } from './table-stats.ts'

/**
 * Drops our foreign keys that would reject what the definition allows; they hold no data. The foreign key
 * of a column without a field stays, because nobody writes that column.
 */
export const droppedForeignKeys = (desired: TableSchema, actual: TableSchema): Change[] =>
  actual.foreignKeys
    .filter((key) => !desired.foreignKeys.some((one) => isSameForeignKey(one, key)))
    .filter((key) => desired.columns.some(({ name }) => name === key.column))
    .map(({ name, column, target }) =>
      safe(
        alterTable(desired.name, `DROP CONSTRAINT ${identifier(name)}`),
        `${desired.name}.${column} does not link to ${target} any more`,
      ),
    )

/** Adds foreign keys that are missing, or were never validated. */
export const addedForeignKeys = (
  desired: TableSchema,
  actual: TableSchema | undefined,
  tableStats: TableStats,
): Change[] =>
  desired.foreignKeys.flatMap((wanted) => {
    const found = actual?.foreignKeys.find((key) => isSameForeignKey(wanted, key))
    if (found === undefined) return addForeignKey(desired.name, wanted, tableStats)
    return found.isValid ? [] : [compared(desired.name, wanted)]
  })

const addForeignKey = (table: string, key: ForeignKeySchema, tableStats: TableStats): Change[] => {
  const { name, column, target } = key
  const isFilled = tableStats.isFilled(table)
  const sql = alterTable(
    table,
    `ADD CONSTRAINT ${identifier(name)} FOREIGN KEY (${identifier(column)}) REFERENCES ${tableName(target)} (id)${isFilled ? ' NOT VALID' : ''}`,
  )
  const orphans = tableStats.orphanCount(table, key)
  if (orphans > 0)
    return [
      blocked(
        sql,
        `${table}.${column} links to ${target} now, but ${counted(orphans, ['record names', 'records name'])} one that does not exist`,
        'correct or clear those links',
      ),
    ]
  const added = safe(sql, `${table}.${column} links to ${target}`)
  return isFilled ? [added, compared(table, key)] : [added]
}

/** Others read and write meanwhile. */
const compared = (table: string, { name, column, target }: ForeignKeySchema): Change =>
  during(
    'between',
    safe(
      alterTable(table, `VALIDATE CONSTRAINT ${identifier(name)}`),
      `the links of ${table}.${column} to ${target} are compared with the existing records`,
    ),
  )
