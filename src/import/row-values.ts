/** What the cells of a row give the fields of a record, as SQL over the resolved row `v`. */
import { countersOf, type NumberSource, nextNumber, numberedIn } from '../database/series.ts'
import { bound, int, raw, ref, type Sql, sql, text } from '../database/sql.ts'
import { type Column, writableColumns } from '../definitions/catalog.ts'
import { isGivenOn } from '../definitions/series.ts'
import { defaultOf } from '../definitions/values/field-defaults.ts'
import { callerDefaultSql } from '../records/write/caller-defaults.ts'
import type { SetCell } from '../records/write/write-sets.ts'
import { isHistoryColumn } from './import-plan.ts'
import { type PlacedFault, type Staged, valueOfNew } from './staged-rows.ts'

/** A record that was written. */
export type WrittenRecord = { readonly id: number; readonly isCreated: boolean }

/** What became of rows. */
export type Written = {
  created: number
  changed: number
  unchanged: number
  readonly faults: PlacedFault[]
  readonly records: WrittenRecord[]
}

/** The default of a column as SQL. */
export const defaultSql = ({ context }: Staged, column: Column): Sql => {
  const { timeZone, catalog, userId } = context
  const ofCaller = callerDefaultSql(catalog, column, userId)
  if (ofCaller) return ofCaller
  const { firstDayOfWeek } = catalog
  return bound(defaultOf(column, { timeZone, firstDayOfWeek }), column.type.cast)
}

/** The cells of a new record: of every column that a create may name, and its numbers. */
export const newCells = (open: Staged): readonly SetCell[] => {
  const cells = enteredCells(open)
  const source = numberSource(open, cells)
  const numbers = numberedOf(open).map((one) => ({
    column: one.column,
    value: nextNumber(one, source),
  }))
  return [...cells, ...numbers]
}

/** The counters of which new records take numbers, as a row source beside the rows `v`; undefined: they take none. */
export const countersOfNew = (open: Staged): Sql | undefined => {
  const numbered = numberedOf(open)
  return numbered.length === 0
    ? undefined
    : countersOf(numbered, numberSource(open, enteredCells(open)))
}

const numberedOf = ({ entity }: Staged) =>
  numberedIn(entity).filter(({ series }) => isGivenOn(series, 'create'))

const numberSource = (
  { context: { timeZone } }: Staged,
  cells: readonly SetCell[],
): NumberSource => ({
  timeZone,
  linkOf: (name) => cells.find(({ column }) => column.name === name)?.value ?? sql`NULL::integer`,
})

const enteredCells = (open: Staged): readonly SetCell[] => {
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
      const byDefault = usual[column.name] ?? int(context.userId)
      return { column, value: sql`coalesce(${ref(column.name, 'v')}, ${byDefault})` }
    })

const quotedTable = (key: string): string => `'records."${key}"'`

/** Whether a column of the file is written over the record that is matched: not what it is found by, nor what tells of its beginning. */
export const isChangedBy = ({ plan }: Staged, { name, isSystem }: Column): boolean =>
  !isSystem && !plan.match.includes(name)
