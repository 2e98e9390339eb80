/** The value of a cell as the JSON of a write has it, or what is wrong with it in words of spreadsheets. */
import type { Column } from '../../definitions/catalog.ts'
import { isFileColumn } from '../../definitions/files.ts'
import { hasValueNames } from '../../definitions/value-names.ts'
import { parseDate } from '../../definitions/values/timestamps.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { takeBackGuard } from '../../export/formats/formula-guard.ts'
import { shorten } from '../../issues.ts'
import { valueColumn } from './column-forms.ts'
import type { LinkPath, MappedColumn } from './mapping.ts'
import {
  type DayParts,
  dayParts,
  hasShortYear,
  isoDay,
  isoTime,
  localMoment,
  possibleOrders,
} from './read-day.ts'
import {
  evidenceOf,
  isShortened,
  numberParts,
  plainDigits,
  shiftPoint,
  unitsOf,
} from './read-number.ts'
import type { Cell } from './sheet.ts'
import { readUploads } from './upload-ids.ts'

/** What was done to a cell and is to be said once for a column, with how many cells there are. */
export type CellNote = 'blanks' | 'number as text' | 'shortened' | 'percent'

/** What people read of a note. */
export const noteTexts: Readonly<Record<CellNote, string>> = {
  blanks: 'blanks at the ends of texts are left out',
  'number as text':
    'texts are numbers in the spreadsheet; zeros at their beginning are lost there, if they had some',
  shortened:
    'texts look like numbers that a spreadsheet has shortened, such as 4.00638E+12; their digits are lost',
  percent: 'percentages are read as fractions: 19% is 0.19',
}

/**
 * `value` goes through the check of the field (`column.column.type.check`), which has the rules of its values; `null`: the cell is empty.
 * `link`: the text by which the record is found; whole numbers are plain.
 */
export type ReadResult =
  | { readonly value: unknown; readonly note?: CellNote }
  | {
      readonly link: { readonly path: LinkPath; readonly text: string }
      readonly note?: CellNote
    }
  | { readonly fault: string }

type Value = Exclude<ReadResult, { readonly link: unknown }>

const nothing: Value = { value: null }

const shown = (text: string): string => JSON.stringify(shorten(text, 40))

export const readCell = (mapped: MappedColumn, cell: Cell): ReadResult => {
  if (cell.kind === 'empty') return nothing
  if (cell.kind === 'error') return { fault: cell.text }
  const read = readValue(mapped, cell)
  if (mapped.link === undefined || 'fault' in read || read.value === null || read.value === '')
    return mapped.link !== undefined && 'value' in read && read.value === '' ? nothing : read
  return {
    link: { path: mapped.link, text: String(read.value) },
    ...(read.note && { note: read.note }),
  }
}

const readValue = (mapped: MappedColumn, cell: Cell): Value => {
  const column = valueColumn(mapped)
  if (mapped.link === undefined && hasValueNames(column)) return readChoice(mapped, column, cell)
  const text = mapped.words?.get(cell.text.trim().toLowerCase()) ?? cell.text
  const { cell: kind } = column.type
  // Of what is not a text, an empty text is nothing: many programs quote every cell.
  if (kind !== 'text' && text.trim() === '') return nothing
  if (isFileColumn(column)) return { value: readUploads(text, column) }
  return readers[kind](text, { mapped, column, cell })
}

type Reading = { readonly mapped: MappedColumn; readonly column: Column; readonly cell: Cell }
type Reader = (text: string, reading: Reading) => Value

const readText: Reader = (text, { mapped, column, cell }) => {
  if (cell.kind === 'json') return { fault: 'has JSON where a text is wanted' }
  if (cell.kind !== 'text')
    return cell.kind === 'number' ? { value: text, note: 'number as text' } : { value: text }
  const bare = mapped.format === 'csv' ? takeBackGuard(text) : text
  if (isShortened(bare)) return { value: bare, note: 'shortened' }
  if (column.type.textForm === 'prose') return { value: bare }
  const value = bare.trim()
  if (value.length === bare.length) return { value }
  // Blanks alone are what a spreadsheet shows as nothing.
  return value === '' ? nothing : { value, note: 'blanks' }
}

