/** What an import does with a file: its settings, and each of its columns. It is kept with the run, as JSON. */
import { findList, type List, resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import type { EmptyCells, ImportMode } from '../definitions/schemas/import-definition.ts'
import type { GivenColumn } from './read/mapping.ts'
import type { CellSeparator, DayOrder, DecimalMark, SheetFormat } from './read/sheet.ts'

/** A column of the file that is written, or by which a record is known. */
export type PlannedColumn = {
  /** Of the file. */
  readonly head: string
  readonly position: number
  /** The one-to-many field whose records have it, which are written with those of the entity; else the entity has it. */
  readonly list?: string | undefined
  /** The name of the column there. */
  readonly name: string
  /** Of a link: the path from the linked entity to what the cells have. */
  readonly link?: string | undefined
  /** How its numbers and days are written, if something says so. */
  readonly decimal?: DecimalMark | undefined
  readonly dates?: DayOrder | undefined
}

export type ImportPlan = {
  readonly mode: ImportMode
  /** Names of columns that together are unique: by their values a record is found. */
  readonly match: readonly string[]
  readonly emptyCells: EmptyCells
  /** Whether what follows a change follows these: notifications, handlers of the project. */
  readonly notify: boolean
  /** Undefined: of a small file nothing is written where a row has a fault, of a large one the other rows are. */
  readonly allOrNothing: boolean | undefined
  readonly heads: readonly string[]
  /** What was found in the file or assumed of it, for people. */
  readonly notes: readonly string[]
  readonly columns: readonly PlannedColumn[]
  /** How the cells of the columns are read, in their order: a corrected one is read like those of the file. */
  readonly format: SheetFormat
  /** Of CSV: what stands between the cells. */
  readonly separator?: CellSeparator | undefined
  readonly reading: readonly ColumnReading[]
}

/** What `mapHeads` makes the same column of again. */
export type ColumnReading = Pick<GivenColumn, 'field' | 'values'> & { readonly timeZone: string }

/** A column of the plan as statements use it. */
export type ImportColumn = Omit<PlannedColumn, 'list'> & {
  readonly list: List | undefined
  readonly column: Column
  /** Its name in the table of the run. */
  readonly slot: string
  readonly path: LinkWay | undefined
}

/** From a link to the column by whose value the linked record is found. */
type LinkWay = {
  readonly target: Entity
  /** Unique links after the first, each with the entity that it leads to. */
  readonly steps: readonly { readonly column: Column; readonly entity: Entity }[]
  readonly column: Column
}

/** The columns of a plan; undefined if the definitions have one of them no more. */
export const columnsOfPlan = (
  catalog: Catalog,
  entity: Entity,
  { columns }: Pick<ImportPlan, 'columns'>,
): readonly ImportColumn[] | undefined => {
  const found = columns.map((planned, index): ImportColumn | undefined => {
    const list = planned.list === undefined ? undefined : findList(catalog, entity, planned.list)
    const owner = planned.list === undefined ? entity : list?.target
    const column = owner?.columnsByName.get(planned.name)
    const path = planned.link === undefined ? undefined : wayOf(catalog, column, planned.link)
    return column && (planned.link === undefined || path)
      ? { ...planned, list, column, slot: `c${index}`, path }
      : undefined
  })
  return found.every((one) => one !== undefined) ? found : undefined
}

/** A list whose records are written with those of the file, and its columns. */
export type ColumnsOfList = { readonly list: List; readonly columns: readonly ImportColumn[] }

/** The lists of the file. */
export const byList = (columns: readonly ImportColumn[]): readonly ColumnsOfList[] =>
  [...Map.groupBy(columns, ({ list }) => list?.field.key).values()].flatMap((ofList) => {
    const list = ofList[0]?.list
    return list ? [{ list, columns: ofList }] : []
  })

const wayOf = (catalog: Catalog, link: Column | undefined, path: string): LinkWay | undefined => {
  const target = catalog.entities.get(link?.target ?? '')
  const resolved = target && resolvePath(catalog, target, path)
  if (!target || !resolved || 'message' in resolved) return undefined
  const steps = resolved.path.steps.flatMap((column) => {
    const entity = catalog.entities.get(column.target ?? '')
    return entity ? [{ column, entity }] : []
  })
  return { target, steps, column: resolved.path.column }
}

/** What cells of a column have: the value of the field, or that by which the linked record is found. */
export const cellColumnOf = ({ column, path }: Pick<ImportColumn, 'column' | 'path'>): Column =>
  path?.column ?? column

/** Whether the service alone fills the column otherwise: by itself, or with the user who takes an action. */
export const isHistoryColumn = ({ isSystem, writtenBy }: Column): boolean =>
  isSystem || writtenBy.length > 0
