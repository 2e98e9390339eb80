/** Suggests `was` where a new key resembles a key that was removed from the definitions. */
import { identifier, tableName } from '../../database/sql.ts'
import { alterTable, type Change } from '../diff/change.ts'
import type { Schema, TableSchema } from '../diff/schema.ts'

const maxNamed = 3

/** Warnings; the statement is what `was` would run. */
export const hintRenames = (desired: Schema, current: Schema): Change[] => [
  ...tableHints(desired, current),
  ...[...desired.values()].flatMap((wish) => {
    const known = current.get(wish.name)
    return known ? columnHints(wish, known) : []
  }),
]

const tableHints = (desired: Schema, current: Schema): Change[] => {
  const unknown = [...current.values()].filter(({ name }) => !desired.has(name))
  return [...desired.values()]
    .filter(({ name }) => !current.has(name))
    .flatMap((wish) => {
      const alike = unknown.filter((known) => ownColumns(known) === ownColumns(wish))
      return hint(
        `the entity ${wish.name}`,
        'definition',
        alike,
        ({ name }) => `ALTER TABLE ${tableName(name)} RENAME TO ${identifier(wish.name)}`,
      )
    })
}

const ownColumns = ({ columns }: TableSchema): string =>
  columns
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('_'))
    .sort()
    .join()

const columnHints = (wish: TableSchema, known: TableSchema): Change[] => {
  const lacks = (table: TableSchema, name: string) =>
    !name.startsWith('_') && !table.columns.some((column) => column.name === name)
  const unknown = known.columns.filter(({ name }) => lacks(wish, name))
  return wish.columns
    .filter(({ name }) => lacks(known, name))
    .flatMap((column) => {
      const alike = unknown.filter(({ type }) => type === column.type)
      return hint(`${wish.name}.${column.name}`, 'field', alike, ({ name }) =>
        alterTable(wish.name, `RENAME COLUMN ${identifier(name)} TO ${identifier(column.name)}`),
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
      reason: `${fresh} is new, while no ${what} is left for ${names.join(', ')}; if it is the same under another name, say "was": "${one.name}" in it, and it keeps what is there`,
    },
  ]
}