const readChoice = ({ words, format }: MappedColumn, column: Column, cell: Cell): Value => {
  const written = format === 'csv' ? takeBackGuard(cell.text) : cell.text
  const text = written.trim()
  if (text === '') return nothing
  const value = words?.get(text) ?? words?.get(text.toLowerCase())
  if (value === undefined) return { fault: unknownChoice(text, column, words) }
  return text.length === written.length ? { value } : { value, note: 'blanks' }
}

const mostChoices = 20

const hints = new WeakMap<ReadonlyMap<string, string>, Map<string, string>>()
// A column may have a million wrong cells.
const mostHints = 1_000

const hintOf = (text: string, words: ReadonlyMap<string, string> = new Map()): string => {
  const known = hints.get(words) ?? new Map<string, string>()
  hints.set(words, known)
  const hint = known.get(text) ?? (known.size < mostHints ? didYouMean(text, words.keys()) : '')
  if (known.size < mostHints) known.set(text, hint)
  return hint
}

const unknownChoice = (
  text: string,
  { type: { choices = [] } }: Column,
  words: ReadonlyMap<string, string> | undefined,
): string => {
  const list = choices.slice(0, mostChoices).map((one) => `"${one}"`)
  const end = choices.length > mostChoices ? ' or another one of the definition' : ''
  return `must be one of ${list.join(', ')}${end}, not ${shown(text)}${hintOf(text, words)}`
}

const readBoolean: Reader = (text, { mapped: { words } }) => {
  const value = words?.get(text.trim().toLowerCase()) ?? text
  return value === 'true' || value === 'false'
    ? { value: value === 'true' }
    : { fault: `must be yes or no, true or false, 1 or 0, not ${shown(text)}` }
}

const readJson: Reader = (text, { mapped: { format }, cell }) => {
  const isExact = (format === 'ndjson' || format === 'json') && cell.kind === 'text'
  if (isExact) return { value: text }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: `must be JSON, not ${shown(text)}` }
  }
}

const whole = /^-?\d+$/
const plain = /^-?\d{1,40}(?:\.\d{1,40})?$/

/** A number without marks but a point: the value of a decimal, and what the others are made of. */
const readNumber: Reader = (text, { mapped, column, cell }) => {
  if (cell.kind === 'date' || cell.kind === 'boolean' || cell.kind === 'json')
    return { fault: `has ${shown(text)}, which is no number; format the cell as a number` }
  // What JSON and a number of a spreadsheet have is exact.
  const isExact = cell.kind === 'number' || mapped.format === 'ndjson' || mapped.format === 'json'
  // As exports write it.
  if ((isExact || mapped.decimal === '.') && plain.test(text)) return { value: text }
  const parts = numberParts(text, unitsOf(column))
  if (parts === undefined) return { fault: noNumber(text) }
  const evidence = evidenceOf(parts.body)
  const mark = isExact ? '.' : (mapped.decimal ?? (evidence === ',' ? ',' : '.'))
  if (!isExact && mapped.decimal === undefined && evidence === 'either')
    return {
      fault: `has ${shown(text)}, in which the mark may be before decimals or between thousands; give the decimal mark of the file`,
    }
  const digits = plainDigits(parts.body, mark)
  if (digits === undefined)
    return {
      fault: evidence === 'wrong' ? noNumber(text) : otherMark(text, mark),
    }
  const number = parts.isNegative ? `-${digits}` : digits
  if (!parts.isPercent) return { value: number }
  const isPercent = 'unit' in column.field && column.field.unit === '%'
  return isPercent ? { value: number } : { value: shiftPoint(number, -2), note: 'percent' }
}

const noNumber = (text: string) =>
  isShortened(text.trim())
    ? `has ${shown(text)}: the spreadsheet has shortened the number, and its digits are lost; show all digits there and save again`
    : `must be a number, not ${shown(text)}`

