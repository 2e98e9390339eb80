/** Counts values that a type change would alter. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import { storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'
import type { LossyValues } from '../diff/table-stats.ts'
import { isLossless, lossyValuesSql } from '../diff/type-change.ts'

type Pair = { readonly desired: TableSchema; readonly actual: TableSchema }

const firstShown = 160_000

/** Keyed by `<table> column <column>`; one scan of a table for each lossy column. */
export const readLossyValues = async (
  database: Queryable,
  pairs: readonly Pair[],
  timeZone: string,
): Promise<ReadonlyMap<string, LossyValues>> => {
  const found = new Map<string, LossyValues>()
  for (const { desired, actual } of pairs)
    for (const { name, type } of desired.columns) {
      const from = actual.columns.find((column) => column.name === name)?.type
      if (from === undefined || isLossless(from, type)) continue
      const cell = identifier(storedColumn(actual, name))
      const conditions = lossyValuesSql(
        { from, to: type, cell, timeZone },
        await tellsInputs(database),
      )
      if (conditions)
        found.set(`${desired.name} column ${name}`, await count(database, actual, conditions))
    }
  return found
}

const count = async (
  database: Queryable,
  actual: TableSchema,
  { cut, refused }: { readonly cut: string; readonly refused: string },
): Promise<LossyValues> => {
  const { rows } = await database.query<
    Record<'cut' | 'refused' | 'first' | 'last', number | null>
  >(
    `SELECT count(*) FILTER (WHERE cut AND NOT refused) AS cut, count(*) FILTER (WHERE refused) AS refused,
       coalesce(min(id) FILTER (WHERE refused), min(id) FILTER (WHERE cut)) AS first,
       coalesce(max(id) FILTER (WHERE refused), max(id) FILTER (WHERE cut)) AS last
     FROM (SELECT id, coalesce(${cut}, false) AS cut, coalesce(${refused}, false) AS refused
       FROM ${tableName(storedTable(actual))}) r`,
  )
  const [row] = rows
  const ids = [row?.first, row?.last].filter((id) => typeof id === 'number')
  return { cut: row?.cut ?? 0, refused: row?.refused ?? 0, ids: [...new Set(ids)] }
}

/** Whether the server can say that a text is no value of a type. */
export const tellsInputs = async (database: Queryable): Promise<boolean> => {
  const { rows } = await database.query<{ version: string }>(
    `SELECT current_setting('server_version_num') AS version`,
  )
  return Number(rows[0]?.version) >= firstShown
}
