/** When the next e-mail may go to a person, by their choice, their zone and their quiet hours. */

/** How soon a person is notified by a channel. */
export const paces = ['immediately', 'hourly', 'daily', 'never'] as const
export type Pace = (typeof paces)[number]

/** The times of a person, HH:MM. */
export type Times = {
  readonly timeZone: string
  /** When daily e-mails come. */
  readonly dailyAt: string
  /** From the first time to before the second one, which is on the next day if it is earlier. */
  readonly quietHours: { readonly from: string; readonly to: string } | undefined
}

type Asked = Times & {
  readonly pace: Exclude<Pace, 'never'>
  /** Whether the quiet hours do not hold it. */
  readonly isUrgent: boolean
}

/** The time for what happens now, in milliseconds; undefined: immediately. */
export const nextTime = (
  now: number,
  { pace, timeZone, dailyAt, quietHours, isUrgent }: Asked,
): number | undefined => {
  const begin = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
  const chosen = {
    immediately: () => begin,
    hourly: () => begin.round({ smallestUnit: 'hour', roundingMode: 'floor' }).add({ hours: 1 }),
    daily: () => nextAt(begin, dailyAt),
  }[pace]()
  const time = quietHours && !isUrgent ? afterQuiet(chosen, quietHours) : chosen
  return time === begin ? undefined : time.epochMilliseconds
}

/** The first moment after this one at which the clock of the zone shows a time. */
const nextAt = (after: Temporal.ZonedDateTime, time: string): Temporal.ZonedDateTime => {
  for (let days = 0; ; days++) {
    const moment = momentOf(after.toPlainDate().add({ days }), time, after.timeZoneId)
    if (moment.epochMilliseconds > after.epochMilliseconds) return moment
  }
}

/** Of a time that is twice the first, and of one that is skipped the next that is there. */
export const momentOf = (
  day: Temporal.PlainDate,
  time: string,
  timeZone: string,
): Temporal.ZonedDateTime => {
  const wall = day.toPlainDateTime(Temporal.PlainTime.from(time))
  const moment = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  if (moment.toPlainDateTime().equals(wall)) return moment
  return moment.getTimeZoneTransition('next') ?? moment
}

const afterQuiet = (
  moment: Temporal.ZonedDateTime,
  { from, to }: NonNullable<Times['quietHours']>,
): Temporal.ZonedDateTime => {
  const time = moment.toPlainTime().toString({ smallestUnit: 'minute' })
  const isQuiet = from < to ? from <= time && time < to : from <= time || time < to
  return isQuiet ? nextAt(moment, to) : moment
}