const otherMark = (text: string, mark: string) =>
  `has ${shown(text)}, but numbers of this column have a ${mark === ',' ? 'comma' : 'point'} before their decimals`

const ofWhole =
  (convert: (digits: string) => unknown): Reader =>
  (text, reading) => {
    const read = readNumber(text, reading)
    if ('fault' in read) return read
    const digits = String(read.value).replace(/\.0+$/, '')
    return whole.test(digits)
      ? { ...read, value: convert(digits) }
      : { fault: `must be a whole number, not ${shown(text)}` }
  }

const written = (text: string, { mapped }: Reading): DayParts | { readonly fault: string } => {
  const parts = dayParts(text)
  if (parts === undefined) {
    if (/^\d{5}(?:\.\d+)?$/.test(text))
      return {
        fault: `has the number ${text} and no day; format the column as a date in the spreadsheet`,
      }
    return { fault: `must be a day, such as 2026-01-31 or 31.01.2026, not ${shown(text)}` }
  }
  if (hasShortYear(parts)) return { fault: `must have a year of four digits, not ${shown(text)}` }
  const orders = possibleOrders(parts)
  if (mapped.dates === undefined && orders.length > 1)
    return {
      fault: `has ${shown(text)}, in which the day or the month may be first; give the order of days of the file`,
    }
  return parts
}

/** The day at the beginning of a text in ISO 8601, and what follows it. */
const readDayParts = (text: string, reading: Reading) => {
  const parts = written(text, reading)
  if ('fault' in parts) return parts
  const order = reading.mapped.dates ?? possibleOrders(parts)[0] ?? 'YMD'
  const iso = isoDay(parts, order)
  if (iso === undefined)
    return { fault: `has ${shown(text)}, but days of this column are written as ${order}` }
  if (parseDate(iso) === undefined) return { fault: `has ${shown(text)}, and there is no such day` }
  return { day: iso, rest: parts.rest.trim() }
}

const isoStart = /^\d{4}-\d{2}-\d{2}$/

const readDate: Reader = (given, reading) => {
  const text = given.trim()
  // As exports write it: the check of the field says whether there is such a day.
  if (isoStart.test(text)) return { value: text }
  const read = readDayParts(text, reading)
  if ('fault' in read) return read
  const time = read.rest === '' ? '00:00:00' : isoTime(read.rest)
  return time !== undefined && /^00:00:00(?:\.0+)?$/.test(time)
    ? { value: read.day }
    : { fault: `has ${shown(text)}, but the field takes a day without a time` }
}

const isoLocal = /^(\d{4}-\d{2}-\d{2})[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?)$/
const isoMoment = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/

const readTimestamp: Reader = (given, reading) => {
  const text = given.trim()
  if (isoMoment.test(text)) return { value: text }
  // As spreadsheets have it.
  const [, day = '', clock = ''] = isoLocal.exec(text) ?? []
  if (day !== '') return momentOf(text, day, clock, reading)
  const read = readDayParts(text, reading)
  if ('fault' in read) return read
  const time = read.rest === '' ? '00:00:00' : isoTime(read.rest)
  if (time === undefined)
    return {
      fault: `must be a time, such as 2026-01-31 14:30 or 31.01.2026 14:30, not ${shown(text)}`,
    }
  return momentOf(text, read.day, time, reading)
}

const momentOf = (text: string, day: string, time: string, { mapped }: Reading): Value => {
  const value = localMoment(day, time, mapped.timeZone)
  if (value !== undefined) return { value }
  return parseDate(day) === undefined
    ? { fault: `has ${shown(text)}, and there is no such day` }
    : { fault: `has ${shown(text)}, a time that clocks in ${mapped.timeZone} skip` }
}

const readers: Readonly<Record<Column['type']['cell'], Reader>> = {
  text: readText,
  json: readJson,
  boolean: readBoolean,
  integer: ofWhole(Number),
  bigint: ofWhole((digits) => digits),
  decimal: readNumber,
  date: readDate,
  timestamp: readTimestamp,
}
