/** Formatters and words of days and moments, for inputs: no page needs them before the user may type. */
import { dayFormat, kept } from '../format/formatters.ts'

/** How long ago something was. */
export const ageFormat = kept((locale: string) => {
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
})

/** Moments of local texts, as if their zone was UTC. */
export const timedFormat = kept((locale: string, timeStyle: 'short' | 'medium') => {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle, timeZone: 'UTC' })
})

type DayPart = 'day' | 'month' | 'year'
const isDayPart = (type: string): type is DayPart => ['day', 'month', 'year'].includes(type)

/** In which order a language writes the parts of a day, in numbers alone or as an input shows it. */
export const partOrder = kept((locale: string, look: 'numeric' | 'medium') => {
  const format = look === 'medium' ? dayFormat(locale) : new Intl.DateTimeFormat(locale)
  return format.formatToParts(0).flatMap(({ type }) => (isDayPart(type) ? [type] : []))
})

/** The names of months, short and long, as they stand alone and next to a day, without points; with the number of each. */
export const monthNames = kept((locale: string) => {
  const looks = (['short', 'long'] as const).flatMap((month) => [
    { month },
    { month, day: 'numeric' } as const,
  ])
  const formats = looks.map((look) => new Intl.DateTimeFormat(locale, { ...look, timeZone: 'UTC' }))
  const nameOf = (format: Intl.DateTimeFormat, month: number) =>
    format.formatToParts(Date.UTC(2026, month)).find(({ type }) => type === 'month')?.value ?? ''
  const months = Array.from({ length: 12 }, (_, month) => month)
  return new Map(
    months.flatMap((month) =>
      formats.map(
        (format) =>
          [nameOf(format, month).toLocaleLowerCase(locale).replaceAll('.', ''), month + 1] as const,
      ),
    ),
  )
})

/** What a language calls yesterday, today and tomorrow, with the number of days from today. */
export const nearDays = kept((locale: string) => {
  const nameOf = (days: number) => ageFormat(locale).format(days, 'day').toLocaleLowerCase(locale)
  return new Map([-1, 0, 1].map((days) => [nameOf(days), days]))
})

/** As it begins a line. */
export const todayName = kept((locale: string): string => {
  const [first = '', ...rest] = ageFormat(locale).format(0, 'day')
  return first.toLocaleUpperCase(locale) + rest.join('')
})

/** Of a calendar: its month, the head of a column, and a whole day. */
export const calendarFormats = kept((locale: string) => ({
  month: new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  weekday: new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }),
  whole: new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' }),
}))

type WeekInfo = { readonly getWeekInfo?: () => { readonly firstDay: number } }

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * The day with which weeks begin, 0 for Sunday: the named one, or that of a locale. Browsers that do not know it begin them on
 * Monday, as ISO 8601 does.
 */
export const firstWeekday = kept((dayOrLocale: string): number => {
  const named = weekdays.indexOf(dayOrLocale)
  if (named >= 0) return named
  const { getWeekInfo } = Intl.Locale.prototype as WeekInfo
  return (getWeekInfo?.call(new Intl.Locale(dayOrLocale)).firstDay ?? 1) % 7
})
