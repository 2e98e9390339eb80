/** Days and times as spreadsheets store them: days since the end of 1899, or since 1904, with the time as a fraction. */
import type { Cell } from './sheet.ts'

const dayMilliseconds = 86_400_000
// Day 1 is the first of 1900, and day 60 the 29 February of that year, which never was: a fault of Lotus 1-2-3 that is kept.
const firstDay = Date.UTC(1899, 11, 31)
const dayZero = Date.UTC(1899, 11, 30)
const dayZero1904 = Date.UTC(1904, 0, 1)
const lastYear = Date.UTC(10_000, 0, 1)

const outside: Cell = {
  text: 'is a number outside of the days that a spreadsheet has',
  kind: 'error',
}

// Columns of days have the same ones again and again.
const known = [new Map<string, Cell>(), new Map<string, Cell>()] as const
const mostKnown = 10_000

/** `2026-01-05`, `2026-01-05 14:30:00.000`, or `14:30:00.000` for less than a day. */
export const excelDay = (serial: string, since1904: boolean): Cell => {
  const days = known[since1904 ? 1 : 0]
  const day = days.get(serial) ?? computeDay(serial, since1904)
  if (days.size === mostKnown) days.clear()
  if (serial.length <= 20) days.set(serial, day)
  return day
}

const computeDay = (serial: string, since1904: boolean): Cell => {
  const milliseconds = Math.round(Number(serial) * dayMilliseconds)
  if (!(milliseconds >= 0)) return outside
  const day = Math.floor(milliseconds / dayMilliseconds)
  if (!since1904 && day === 60) return { text: '1900-02-29', kind: 'date' }
  const start = since1904 ? dayZero1904 : day < 60 ? firstDay : dayZero
  if (start + milliseconds >= lastYear) return outside
  const [date = '', time = ''] = new Date(start + milliseconds)
    .toISOString()
    .slice(0, -1)
    .split('T')
  // Below one there is no day: a spreadsheet shows the time alone, or the 0 January 1900.
  if (day === 0 && !(since1904 && milliseconds === 0)) return { text: time, kind: 'date' }
  return { text: milliseconds % dayMilliseconds === 0 ? date : `${date} ${time}`, kind: 'date' }
}
