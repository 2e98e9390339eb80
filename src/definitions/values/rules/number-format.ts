/** How numbers are written for people, in documents, messages and the console: their zeros, and where their unit stands. */

type Digits = Intl.StringNumericLiteral

let currencies: ReadonlySet<string> | undefined

/** Whether a unit is a code of ISO 4217. */
export const isCurrency = (unit: string): boolean => {
  currencies ??= new Set(Intl.supportedValuesOf('currency'))
  return currencies.has(unit)
}

/** Amounts name their currency by its code, because several have the same symbol. */
export const currencyOptions = (currency: string | undefined): Intl.NumberFormatOptions =>
  currency === undefined ? {} : { style: 'currency', currency, currencyDisplay: 'code' }

const decimalsOfAmounts = 2

/**
 * How many decimals a number of a scale has at least. Amounts, which have a currency or two decimals and no unit, have their
 * zeros: `12.50`. Of all others zeros at the end say nothing: a rate of `1.00000000` reads `1`, and a weight `12 kg`.
 */
export const leastDecimals = (scale: number, unit: string | undefined): number => {
  if (unit === undefined) return scale === decimalsOfAmounts ? scale : 0
  return isCurrency(unit) ? Math.min(scale, decimalsOfAmounts) : 0
}

// Intl writes infinity for more digits.
const tooLong = /^-?\d{301}/

/** Currencies stand where the language has them, all other units after the number. Too many digits stay as they came. */
export const withUnit = (
  digits: Digits,
  unit: string | undefined,
  formatOf: (currency: string | undefined) => Intl.NumberFormat,
): string => {
  if (tooLong.test(digits)) return digits
  if (unit === undefined || isCurrency(unit)) return formatOf(unit).format(digits)
  return `${formatOf(undefined).format(digits)}\u00a0${unit}`
}
