/** Spans of time in the words of a language: `30 days`. */

/** Makes what writes so many units, such as `day`. */
export const createSpan =
  (locale: string) =>
  (amount: number, unit: string): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
