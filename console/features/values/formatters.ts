/** Formatters of numbers and moments, made once: a list formats hundreds of values in a frame. */

/** The function with its results kept by their arguments, which are few: languages, zones, numbers of digits. */
export const kept = <A extends readonly (string | number | undefined)[], T>(
  create: (...args: A) => T,
) => {
  const results = new Map<string, T>()
  return (...args: A): T => {
    const key = args.join(' ')
    const found = results.get(key) ?? create(...args)
    results.set(key, found)
    return found
  }
}

// Systems give browsers tags such as `en-US@posix` too.
const isTag = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length > 0
  } catch {
    return false
  }
}

/** A language as the user's region writes it: `en-GB`, with days before months, where the browser says so. */
export const regionalLocale = kept(
  (language: string) =>
    navigator.languages.find((one) => one.split('-')[0] === language && isTag(one)) ?? language,
)

/** Whether a unit is a code of ISO 4217. */
export const isCurrency = kept((unit: string) => Intl.supportedValuesOf('currency').includes(unit))

/** Amounts name their currency by its code, because several have the same symbol. */
export const currencyOptions = (currency: string | undefined): Intl.NumberFormatOptions =>
  currency === undefined ? {} : { style: 'currency', currency, currencyDisplay: 'code' }

/** Numbers with all of their decimals that say something, and with zeros where they have fewer than the given number. */
export const numberFormat = kept((locale: string, least: number, currency?: string) => {
  return new Intl.NumberFormat(locale, {
    ...{ maximumFractionDigits: 100, minimumFractionDigits: least },
    ...currencyOptions(currency),
  })
})

/** The marks of a language: `,` and `.` in `1.204,50`. */
export const marksOf = kept((locale: string) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345_678.9)
  const markOf = (kind: string, usual: string) =>
    parts.find(({ type }) => type === kind)?.value ?? usual
  return { decimal: markOf('decimal', '.'), group: markOf('group', ',') }
})

/** Days, which have no zone: of their midnight in UTC. */
export const dayFormat = kept((locale: string) => {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
})

export const momentFormat = kept((locale: string, timeZone: string) => {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
})

/** Moments of local texts, as if their zone was UTC. */
export const timedFormat = kept((locale: string, timeStyle: 'short' | 'medium') => {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle, timeZone: 'UTC' })
})

type DayPart = 'day' | 'month' | 'year'
const isDayPart = (type: string): type is DayPart => ['day', 'month', 'year'].includes(type)

/** In which order a language writes the parts of a day, in numbers alone or as an input shows it. */
export const yearOrder = kept((locale: string, look: 'numeric' | 'medium') => {
  const format = look === 'medium' ? dayFormat(locale) : new Intl.DateTimeFormat(locale)
  return format.formatToParts(0).flatMap(({ type }) => (isDayPart(type) ? [type] : []))
})

/** The names of months, short and long, as they stand alone and beside a day, without points; with the number of each. */
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

/** The day with which weeks begin: 0 for Sunday. Browsers that do not know it begin them on Monday, as ISO 8601 does. */
export const firstWeekday = kept((locale: string): number => {
  const { getWeekInfo } = Intl.Locale.prototype as WeekInfo
  return (getWeekInfo?.call(new Intl.Locale(locale)).firstDay ?? 1) % 7
})

export const zoneNameFormat = kept((locale: string, timeZone: string) => {
  return new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
})

/** How long ago something was. */
export const ageFormat = kept((locale: string) => {
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
})

/** The parts of a moment for an input of date and time. */
export const localPartsFormat = kept((timeZone: string) => {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' },
    ...{ minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
  })
})
