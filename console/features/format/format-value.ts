/** Values of fields as people read them; digits and days stay as exact as they came. */
import { choiceNames } from '../../../src/definitions/values/rules/key-names.ts'
import {
  isCurrency,
  leastDecimals,
  withUnit,
} from '../../../src/definitions/values/rules/number-format.ts'
import type { Field, RecordRow } from '../../api/types.ts'
import { dayFormat, momentFormat, numberFormat, zoneNameFormat } from './formatters.ts'

/** How a user reads values. */
export type Reading = {
  readonly locale: string
  /** Of timestamps; days have none. */
  readonly timeZone: string
  /** Whether timestamps name it: it is not that of the project. */
  readonly isZoneNamed: boolean
  readonly words: { readonly yes: string; readonly no: string }
  /** Whether what prints telephone numbers is loaded: another reading once it is, so that they are printed again. */
  readonly hasNumbers?: boolean
}

export type Print = (
  value: unknown,
  field: Field,
  reading: Reading,
  unit: string | undefined,
) => string

/** Whether a text is a number as the service writes it. */
export const isDigits = (text: string): text is Intl.StringNumericLiteral =>
  /^-?\d+(\.\d+)?$/.test(text)

/** A text of digits is formatted digit by digit, whatever a number of JavaScript could hold. */
export const printNumber: Print = (value, field, { locale }, unit) => {
  const text = String(value)
  if (!isDigits(text)) return text
  return withUnit(text, unit, (code) =>
    numberFormat(locale, leastDecimals(field.scale ?? 0, unit), code, field.grouping),
  )
}

/**
 * A unit as a text, with the field that names it, if that differs by record; undefined where there is none, or only a path
 * to it. A choice reads what its definition calls it, else its words: `3 running metre`. The code of a currency stays one,
 * because amounts are written by it.
 */
export const unitTextOf = (unit: unknown, naming?: Field): string | undefined => {
  if (typeof unit !== 'string' || unit === '') return undefined
  if (!naming?.values || isCurrency(unit)) return unit
  return definedName(unit, naming) ?? unit.replaceAll('_', ' ')
}

export const printDay: Print = (value, _field, { locale }) => {
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

/** What a choice of an enum is called; one that the definition does not have any more is shown as it is. */
export const nameOfChoice = (key: string, field: Field): string =>
  choiceNames(field).get(key) ?? key

/** What the definition calls a value. */
export const definedName = (key: string, { valueNames = {} }: Field): string | undefined =>
  Object.hasOwn(valueNames, key) ? valueNames[key] : undefined

/** The path to the unit of a number; undefined where there is none, or the same one in all records. */
export const unitPathOf = ({ unit }: Field): string | undefined =>
  typeof unit === 'object' ? unit?.field : undefined

/** The value at a path of a row, such as `supplier.name`. */
export const valueAt = (row: RecordRow, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined,
    row,
  )
