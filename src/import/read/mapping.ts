/** Which columns of an entity the heads of a file mean. */
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import type { DayOrder, DecimalMark, Sheet, SheetNote } from './sheet.ts'

/** What the reading has to know about the project. */
export type ReadingProject = {
  /** The definitions. */
  readonly catalog: Catalog
  /** The same in each of the project's languages, its own first: heads and choices may be named in any of them. */
  readonly languages: readonly Catalog[]
  /** The zone of times without an offset whose head names none. */
  readonly timeZone: string
}

/**
 * What a column of the file is for: `value` of a field, `link` to a record by a unique path of its entity, `id` of the record itself,
 * `history` (`_step`, `_created_at`, `_created_by` and the like, which only some callers may write), or `none`: read and not written,
 * such as a calculated field, or the name of a linked record that another column identifies.
 */
export type ColumnUse = 'value' | 'link' | 'id' | 'history' | 'none'

export type MappedColumn = {
  /** In `cells` of a row, from 0. */
  readonly position: number
  /** As in the file. */
  readonly head: string
  readonly use: ColumnUse
  /** Of the entity: `supplier.code`, `total`, `_step`. */
  readonly path: string
  /** The column of the entity that is written; of a link the column that holds the id. */
  readonly column: Column
  /** Of a link: what identifies the record. A link by its id has the path `id`. A link of history has it too. */
  readonly link: LinkPath | undefined
  /** Of times: that which the head names, else that of the project. */
  readonly timeZone: string
  /** Undefined where nothing decides, which is an issue, or no value needs it. */
  readonly decimal: DecimalMark | undefined
  readonly dates: DayOrder | undefined
  /** Of choices, steps and booleans: the value by what may be written for it, in lower case. */
  readonly words: ReadonlyMap<string, string> | undefined
}

export type LinkPath = {
  /** From the linked entity on: `id`, `code`, `account.email`. */
  readonly path: string
  /** The entity that is linked. */
  readonly target: Entity
  /** Unique links on the way after the first, then the unique column at the end. */
  readonly steps: readonly Column[]
  readonly column: Column
}

export type HeadIssue = {
  readonly position: number
  readonly head: string
  readonly message: string
}

/** What people say about a column of the file, by its head. `null`: it is left out. */
export type GivenColumns = Readonly<Record<string, GivenColumn | string | null>>
export type GivenColumn = {
  /** A path of the entity. */
  readonly field: string
  readonly decimal?: DecimalMark | undefined
  readonly dates?: DayOrder | undefined
  /** The value by what the file has for it. */
  readonly values?: Readonly<Record<string, string>> | undefined
}

export type Mapping = {
  readonly columns: readonly MappedColumn[]
  readonly issues: readonly HeadIssue[]
  readonly notes: readonly SheetNote[]
}

/**
 * Every head that an export of Docket writes, in every format and language, maps by itself. A right to read or write is not
 * asked here: give the catalog as the caller sees it.
 */
export const mapHeads = (
  _project: ReadingProject,
  _entity: Entity,
  _sheet: Pick<Sheet, 'heads' | 'sample' | 'dialect'>,
  _given: GivenColumns = {},
): Mapping => ({ columns: [], issues: [], notes: [] })
