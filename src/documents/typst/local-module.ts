/**
 * The file `docket.typ` that every template may import: `number` and `date` write values as people of the project do, as the
 * filters of notifications, and `picture` prints a file of the record. Its texts come from Intl, which Typst does not have.
 */
import { isCurrency } from '../../definitions/values/rules/number-format.ts'
import { formatDate, numberFormat } from '../../templates/local-filters.ts'
import { formatOf, type Picture } from './engine.ts'

/** Its path below the folder of templates. */
export const localModule = 'docket.typ'

type Printed = {
  readonly json: string
  readonly locale: string
  readonly timeZone: string
  readonly pictures: readonly Picture[]
}

/** The module for a document with this data, in the language of the locale and in a time zone. */
export const localModuleOf = ({ json, locale, timeZone, pictures }: Printed): string =>
  [
    `#let dates = ${dictionary(datesIn(json, locale, timeZone))}`,
    `#let months = ${list(monthPatterns(locale))}`,
    `#let currencies = ${list(Intl.supportedValuesOf('currency').filter(isCurrency))}`,
    `#let form = ${dictionary(numberForm(locale))}`,
    `#let pictures = ${dictionary(picturesIn(pictures, (one) => ('bytes' in one ? formatOf(one.mimetype) : undefined)))}`,
    `#let refusals = ${dictionary(picturesIn(pictures, (one) => ('refusal' in one ? one.refusal : undefined)))}`,
    code,
  ].join('\n')

const text = (value: string): string => JSON.stringify(value)
const list = (items: readonly string[]): string =>
  `(${items.map((one) => `${text(one)},`).join('')})`
const dictionary = (entries: Readonly<Record<string, string>>): string => {
  const all = Object.entries(entries).map(([key, value]) => `${text(key)}: ${text(value)},`)
  return all.length === 0 ? '(:)' : `(${all.join('')})`
}

/** By the id of the file, what is known of it. */
const picturesIn = (
  pictures: readonly Picture[],
  of: (one: Picture) => string | undefined,
): Record<string, string> =>
  Object.fromEntries(
    pictures.flatMap((one) => {
      const known = of(one)
      return known === undefined ? [] : [[String(one.id), known]]
    }),
  )

const dated = /"(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}\.\d{3}Z)?)"/g

/** Every day and moment of the data as text: Typst knows no time zones. */
const datesIn = (json: string, locale: string, timeZone: string): Record<string, string> =>
  Object.fromEntries(
    [...new Set([...json.matchAll(dated)].map(([, date = '']) => date))].map((date) => [
      date,
      formatDate(date, { locale, timeZone }),
    ]),
  )

/** How a day of each month is written that the template calculates itself: `{d} May {y}`. */
const monthPatterns = (locale: string): readonly string[] => {
  const format = new Intl.DateTimeFormat([locale, 'en'], {
    dateStyle: 'medium',
    calendar: 'gregory',
    numberingSystem: 'latn',
    timeZone: 'UTC',
  })
  const write = { day: (value: string) => (value.length > 1 ? '{dd}' : '{d}'), year: () => '{y}' }
  return Array.from({ length: 12 }, (_, month) =>
    format
      .formatToParts(Date.UTC(2026, month, 5))
      .map(({ type, value }) => (type === 'day' || type === 'year' ? write[type](value) : value))
      .join(''),
  )
}

const numeric = new Set(['integer', 'group', 'decimal', 'fraction'])

/** The marks of numbers, how many digits stand between them, and where the sign and a currency stand. */
const numberForm = (locale: string): Readonly<Record<string, string>> => {
  const plain = numberFormat(locale, 0)
  const parts = plain.formatToParts('-12345678901.5' as Intl.StringNumericLiteral)
  const markOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  const groups = parts.filter(({ type }) => type === 'integer').map(({ value }) => value.length)
  const isGrouped = (digits: Intl.StringNumericLiteral) =>
    plain.formatToParts(digits).some(({ type }) => type === 'group')
  const patternOf = (format: Intl.NumberFormat, value: number) =>
    format
      .formatToParts(value)
      .map(({ type, value: part }) =>
        type === 'currency' ? '{c}' : numeric.has(type) ? '#' : part,
      )
      .join('')
      .replace(/#+/, '#')
  const amounts = numberFormat(locale, 2, 'EUR')
  return {
    point: markOf('decimal'),
    group: markOf('group'),
    first: String(groups.at(-1) ?? 3),
    others: String(groups.at(-2) ?? groups.at(-1) ?? 3),
    least: isGrouped('1234') ? '1' : '2',
    digits: Array.from({ length: 10 }, (_, digit) => plain.format(digit)).join(''),
    plus: patternOf(plain, 1.5),
    minus: patternOf(plain, -1.5),
    amount: patternOf(amounts, 1.5),
    debt: patternOf(amounts, -1.5),
  }
}

const code = String.raw`
#let grouped(whole) = {
  let (first, others, least) = (int(form.first), int(form.others), int(form.least))
  if form.group == "" or whole.len() < first + least { return whole }
  let parts = (whole.slice(-first),)
  let rest = whole.slice(0, -first)
  while rest.len() > others {
    parts.insert(0, rest.slice(-others))
    rest = rest.slice(0, -others)
  }
  (rest, ..parts).join(form.group)
}

#let number(value, unit: none) = {
  let text = if type(value) == str { value } else if value == none { "" } else { str(value).replace("−", "-") }
  if text.match(regex("^-?(0|[1-9][0-9]*)([.][0-9]+)?$")) == none { return value }
  let (whole, ..rest) = text.trim("-").split(".")
  let fraction = rest.at(0, default: "")
  let is-amount = unit in currencies
  let kept = if is-amount { calc.min(fraction.len(), 2) } else if unit == none and fraction.len() == 2 { 2 } else { 0 }
  while fraction.len() > kept and fraction.ends-with("0") { fraction = fraction.slice(0, -1) }
  let local = grouped(whole) + if fraction != "" { form.point + fraction }
  let digits = form.digits.clusters()
  let local = local.replace(regex("[0-9]"), found => digits.at(int(found.text)))
  let is-negative = text.starts-with("-")
  let pattern = if is-amount { if is-negative { form.debt } else { form.amount } } else if is-negative { form.minus } else { form.plus }
  let written = pattern.replace("#", local)
  if is-amount { written.replace("{c}", unit) } else if unit == none { written } else { written + "\u{a0}" + unit }
}

#let date(value) = {
  let text = if type(value) == datetime { value.display("[year]-[month]-[day]") } else { value }
  if type(text) != str { return value }
  if text in dates { return dates.at(text) }
  let found = text.match(regex("^([0-9]{4})-([0-9]{2})-([0-9]{2})$"))
  if found == none { return value }
  let (year, month, day) = found.captures
  months.at(int(month) - 1).replace("{dd}", day).replace("{d}", str(int(day))).replace("{y}", year)
}

#let picture(file, ..options) = if file != none {
  let id = str(file.id)
  if id in refusals { panic(refusals.at(id)) }
  if id in pictures { image("/.pictures/" + id, format: pictures.at(id), ..options) }
}
`
