/** The messages between the service and the thread that reads a file. */
import type { FileHandle } from 'node:fs/promises'
import type { Column } from '../definitions/catalog.ts'
import { fieldTypeOf } from '../definitions/field-types.ts'
import type { LineColumns } from './read/lines-of-rows.ts'
import type { MappedColumn } from './read/mapping.ts'
import type { GivenDialect, Sheet } from './read/sheet.ts'

/** What the thread begins with; the file is closed with it. */
export type ReadSettings = { readonly file: FileHandle; readonly given: GivenDialect }

/** A column without its type, which is made of its field. */
type PlainColumn = Omit<Column, 'type'> & { readonly choices: readonly string[] | undefined }

/** A column of the file as the thread gets it; what is not about its cells is left out. */
export type SentColumn = Omit<MappedColumn, 'column' | 'link' | 'list'> & {
  readonly column: PlainColumn
  readonly link:
    | {
        readonly path: string
        readonly target: { readonly key: string; readonly name: string }
        readonly column: PlainColumn
      }
    | undefined
  /** Whether lines have it, which are written with the record. */
  readonly isOfLine: boolean
  /** The bytes that a text may have, for the indexes that hold it. */
  readonly indexedBytes: number
}

export type ReadColumn = MappedColumn & Pick<SentColumn, 'indexedBytes' | 'isOfLine'>

const plain = ({ type: { choices }, ...column }: Column): PlainColumn => ({ ...column, choices })

const whole = ({ choices, ...column }: PlainColumn): Column => ({
  ...column,
  type: { ...fieldTypeOf(column.field), choices },
})

export const sentColumn = (
  { list, ...mapped }: MappedColumn,
  indexedBytes: number,
): SentColumn => ({
  ...mapped,
  isOfLine: list !== undefined,
  column: plain(mapped.column),
  link: mapped.link && {
    path: mapped.link.path,
    target: { key: mapped.link.target.key, name: mapped.link.target.name },
    column: plain(mapped.link.column),
  },
  indexedBytes,
})

/** Of the target of a link there are its key and its name, and no steps; of its list nothing. */
export const readColumn = ({ column, link, ...sent }: SentColumn): ReadColumn => ({
  ...sent,
  list: undefined,
  column: whole(column),
  link: link && {
    path: link.path,
    target: link.target as NonNullable<MappedColumn['link']>['target'],
    steps: [],
    column: whole(link.column),
  },
})

/** Messages of the thread. */
export type ReadReport =
  | { readonly kind: 'opened'; readonly sheet: Pick<Sheet, 'dialect' | 'heads' | 'sample'> }
  /** Rows for COPY; the next ones follow when some of them are written. */
  | {
      readonly kind: 'rows'
      readonly buffer: ArrayBuffer
      readonly length: number
      readonly rows: number
    }
  | { readonly kind: 'end'; readonly notes: readonly string[] }
  /** The file cannot be read, or not further. */
  | { readonly kind: 'fault'; readonly message: string }

/** Messages to the thread. */
export type ReadRequest =
  | {
      readonly kind: 'columns'
      readonly columns: readonly SentColumn[]
      readonly lineColumns: LineColumns | undefined
    }
  /** The rows are written, and their buffer is used again. */
  | { readonly kind: 'written'; readonly buffer: ArrayBuffer }
  | { readonly kind: 'stop' }
