/** Counts the values that would suffer from a change of their column's type. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import type { Suffering } from '../diff/facts.ts'
import { storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'
import { losesNothing, sufferingSql } from '../diff/type-change.ts'

type Pair = { readonly wish: TableSchema; readonly known: TableSchema }

const firstToTell = 160_000

/** By `<table> column <column>`; one look at a table for each column that may lose something. */
export const readSuffering = async (
  database: Queryable,
  pairs: readonly Pair[],
  timeZone: string,
): Promise<ReadonlyMap<string, Suffering>> => {
  const found = new Map<string, Suffering>()
  for (const { wish, known } of pairs)
    for (const { name, type } of wish.columns) {
      const from = known.columns.find((column) => column.name === name)?.type
      if (from === undefined || losesNothing(from, type)) continue
      const cell = identifier(storedColumn(known, name))
      const conditions = sufferingSql(
        { from, to: type, cell, timeZone },
        await tellsInputs(database),
      )
      if (conditions)
        found.set(`${wish.name} column ${name}`, await count(database, known, conditions))
    }
  return found
}

const count = async (
  database: Queryable,
  known: TableSchema,
  { cut, refused }: { readonly cut: string; readonly refused: string },
): Promise<Suffering> => {
  const { rows } = await database.query<
    Record<'cut' | 'refused' | 'first' | 'last', number | null>
  >(
    `SELECT count(*) FILTER (WHERE cut AND NOT refused) AS cut, count(*) FILTER (WHERE refused) AS refused,
       coalesce(min(id) FILTER (WHERE refused), min(id) FILTER (WHERE cut)) AS first,
       coalesce(max(id) FILTER (WHERE refused), max(id) FILTER (WHERE cut)) AS last
     FROM (SELECT id, coalesce(${cut}, false) AS cut, coalesce(${refused}, false) AS refused
       FROM ${tableName(storedTable(known))}) r`,
  )
  const [row] = rows
  const ids = [row?.first, row?.last].filter((id) => typeof id === 'number')
  return { cut: row?.cut ?? 0, refused: row?.refused ?? 0, ids: [...new Set(ids)] }
}

const tellsInputs = async (database: Queryable): Promise<boolean> => {
  const { rows } = await database.query<{ version: string }>(
    `SELECT current_setting('server_version_num') AS version`,
  )
  return Number(rows[0]?.version) >= firstToTell
}
