/** Dialects of CSV: everything in which a file that exports write, and imports read, may differ (docs/export.md). */

/** The names of the rows of a table. */
export const namesOf = <T extends object>(rows: T): readonly (keyof T & string)[] =>
  Object.keys(rows) as (keyof T & string)[]

/** Between the fields of a row, by name. */
export const separators = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const
type Separator = keyof typeof separators

/** Before the fraction of a decimal number, by name. */
export const decimalMarks = { point: '.', comma: ',' } as const
type DecimalMark = keyof typeof decimalMarks

/**
 * How days are written. `iso` writes a moment as ISO 8601 in UTC (`2026-11-26T10:30:00.000Z`). With the others a moment is
 * the day, a blank and the time in the time zone of the service (`26.11.2026 11:30:00`), which the header names, with
 * milliseconds after the decimal mark if it has some (`11:30:00,250`). A moment that would be read as another, because its
 * local time occurs twice and this is the second, or of the first or the last two days of the years 1 to 9999, is written as
 * `iso` does.
 */
export const dateForms = [
  'iso',
  'yyyy-mm-dd',
  'dd.mm.yyyy',
  'dd.mm.yyyy.',
  'dd/mm/yyyy',
  'mm/dd/yyyy',
  'dd-mm-yyyy',
] as const
type DateForm = (typeof dateForms)[number]

/** How characters are bytes, by the names that `TextDecoder` knows, with the names that PostgreSQL has for them. */
export const csvEncodings = {
  'utf-8': 'UTF8',
  // Little-endian; PostgreSQL does not write it.
  'utf-16': undefined,
  'windows-1252': 'WIN1252',
  'windows-1250': 'WIN1250',
} as const
export type CsvEncoding = keyof typeof csvEncodings

/** Which fields are quoted: those that need it, or all that have a value. */
export const quotings = ['minimal', 'all'] as const
type Quoting = (typeof quotings)[number]

export type CsvDialect = {
  readonly separator: Separator
  readonly decimal: DecimalMark
  readonly dates: DateForm
  readonly encoding: CsvEncoding
  /** Whether the file begins with a byte order mark: UTF-16 always does, and what is not Unicode never. */
  readonly bom: boolean
  readonly quoting: Quoting
}

/** By RFC 4180, for programs. */
export const standardCsv: CsvDialect = {
  separator: 'comma',
  decimal: 'point',
  dates: 'iso',
  encoding: 'utf-8',
  bom: false,
  quoting: 'minimal',
}

/** What Excel opens with a double click depends on the region of the computer: all but the quoting. */
const excel = (separator: Separator, decimal: DecimalMark, dates: DateForm): CsvDialect => ({
  ...standardCsv,
  separator,
  decimal,
  dates,
  bom: true,
})

/** Dialects by the names that requests, definitions and settings of users take. */
export const csvDialects = {
  standard: standardCsv,
  'excel-en-us': excel('comma', 'point', 'mm/dd/yyyy'),
  'excel-en-gb': excel('comma', 'point', 'dd/mm/yyyy'),
  'excel-de': excel('semicolon', 'comma', 'dd.mm.yyyy'),
  'excel-de-ch': excel('semicolon', 'point', 'dd.mm.yyyy'),
  'excel-fr': excel('semicolon', 'comma', 'dd/mm/yyyy'),
  'excel-hr': excel('semicolon', 'comma', 'dd.mm.yyyy.'),
} as const satisfies Record<string, CsvDialect>
export type CsvDialectName = keyof typeof csvDialects

/** What a request or a definition says of a dialect: a named one, or that of `base`, and parts that differ from it. */
export type CsvChoice = { readonly [K in keyof CsvDialect]?: CsvDialect[K] | undefined } & {
  readonly dialect?: CsvDialectName | undefined
}

// Files with semicolons are those of programs whose decimals have a comma.
const usualMarks: { readonly [K in Separator]?: DecimalMark } = {
  comma: 'point',
  semicolon: 'comma',
}

/** The whole dialect. */
export const chosenDialect = (choice: CsvChoice, base: CsvDialect = standardCsv): CsvDialect => {
  const begun = choice.dialect === undefined ? base : csvDialects[choice.dialect]
  const { separator, dates = begun.dates, encoding = begun.encoding } = choice
  const usual = separator === undefined ? undefined : usualMarks[separator]
  return {
    separator: separator ?? begun.separator,
    decimal: choice.decimal ?? usual ?? begun.decimal,
    dates,
    encoding,
    bom: encoding === 'utf-16' || (encoding === 'utf-8' && (choice.bom ?? begun.bom)),
    quoting: choice.quoting ?? begun.quoting,
  }
}
