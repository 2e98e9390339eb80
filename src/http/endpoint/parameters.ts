/**
 * The parameters of paths, queries and headers: each is one row that parses its text, reports issues, and
 * describes itself for the OpenAPI document.
 */
import type { Entity } from '../../definitions/catalog.ts'
import { textIssue } from '../../definitions/values/check-text.ts'
import { didYouMean } from '../../did-you-mean.ts'
import type { ErrorCode } from '../../error-kinds.ts'
import { type ApiError, validationError } from '../../errors.ts'
import { addIssue, type Issue, isFull, isIssue, shorten } from '../../issues.ts'
import { readIdempotencyKey } from '../idempotency.ts'
import type { JsonSchema } from '../openapi/operation.ts'
import { type Precondition, readIfMatch } from '../preconditions.ts'

/** What is known of a request when a parameter of its path is read. */
export type PathPlace = {
  /** On paths below an entity. */
  readonly entity: Entity | undefined
  /** The parameters of the path as they were sent. */
  readonly params: Readonly<Record<string, string>>
}

/** One parameter: `T` is its value, `D` that of a request without it. */
export type Parameter<T = unknown, D = undefined> = {
  readonly description: string | ((entity: Entity) => string)
  readonly schema: JsonSchema
  /** Its value, or the issue of the text. */
  readonly read: (text: string, place: PathPlace) => T | { readonly issue: string }
  /** The value of a request without it. */
  readonly absent?: D
  /** Whether it is required in the OpenAPI document; one of a path always is. */
  readonly isRequired?: boolean
  /** Several values separated by commas, or several parameters. */
  readonly isList?: boolean
  /** The errors of an operation that has this parameter. */
  readonly errors?: readonly ErrorCode[]
  /** Only a matching part of a path is this parameter, for the router. */
  readonly pattern?: string
}

/** Parameters by name; a header by its name in camel case (`ifMatch`). */
export type Parameters = Readonly<Record<string, Parameter<unknown, unknown>>>

/** The values of parameters. */
export type Values<P> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T, infer D>
    ? Exclude<T, { readonly issue: string }> | D
    : never
}

type Options<D> = { readonly description: Parameter['description']; readonly default?: D }

/** A value as an issue names it. */
const quoted = (text: string) => JSON.stringify(shorten(text, 40))

const described = <D>({ description, default: absent }: Options<D>, schema: JsonSchema) => ({
  description,
  schema: { ...schema, ...(absent !== undefined && { default: absent }) },
  absent: absent as D,
})

const digits = /^\d+$/

/** A whole number from `min` to `max`. */
export const integer = <D extends number | undefined = undefined>(
  options: Options<D> & { readonly min: number; readonly max: number },
): Parameter<number, D> => ({
  ...described(options, { type: 'integer', minimum: options.min, maximum: options.max }),
  read: (text) => {
    const { min, max } = options
    const number = Number(text)
    return digits.test(text) && number >= min && number <= max
      ? number
      : { issue: `must be a whole number from ${min} to ${max}, not ${quoted(text)}` }
  },
})

const readFlag = (text: string) =>
  text === 'true' || text === 'false'
    ? text === 'true'
    : { issue: `must be true or false, not ${quoted(text)}` }

/** `true` or `false`; false by default. */
export const flag = (description: string): Parameter<boolean, boolean> => ({
  ...described({ description, default: false }, { type: 'boolean' }),
  read: readFlag,
})

/** `true`, `false` or absent, where something else decides. */
export const optionalFlag = (description: string): Parameter<boolean, undefined> => ({
  ...described({ description }, { type: 'boolean' }),
  read: readFlag,
})

/** Names for generators of clients, where words differ by their punctuation alone, which the generators leave out. */
const distinctNames = (words: readonly string[]): object => {
  const plain = new Set(words.map((word) => word.replaceAll(/\W/g, '')))
  if (plain.size === words.length) return {}
  const nameOf = (word: string) =>
    word.replaceAll(/\W/g, (mark) => `_${mark.codePointAt(0)?.toString(16)}_`)
  return { 'x-enum-varnames': words.map(nameOf) }
}

