/** What the cells of a row give the fields of a record, as SQL over the resolved row `v`. */
import { bound, int, raw, ref, type Sql, sql, text } from '../database/sql.ts'
import { type Column, writableColumns } from '../definitions/catalog.ts'
import { defaultOf } from '../definitions/values/field-defaults.ts'
import { callerDefaultSql } from '../records/write/caller-defaults.ts'
import type { SetCell } from '../records/write/write-sets.ts'
import { isHistoryColumn } from './import-plan.ts'
import { type PlacedFault, type Staged, valueOfNew } from './staged-rows.ts'

/** What became of rows: the ids of the records that were written. */
export type Written = {
  readonly created: number[]
  readonly changed: number[]
  unchanged: number
  readonly faults: PlacedFault[]
}

/** The default of a column as SQL. */
export const defaultSql = ({ context }: Staged, column: Column): Sql => {
  const { timeZone, catalog, userId } = context
  const ofCaller = callerDefaultSql(catalog, column, userId)
  if (ofCaller) return ofCaller
  const { firstDayOfWeek } = catalog
  return bound(defaultOf(column, { timeZone, firstDayOfWeek }), column.type.cast)
}

/** The cells of a new record, of every column that a create may name. */
export const enteredCells = (open: Staged): readonly SetCell[] => {
  const given = new Set(open.columns.map(({ name }) => name))
  return writableColumns(open.entity).map((column) => {
    const byDefault = defaultSql(open, column)
    const isGiven = given.has(column.name)
    return { column, value: isGiven ? valueOfNew(open.plan, column, 'v', byDefault) : byDefault }
  })
}

/** What only the service writes otherwise, with what it would write into empty cells. */
export const historyCells = ({ columns, entity, context, plan }: Staged): readonly SetCell[] =>
  columns
    .filter(({ column }) => isHistoryColumn(column) && !plan.match.includes(column.name))
    .map(({ column }) => {
      const { initialStep = '' } = entity.definition.workflow ?? {}
      const sequence = sql`nextval(pg_get_serial_sequence(${raw(quotedTable(entity.key))}, 'id'))`
      const usual: Readonly<Record<string, Sql>> = {
        id: sequence,
        _step: text(initialStep),
        _created_at: sql`now()`,
        _updated_at: sql`now()`,
      }
      const given = ref(column.name, 'v')
      // No action was taken.
      if (!column.isSystem) return { column, value: given }
      const byDefault = usual[column.name] ?? int(context.userId)
      return { column, value: sql`coalesce(${given}, ${byDefault})` }
    })

const quotedTable = (key: string): string => `'records."${key}"'`

/** Whether a column of the file is written over the record that is matched: not what it is found by, nor what it has from its beginning. */
export const isChangedBy = ({ plan }: Staged, column: Column): boolean =>
  !isHistoryColumn(column) && !column.series && !plan.match.includes(column.name)
