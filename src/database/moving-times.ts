/**
 * SQL of times that move: of the clock of the statement, which reads it whenever it runs, also if it was prepared or kept before.
 * Days are those of the project's zone, however it changes its clocks.
 */
import {
  type Calendar,
  clockMs,
  daysBeforeMonday,
  type MovingTime,
} from '../definitions/values/rules/moving-times.ts'
import { bound, raw, type Sql, sql, text } from './sql.ts'

/** The moments with which a day begins, and with which the next one does. */
export type DaySpan = { readonly from: Sql; readonly until: Sql }

/** What a moving time is: a day, as a date, or a moment. */
export const movingSql = (
  moving: MovingTime,
  calendar: Calendar,
  clock: Sql = raw('now()'),
): { readonly day: Sql } | { readonly moment: Sql } => {
  const { of, unit, amount } = moving
  const zone = text(calendar.timeZone)
  const local = sql`(${clock} AT TIME ZONE ${zone})`
  if (of === '$today') return { day: sql`(${local}::date + ${bound(amount, 'integer')})` }
  if (of === '$startOf') return { day: startOf(moving, calendar, local) }
  const interval = intervalOf(moving)
  return {
    moment:
      clockMs[unit] === undefined
        ? sql`((${local} + ${interval}) AT TIME ZONE ${zone})`
        : sql`(${clock} + ${interval})`,
  }
}

const startOf = (moving: MovingTime, { firstDayOfWeek = 'monday' }: Calendar, local: Sql): Sql => {
  const { unit } = moving
  const start = raw(`'${unit}'`)
  if (unit !== 'week') return sql`(date_trunc(${start}, ${local}) + ${intervalOf(moving)})::date`
  const shift = bound(`${daysBeforeMonday[firstDayOfWeek]} days`, 'interval')
  return sql`(date_trunc(${start}, ${local} + ${shift}) - ${shift} + ${intervalOf(moving)})::date`
}

const intervalOf = ({ unit, amount }: MovingTime): Sql =>
  unit === 'quarter'
    ? bound(`${amount * 3} months`, 'interval')
    : bound(`${amount} ${unit}s`, 'interval')

/** The day of a moment. */
export const dayOfMoment = (moment: Sql, { timeZone }: Calendar): Sql =>
  sql`(${moment} AT TIME ZONE ${text(timeZone)})::date`

export const spanOfDay = (day: Sql, calendar: Calendar): DaySpan => ({
  from: beginningOf(day, calendar),
  until: beginningOf(sql`(${day} + 1)`, calendar),
})

// Where clocks are changed at midnight, it is left out or comes twice; what comes before it does not.
const instant = raw("interval '1 microsecond'")

const beginningOf = (day: Sql, { timeZone }: Calendar): Sql =>
  sql`((${day}::timestamp - ${instant}) AT TIME ZONE ${text(timeZone)} + ${instant})`