/** One of several words. */
export const oneOf = <const T extends string, D extends T | undefined = undefined>(
  words: readonly T[],
  options: Options<D> & { readonly ignoresCase?: boolean },
): Parameter<T, D> => ({
  ...described(options, { type: 'string', enum: [...words], ...distinctNames(words) }),
  read: (text) => {
    const wanted = options.ignoresCase ? text.toLowerCase() : text
    return (
      words.find((word) => word === wanted) ?? {
        issue: `must be one of ${words.join(', ')}, not ${quoted(wanted)}${didYouMean(wanted, words)}`,
      }
    )
  },
})

/** One of several whole numbers. */
export const oneOfNumbers = <const T extends number>(
  numbers: readonly T[],
  options: Options<undefined>,
): Parameter<T, undefined> => ({
  ...described(options, { type: 'integer', enum: [...numbers] }),
  read: (text) =>
    numbers.find((one) => String(one) === text) ?? {
      issue: `must be one of ${numbers.join(', ')}, not ${quoted(text)}`,
    },
})

/** Names separated by commas, in one or several parameters. */
export const nameList = (
  description: Parameter['description'],
): Parameter<readonly string[], undefined> => ({
  description,
  schema: { type: 'array', items: { type: 'string', minLength: 1 } },
  absent: undefined,
  isList: true,
  read: (text) => {
    const names = text.split(',')
    return names.every((name) => name !== '')
      ? names
      : { issue: 'must be names separated by commas, none of them empty' }
  },
})

/** Any text, parsed by the handler. */
export const text = (
  description: string,
  { isRequired = false, ...schema }: JsonSchema & { readonly isRequired?: boolean } = {},
): Parameter<string, undefined> => ({
  description,
  schema: { type: 'string', ...schema },
  absent: undefined,
  isRequired,
  read: (given) => given,
})

/** A text that the database takes: of a maximum length, and without what it cannot store. */
export const limitedText = (
  description: string,
  maxLength: number,
): Parameter<string, undefined> => ({
  ...text(description, { maxLength }),
  read: (given) => {
    const issue =
      given.length > maxLength
        ? `must have at most ${maxLength} characters, not ${given.length}`
        : textIssue(given)
    return issue === undefined ? given : { issue }
  },
})

/** An IANA time zone, such as `Europe/Zagreb`, for lists that depend on when a day begins. */
export const timeZone = (description: string): Parameter<string, undefined> => ({
  ...text(description, { examples: ['Europe/Zagreb'] }),
  read: (given) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
    } catch {
      return { issue: `must be an IANA time zone, such as Europe/Zagreb, not ${quoted(given)}` }
    }
  },
})

/** The largest id of a record: the maximum of PostgreSQL's integer. */
export const maxRecordId = 2_147_483_647

/** Whether a value of a body may be the id of a record. */
export const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxRecordId

type IdOptions = {
  readonly description: string
  /** The error of an id that no record has; it is well-formed, so it is a 404. */
  readonly unknown: (text: string, place: PathPlace) => ApiError
  readonly errors: readonly ErrorCode[]
  /** The largest id that is looked up. */
  readonly max?: number
  readonly pattern?: string
}

/** The id in a path. */
export const id = ({
  description,
  unknown,
  max = maxRecordId,
  ...rest
}: IdOptions): Parameter<number, never> => ({
  description,
  schema: { type: 'integer', minimum: 1, maximum: max },
  ...rest,
  read: (given, place) => {
    if (!/^[1-9]\d*$/.test(given))
      return { issue: `must be a whole number from 1, not ${quoted(given)}` }
    const number = Number(given)
    if (number > max) throw unknown(shorten(given, 30), place)
    return number
  },
})

/** `limit` and `page` of a list. */
export const pageParameters = {
  limit: integer({ min: 1, max: 1000, default: 20, description: 'Records of one page.' }),
  page: integer({
    min: 1,
    max: 1_000_000_000,
    default: 1,
    description: 'Number of the page, from 1.',
  }),
}

