/**
 * Days and moments as inputs have them, without a zone: `2026-05-04`, or `2026-05-04T10:30:00.000` with a time. Their times
 * are milliseconds as if the zone was UTC.
 */

export const dayMs = 86_400_000

/** Whether an input can say a value; years of more than four digits are not read, but kept. */
export const isLocalText = (text: string): boolean =>
  /^\d{4,}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?$/.test(text)

/** Whether a local text is of a year that can be typed. */
export const isShownYear = (local: string): boolean => /^(?!0000)\d{4}-/.test(local)

/** Undefined for what is no local text of such a year. */
export const timeOf = (local: string): number | undefined => {
  if (!isLocalText(local) || !isShownYear(local)) return undefined
  const time = Date.parse(local.includes('T') ? `${local}Z` : `${local}T00:00Z`)
  return Number.isNaN(time) ? undefined : time
}

/** The local text of a time: of its day, or with all parts of its time. */
export const localTextOf = (time: number, hasTime: boolean): string =>
  new Date(time).toISOString().slice(0, hasTime ? -1 : 10)

/** Midnight of a time. */
export const dayOf = (time: number): number => Math.floor(time / dayMs) * dayMs

/** A time so many months later; the last day of a shorter month. */
export const addMonths = (time: number, months: number): number => {
  const day = new Date(time)
  const wanted = day.getUTCDate()
  day.setUTCDate(1)
  day.setUTCMonth(day.getUTCMonth() + months)
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()
  return day.setUTCDate(Math.min(wanted, last))
}
