/** The links of one table to others. */
import { identifier, tableName } from '../database/sql.ts'
import { alterTable, blocked, type Change, counted, safe } from './change.ts'
import type { Facts } from './facts.ts'
import { type ForeignKeySchema, isSameForeignKey, type TableSchema } from './schema.ts'

/** Links of ours that the definition does not ask for any more; they hold no data. */
export const droppedForeignKeys = (wish: TableSchema, known: TableSchema): Change[] =>
  known.foreignKeys
    .filter((key) => !wish.foreignKeys.some((wished) => isSameForeignKey(wished, key)))
    .map(({ name, column, target }) =>
      safe(
        alterTable(wish.name, `DROP CONSTRAINT ${identifier(name)}`),
        `${wish.name}.${column} does not link to ${target} any more`,
      ),
    )

/** Links that are missing. */
export const addedForeignKeys = (
  wish: TableSchema,
  known: TableSchema | undefined,
  facts: Facts,
): Change[] =>
  wish.foreignKeys
    .filter((wished) => !known?.foreignKeys.some((key) => isSameForeignKey(wished, key)))
    .map((wished) => addForeignKey(wish.name, wished, facts))

const addForeignKey = (table: string, key: ForeignKeySchema, facts: Facts): Change => {
  const { name, column, target } = key
  const sql = alterTable(
    table,
    `ADD CONSTRAINT ${identifier(name)} FOREIGN KEY (${identifier(column)}) REFERENCES ${tableName(target)} (id)`,
  )
  const orphans = facts.orphanCount(table, key)
  if (orphans === 0) return safe(sql, `${table}.${column} links to ${target}`)
  return blocked(
    sql,
    `${table}.${column} links to ${target} now, but ${counted(orphans, ['record names', 'records name'])} one that does not exist`,
    'mend or empty those links',
  )
}