/** The rows that `limit` and `page` request. */
export const pageOf = ({ limit, page }: { readonly limit: number; readonly page: number }) => ({
  limit,
  offset: (page - 1) * limit,
})

const noPlace: PathPlace = { entity: undefined, params: {} }

/** The values of a query string; throws request.invalid with every issue, including unknown names. */
export const readQuery = <P extends Parameters>(query: unknown, parameters: P): Values<P> => {
  const issues: Issue[] = []
  const values: Record<string, unknown> = {}
  for (const name in parameters) values[name] = parameters[name]?.absent
  for (const [name, given] of Object.entries(query as Record<string, string | string[]>)) {
    if (isFull(issues)) break
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (!parameter) {
      const hint = () => didYouMean(name, Object.keys(parameters))
      addIssue(issues, { path: name, message: 'is not a parameter of this path' }, hint)
    } else if (given === '') {
      // Many clients send the names of parameters that have no value: it is not given.
    } else if (Array.isArray(given) && !parameter.isList) {
      addIssue(issues, { path: name, message: 'is given more than once' })
    } else {
      const value = parameter.read(String(given), noPlace)
      if (isIssue(value)) addIssue(issues, { path: name, message: value.issue })
      else values[name] = value
    }
  }
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return values as Values<P>
}

/** `ifMatch` as in documentation: `If-Match`; `lastEventId` is `Last-Event-ID`. */
export const headerName = (key: string): string =>
  key
    .replaceAll(/(?=[A-Z])/g, '-')
    .replace(/^[a-z]/, (letter) => letter.toUpperCase())
    .replace(/-Id$/, '-ID')

type Texts = Readonly<Record<string, string | string[] | undefined>>

/**
 * Creates the reader of the parameters of a path, or of headers, whose names `headerName` returns; throws
 * request.invalid with the first issue.
 */
export const createTextReader = <P extends Parameters>(
  parameters: P,
  nameOf: (key: string) => string = (key) => key,
): ((texts: Texts, place?: PathPlace) => Values<P>) => {
  const rows = Object.entries(parameters).map(([key, parameter]) => {
    const name = nameOf(key)
    // Node gives headers names in lower case.
    return { key, name, source: name === key ? key : name.toLowerCase(), parameter }
  })
  return (texts, place = noPlace) => {
    const values: Record<string, unknown> = {}
    for (const { key, name, source, parameter } of rows) {
      const given = texts[source]
      const value = given === undefined ? parameter.absent : parameter.read(String(given), place)
      if (isIssue(value))
        throw validationError('request.invalid', [{ path: name, message: value.issue }])
      values[key] = value
    }
    return values as Values<P>
  }
}

// Headers that operations of several features accept.

/** The record versions that a write accepts. */
export const ifMatch: Parameter<Precondition, Precondition> = {
  description:
    'The `ETag` that was read, such as `"3"`: when the record has changed since, nothing is written and the answer is 412. Without it the last write wins.',
  schema: { type: 'string' },
  absent: 'any',
  errors: ['record.stale'],
  read: readIfMatch,
}

/** The response that the caller has already. */
export const ifNoneMatch: Parameter<string> = {
  description: 'The `ETag` of an earlier answer; 304 without a body when it is still current.',
  schema: { type: 'string' },
  absent: undefined,
  read: (text) => text,
}

/** Makes it safe to send a create again. */
export const idempotencyKey: Parameter<string> = {
  description:
    'A text of your choice, one per create or bulk write: the same key and body within 24 hours gets the first answer again, the same key with another body is a 422.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  absent: undefined,
  errors: ['idempotency.key-reused'],
  read: readIdempotencyKey,
}

/** The languages of the caller, best first. */
export const acceptLanguage: Parameter<string> = {
  description: "Language of `content.due_date`; else the project's `locale`, else English.",
  schema: { type: 'string', examples: ['de-AT, de;q=0.9'] },
  absent: undefined,
  read: (text) => text,
}
