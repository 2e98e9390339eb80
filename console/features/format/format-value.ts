/** Values of fields as people read them; digits and days stay as exact as they came. */
import type { Field, RecordRow } from '../../api/types.ts'
import { dayFormat, isCurrency, momentFormat, numberFormat, zoneNameFormat } from './formatters.ts'

/** How a user reads values. */
export type Reading = {
  readonly locale: string
  /** Of timestamps; days have none. */
  readonly timeZone: string
  /** Whether timestamps name it: it is not that of the project. */
  readonly isZoneNamed: boolean
  readonly words: { readonly yes: string; readonly no: string }
}

type Print = (value: unknown, field: Field, reading: Reading, unit: string | undefined) => string

/** Whether a text is a number as the service writes it. */
export const isDigits = (text: string): text is Intl.StringNumericLiteral =>
  /^-?\d+(\.\d+)?$/.test(text)

const decimalsOfAmounts = 2

/**
 * How many decimals a number is read with at least. Amounts, which have a currency or two decimals and no unit, have their
 * zeros: `12.50`. Of all others zeros at the end say nothing: a rate of `1.00000000` reads `1`, and a weight `12 kg`.
 */
export const leastDecimals = ({ scale = 0 }: Field, unit: string | undefined): number => {
  if (unit === undefined) return scale === decimalsOfAmounts ? scale : 0
  return isCurrency(unit) ? Math.min(scale, decimalsOfAmounts) : 0
}

/** A text of digits is formatted digit by digit, whatever a number of JavaScript could hold. */
const number: Print = (value, field, { locale }, unit) => {
  const text = String(value)
  if (!isDigits(text)) return text
  return withUnit(text, unit, (code) =>
    numberFormat(locale, leastDecimals(field, unit), code, field.grouping),
  )
}

// More digits than Intl takes: it writes infinity.
const tooLong = /^-?\d{301}/

/** Currencies stand where the language has them, all other units after the number. Too many digits stay as they came. */
export const withUnit = (
  digits: Intl.StringNumericLiteral,
  unit: string | undefined,
  formatOf: (currency: string | undefined) => Intl.NumberFormat,
): string => {
  if (tooLong.test(digits)) return digits
  if (unit === undefined || isCurrency(unit)) return formatOf(unit).format(digits)
  return `${formatOf(undefined).format(digits)}\u00a0${unit}`
}

/**
 * A unit as a text, with the field that names it, if that differs by record; undefined where there is none, or only a path
 * to it. A choice reads what its definition calls it, else its words: `3 running metre`. The code of a currency stays one,
 * because amounts are written by it.
 */
export const unitTextOf = (unit: unknown, naming?: Field): string | undefined => {
  if (typeof unit !== 'string' || unit === '') return undefined
  if (naming?.type !== 'enum' || isCurrency(unit)) return unit
  return definedName(unit, naming) ?? unit.replaceAll('_', ' ')
}

const date: Print = (value, _field, { locale }) => {
  const day = new Date(`${String(value)}T00:00:00Z`)
  return Number.isNaN(day.getTime()) ? String(value) : dayFormat(locale).format(day)
}

/** A moment of an ISO text in the zone of the user. */
export const formatMoment = (iso: string, { locale, timeZone, isZoneNamed }: Reading): string => {
  const moment = new Date(iso)
  if (Number.isNaN(moment.getTime())) return iso
  const text = momentFormat(locale, timeZone).format(moment)
  return isZoneNamed ? `${text} ${zoneName(moment, locale, timeZone)}` : text
}

const zoneName = (moment: Date, locale: string, timeZone: string): string =>
  zoneNameFormat(locale, timeZone)
    .formatToParts(moment)
    .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone

const timestamp: Print = (value, _field, reading) => formatMoment(String(value), reading)

const asText: Print = (value) => String(value)

/**
 * What a choice of an enum is called, by its definition or by its key. Codes and units, such as `EUR`, `kg` and `m2`,
 * are no words and stay.
 */
export const nameOfChoice = (key: string, field: Field): string =>
  definedName(key, field) ?? (/^[a-z][a-z_]{2,}$/.test(key) ? nameOfKey(key) : key)

const definedName = (key: string, { valueNames = {} }: Field): string | undefined =>
  Object.hasOwn(valueNames, key) ? valueNames[key] : undefined

const printers: Readonly<Record<Field['type'], Print>> = {
  string: (value, field) => definedName(String(value), field) ?? String(value),
  text: asText,
  email: asText,
  url: asText,
  enum: (value, field) => nameOfChoice(String(value), field),
  integer: number,
  bigint: number,
  decimal: number,
  boolean: (value, _field, { words }) => (value === true ? words.yes : words.no),
  date,
  timestamp,
  json: (value) => JSON.stringify(value),
  manyToOne: asText,
  oneToMany: asText,
}

/** The path to the unit of a number; undefined where there is none, or the same one in all records. */
export const unitPathOf = ({ unit }: Field): string | undefined =>
  typeof unit === 'object' ? unit?.field : undefined

/** The text of a value; empty for none. A unit that differs by record is given. */
export const formatValue = (
  value: unknown,
  field: Field,
  reading: Reading,
  unit = unitTextOf(field.unit),
): string =>
  value === null || value === undefined ? '' : printers[field.type](value, field, reading, unit)

const numeric: ReadonlySet<Field['type']> = new Set(['integer', 'bigint', 'decimal'])

/** Whether digits of a column stand below each other. */
export const isNumeric = ({ type }: Field): boolean => numeric.has(type)

/** The value at a path of a row, such as `supplier.name`. */
export const valueAt = (row: RecordRow, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined,
    row,
  )

/** A key as a name, where the definition has none: `place_order` reads `Place order`. */
export const nameOfKey = (key: string): string => {
  const words = key.replace(/^_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
