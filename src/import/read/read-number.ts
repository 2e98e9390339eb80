/** Numbers as people write them: with marks between thousands, a point or a comma, a unit, a percent sign. */
import type { Column } from '../../definitions/catalog.ts'
import type { DecimalMark } from './sheet.ts'

/** What a text is as a number: its parts; undefined: it is none. */
type NumberParts = {
  readonly isNegative: boolean
  /** Digits and marks alone: `1.234,50`. */
  readonly body: string
  readonly isPercent: boolean
  readonly hasUnit: boolean
}

/** Marks between thousands that are never decimal marks: blanks of several widths, apostrophes. */
const silent = /(?<=\d)[\s'’](?=\d{3}(?:\D|$))/gu

// A number has at most 1000 digits, and marks between them.
const longest = 1_500

/** `units`: what may stand before or after the number. */
export const numberParts = (text: string, units: readonly string[]): NumberParts | undefined => {
  if (text.length > longest) return undefined
  let body = text.trim().replaceAll('−', '-')
  const isPercent = body.endsWith('%')
  if (isPercent) body = body.slice(0, -1).trimEnd()
  const unit = units.find((one) => body.startsWith(one) || body.endsWith(one))
  if (unit !== undefined)
    body = (body.startsWith(unit) ? body.slice(unit.length) : body.slice(0, -unit.length)).trim()
  // Books write what is owed in brackets, and SAP the sign at the end.
  const bracketed = /^\((.*)\)$/.exec(body)?.[1]
  const signed = /^([+-]?)\s*([\d.,\s'’]*\d[\d.,]*)(-?)$/u.exec(bracketed ?? body)
  if (!signed) return undefined
  const [, before = '', digits = '', behind = ''] = signed
  if (before !== '' && behind !== '') return undefined
  const isNegative = bracketed !== undefined || before === '-' || behind === '-'
  return { isNegative, body: digits.replaceAll(silent, ''), isPercent, hasUnit: unit !== undefined }
}

/** What a number says about the decimal mark: one, either, or nothing because it has no mark; `wrong`: it is no number. */
type Evidence = DecimalMark | 'either' | 'none' | 'wrong'

const thousands = {
  '.': /^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?$/,
  ',': /^\d{1,3}(?:\.\d{2,3})*\.\d{3}(?:,\d*)?$/,
}

/** What the digits and marks of a number say. */
export const evidenceOf = (body: string): Evidence => {
  if (/^\d+$/.test(body)) return 'none'
  const isPoint = single['.'].test(body) || thousands['.'].test(body)
  const isComma = single[','].test(body) || thousands[','].test(body)
  if (isPoint && isComma) return /^0[.,]/.test(body) ? markIn(body) : 'either'
  return isPoint ? '.' : isComma ? ',' : 'wrong'
}

const markIn = (body: string): DecimalMark => (body.includes('.') ? '.' : ',')

const single = { '.': /^\d*\.\d+$|^\d+\.?$/, ',': /^\d*,\d+$|^\d+,?$/ }

/** The digits of a number with this decimal mark: `1234.50`; undefined: it is not written so. */
export const plainDigits = (body: string, mark: DecimalMark): string | undefined => {
  if (!single[mark].test(body) && !thousands[mark].test(body)) return undefined
  const [whole = '', fraction = ''] = body.replaceAll(mark === '.' ? ',' : '.', '').split(mark)
  return `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** A number that a spreadsheet shortened to what fits into its column. */
export const isShortened = (text: string): boolean =>
  text.length < 20 && /^-?\d([.,]\d+)?E\+\d{2,3}$/i.test(text)

/** Digits with a point after so many of them, and no zeros that say nothing. */
export const pointed = (digits: string, point: number): string => {
  const padded = point > digits.length ? digits.padEnd(point, '0') : digits
  const before = point > 0 ? padded.slice(0, point).replace(/^0+(?=\d)/, '') : '0'
  const after = point > 0 ? padded.slice(point) : '0'.repeat(-point) + padded
  let end = after.length
  while (after[end - 1] === '0') end -= 1
  return end === 0 ? before : `${before}.${after.slice(0, end)}`
}

/** A plain number times a power of ten. */
export const shiftPoint = (number: string, places: number): string => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(number) ?? []
  return sign + pointed(`0000${whole}${fraction}`, whole.length + 4 + places)
}

/** What JavaScript prints of a number, such as `1e+21`, with all digits. */
export const withoutExponent = (text: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? []
  return sign + pointed(whole + fraction, whole.length + Number(exponent))
}

// What people write before or after a number of a field: its unit, and the sign of its currency.

const known = new WeakMap<Column, readonly string[]>()

/** Longest first: `US$` before `$`. */
export const unitsOf = (column: Column): readonly string[] => {
  const found = known.get(column) ?? findUnits(column)
  known.set(column, found)
  return found
}

const findUnits = ({ field }: Column): readonly string[] => {
  const unit = 'unit' in field ? field.unit : undefined
  if (typeof unit !== 'string' || unit === '%') return []
  if (!/^[A-Z]{3}$/.test(unit)) return [unit]
  return [unit, signOf(unit, 'symbol'), signOf(unit, 'narrowSymbol')]
    .filter((text, index, all) => all.indexOf(text) === index)
    .toSorted((a, b) => b.length - a.length)
}

const signOf = (currency: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency
