/** Defines an export format; each one is a row of `export-formats.ts`. */
import type { Batch, RowTerminator } from '../database/copy.ts'
import { raw, sql, text, toLiteralText } from '../database/sql.ts'
import type { CellKind, Digits } from '../definitions/field-types/field-type.ts'
import type { BoundType } from '../definitions/field-types.ts'
import type { CsvDialect } from '../definitions/values/rules/csv-dialects.ts'
import type { ErrorCode } from '../error-kinds.ts'
import { columnExpression } from '../query/compile-select.ts'
import type { PlannedColumn } from '../query/select-plan.ts'

/** A column of an export: its header and its source. */
export type ExportColumn = PlannedColumn & {
  readonly header: string
  /** The names that stand in the file in place of values; undefined: the values themselves. */
  readonly names: ReadonlyMap<string, string> | undefined
}

export type ExportSheet = {
  readonly columns: readonly ExportColumn[]
  /** Title of the sheet, for formats that have one. */
  readonly name: string
  /** Text that a spreadsheet would evaluate gets a leading apostrophe. */
  readonly escapesFormulas: boolean
  /** How CSV is written. */
  readonly csv: CsvDialect
  /** A BCP 47 tag: how xlsx shows days and times; undefined: as ISO 8601. */
  readonly locale: string | undefined
  /** The IANA zone of local times. */
  readonly timeZone: string
}

/** Describes the sheet without its rows, as plain data that can be posted to a thread. */
export type SheetMeta = Omit<ExportSheet, 'columns'> & { readonly columns: readonly SheetColumn[] }

export type SheetColumn = {
  readonly header: string
  readonly cell: CellKind
  readonly digits: Digits
  /** In characters of a typical value. */
  readonly width: number
}

export type ExportFormat = {
  readonly name: string
  readonly contentType: string
  /** That of a file in a dialect, where dialects differ. */
  readonly contentTypeOf?: (csv: CsvDialect) => string
  readonly extension: string
  /** SQL select list: one expression per column, or one expression for the whole row. */
  readonly list: (sheet: ExportSheet) => string
  readonly copyOptions: (sheet: ExportSheet) => string
  readonly rowTerminator: RowTerminator
  /** Adds what comes before, between and after the rows. */
  readonly encode: (batches: AsyncIterable<Batch>, meta: SheetMeta) => AsyncIterable<Buffer>
  /** The values that it refuses before the first byte; throws for such a header. */
  readonly refusal?: (sheet: ExportSheet) => Refusal | undefined
}

/** Values that a file cannot have. */
export type Refusal = {
  readonly code: ErrorCode
  /** Whether a column of this type may have some. */
  readonly mayConcern: (type: BoundType) => boolean
  /** SQL: the part of a text that cannot be written, or `''` if none is shown; null for a text that can be written. */
  readonly wrongPart: (text: string) => string
  /** The error, before and after the names of the columns. */
  readonly says: readonly [before: string, after: string]
}

// COPY never quotes a single column whose text contains neither of these control characters, so the text
// arrives unchanged.
export const rowAsItIs = () => `FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ENCODING 'UTF8'`

/** The value of the record, or its name; a value without a name stays as it is. */
export const cellExpression = ({ ref, names }: Pick<ExportColumn, 'ref' | 'names'>): string => {
  const value = columnExpression(ref)
  if (names === undefined || names.size === 0) return value
  const cases = [...names].map(([key, name]) =>
    toLiteralText(sql` WHEN ${text(key)} THEN ${text(name)}`),
  )
  return toLiteralText(sql`(CASE ${raw(value)}${raw(cases.join(''))} ELSE ${raw(value)} END)`)
}
