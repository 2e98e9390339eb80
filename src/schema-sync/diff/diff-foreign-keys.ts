/** The links of one table to others. */
import { identifier, tableName } from '../../database/sql.ts'
import { alterTable, blocked, type Change, counted, during, safe } from './change.ts'
import type { Facts } from './facts.ts'
import { type ForeignKeySchema, isSameForeignKey, type TableSchema } from './schema.ts'

/**
 * Links of ours that would refuse what the definition allows; they hold no data. The link of a column
 * that no field has stays: nobody writes there, and its values stay right.
 */
export const droppedForeignKeys = (wish: TableSchema, known: TableSchema): Change[] =>
  known.foreignKeys
    .filter((key) => !wish.foreignKeys.some((wished) => isSameForeignKey(wished, key)))
    .filter((key) => wish.columns.some(({ name }) => name === key.column))
    .map(({ name, column, target }) =>
      safe(
        alterTable(wish.name, `DROP CONSTRAINT ${identifier(name)}`),
        `${wish.name}.${column} does not link to ${target} any more`,
      ),
    )

/** Links that are missing, or were never compared with the rows that were there already. */
export const addedForeignKeys = (
  wish: TableSchema,
  known: TableSchema | undefined,
  facts: Facts,
): Change[] =>
  wish.foreignKeys.flatMap((wished) => {
    const found = known?.foreignKeys.find((key) => isSameForeignKey(wished, key))
    if (found === undefined) return addForeignKey(wish.name, wished, facts)
    return found.isValid ? [] : [compared(wish.name, wished)]
  })

const addForeignKey = (table: string, key: ForeignKeySchema, facts: Facts): Change[] => {
  const { name, column, target } = key
  const isFilled = facts.isFilled(table)
  const sql = alterTable(
    table,
    `ADD CONSTRAINT ${identifier(name)} FOREIGN KEY (${identifier(column)}) REFERENCES ${tableName(target)} (id)${isFilled ? ' NOT VALID' : ''}`,
  )
  const orphans = facts.orphanCount(table, key)
  if (orphans > 0)
    return [
      blocked(
        sql,
        `${table}.${column} links to ${target} now, but ${counted(orphans, ['record names', 'records name'])} one that does not exist`,
        'mend or empty those links',
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
      `the links of ${table}.${column} to ${target} are compared with what is there`,
    ),
  )
