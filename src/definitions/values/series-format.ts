/**
 * The format of the numbers of a series. What stands before and after the digits is the counter, so that another year or
 * another branch counts from the beginning.
 */

export type DatePart = {
  /** As `to_char` of PostgreSQL has it. */
  readonly template: string
  /** Regular expression of its texts, which all have the same length. */
  readonly pattern: string
  readonly length: number
}

const dateParts: Readonly<Record<string, DatePart>> = {
  YYYY: { template: 'YYYY', pattern: '[0-9]{4}', length: 4 },
  YY: { template: 'YY', pattern: '[0-9]{2}', length: 2 },
  MM: { template: 'MM', pattern: '[0-9]{2}', length: 2 },
  DD: { template: 'DD', pattern: '[0-9]{2}', length: 2 },
  Q: { template: 'Q', pattern: '[1-4]', length: 1 },
}

/** A link of the record, and the text of the linked record that becomes a part of the number. */
export type LinkPart = { readonly link: string; readonly field: string }

export type FormatPart = { readonly text: string } | { readonly date: DatePart } | LinkPart

export type Format<Part> = {
  readonly before: readonly Part[]
  readonly after: readonly Part[]
  /** How many digits a number has at least. */
  readonly digits: number
}

/** The most zeros: every number is a whole number of PostgreSQL. */
const maxDigits = 15

// The zeros, a word in braces, text, or a brace without its other one.
const tokens = /\{([^{}]*)\}|[^{}]+|[{}]/g

/** Reads a format, or says what is wrong with it. */
export const parseFormat = (
  format: string,
): { readonly format: Format<FormatPart> } | { readonly issue: string } => {
  const sides: [FormatPart[], FormatPart[]] = [[], []]
  let digits = 0
  for (const [token, inner] of format.matchAll(tokens)) {
    if (inner === undefined && (token === '{' || token === '}'))
      return { issue: `has a "${token}" without the other brace` }
    if (inner !== undefined && /^0+$/.test(inner)) {
      if (digits > 0) return { issue: 'has zeros twice; the number is one of them' }
      if (inner.length > maxDigits)
        return { issue: `has ${inner.length} zeros, at most ${maxDigits} are allowed` }
      digits = inner.length
      continue
    }
    const part = inner === undefined ? { text: token } : partOf(inner)
    if ('issue' in part) return part
    sides[digits === 0 ? 0 : 1].push(part)
  }
  if (digits === 0) return { issue: 'has no place for the number: write zeros, such as {00000}' }
  const [before, after] = sides
  const issue = ambiguity(before, after)
  return issue === undefined ? { format: { before, after, digits } } : { issue }
}

const partOf = (inner: string): FormatPart | { readonly issue: string } => {
  const date = Object.hasOwn(dateParts, inner) ? dateParts[inner] : undefined
  if (date) return { date }
  const [, link, field] = /^([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)$/.exec(inner) ?? []
  if (link !== undefined && field !== undefined) return { link, field }
  return {
    issue: `has "{${inner}}", which is none of ${Object.keys(dateParts)
      .map((name) => `{${name}}`)
      .join(
        ', ',
      )}, zeros such as {00000}, or a link with a field of its record such as {branch.code}`,
  }
}

/** Why two counters could give the same text: where a number and a text of no certain length meet. */
const ambiguity = (
  before: readonly FormatPart[],
  after: readonly FormatPart[],
): string | undefined => {
  const sides = [before.toReversed(), after].filter((side) => side.some(isLink))
  if (sides.length > 1)
    return 'has links before and after the zeros: two of its numbers could be the same text'
  const near = sides[0]?.slice(0, sides[0].findIndex(isLink)) ?? []
  const isApart = near.some((part) => 'text' in part && /[^0-9]/.test(part.text))
  return sides.length === 0 || isApart
    ? undefined
    : 'needs a text such as "-" between the zeros and the link next to them: two of its numbers could be the same text'
}

export const isLink = (part: FormatPart): part is LinkPart => 'link' in part

/** The links that a format names. */
export const linksOf = (format: Format<FormatPart>): readonly LinkPart[] =>
  [...format.before, ...format.after].filter(isLink)

/** The most characters of a number with no more digits than zeros; `lengthOf` knows that of linked texts. */
export const longestNumber = (
  { before, after, digits }: Format<FormatPart>,
  lengthOf: (link: LinkPart) => number,
): number =>
  [...before, ...after].reduce((sum, part) => {
    if ('text' in part) return sum + [...part.text].length
    return sum + ('date' in part ? part.date.length : lengthOf(part))
  }, digits)

/** A number such as those of the format, with a text in place of what a link leads to. */
export const exampleNumber = (
  { before, after, digits }: Format<FormatPart>,
  moment: Date,
): string => {
  const [year = '', month = '', day = ''] = moment.toISOString().slice(0, 10).split('-')
  const quarter = String(Math.ceil(Number(month) / 3))
  const dates: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(-2),
    MM: month,
    DD: day,
    Q: quarter,
  }
  const textOf = (part: FormatPart): string => {
    if ('text' in part) return part.text
    return 'date' in part ? (dates[part.date.template] ?? '') : 'A'
  }
  return [before.map(textOf), ['1'.padStart(digits, '0')], after.map(textOf)].flat().join('')
}

/** A number as an example; none of a format that cannot be read. */
export const seriesExamples = (format: string): readonly string[] => {
  const parsed = parseFormat(format)
  return 'issue' in parsed ? [] : [exampleNumber(parsed.format, new Date('2026-05-04T00:00:00Z'))]
}
