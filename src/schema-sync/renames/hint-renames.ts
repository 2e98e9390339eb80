/** Suggests `was` when a new key resembles a removed one. */
import { identifier, tableName } from '../../database/sql.ts'
import { alterTable, type Change } from '../diff/change.ts'
import type { Schema, TableSchema } from '../diff/schema.ts'

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
