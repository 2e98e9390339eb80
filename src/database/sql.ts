/**
 * SQL as a value: text with bound parameters in their places. Printed with `$1` for queries, or
 * with quoted literals where PostgreSQL takes no parameters (COPY). No other file quotes anything.
 */
import pg from 'pg'
import { StartupError } from '../errors.ts'

type Scalar = string | number | boolean | null

type Parameter = { readonly value: Scalar | readonly Scalar[]; readonly cast: string }

/** Part of a statement. Its text comes from this code base and the catalog, never from a request. */
export type Sql = {
  readonly parts: readonly (string | Parameter)[]
  /** Columns of its result that are signalled after the commit (signals.ts). */
  readonly signals?: readonly SignalColumn[]
}

/** What the driver takes. */
export type Statement = {
  readonly text: string
  readonly values: unknown[]
  readonly signals?: readonly SignalColumn[]
}

/** A value bound with an explicit type, so that both ways of printing mean the same. */
export const bound = (value: Scalar | readonly Scalar[], cast: string): Sql => ({
  parts: [{ value, cast }],
})

export const int = (value: number | null): Sql => bound(value, 'integer')
/** One text: the driver would build it from several for each number. */
export const ints = (values: readonly number[]): Sql => bound(`{${values.join()}}`, 'integer[]')
export const bigint = (value: number | string | null): Sql => bound(value, 'bigint')
export const text = (value: string | null): Sql => bound(value, 'text')
export const texts = (values: readonly (string | null)[]): Sql => bound(values, 'text[]')
/** A point in time, or text that PostgreSQL parses as one. */
export const timestamp = (value: Date | string | null): Sql =>
  bound(value instanceof Date ? value.toISOString() : value, 'timestamptz')
/** A value as a JSON document; null and undefined are SQL's null. */
export const json = (value: unknown): Sql =>
  bound(value === null || value === undefined ? null : JSON.stringify(value), 'json')

/** SQL text that is safe by construction: keywords, and expressions of the catalog's columns. */
export const raw = (text: string): Sql => ({ parts: [text] })

/** A quoted identifier; `name` comes from the definitions. */
export const identifier = (name: string): string => {
  if (name.includes('\0')) throw new StartupError('An identifier cannot hold NUL.')
  return `"${name.replaceAll('"', '""')}"`
}

/** An omitted clause. */
export const nothing: Sql = { parts: [] }

/** Template tag: `sql\`SELECT ${int(1)}\``; every slot takes another Sql. */
export const sql = (strings: TemplateStringsArray, ...slots: readonly Sql[]): Sql => {
  if (slots.length === 0) return { parts: strings }
  const parts: (string | Parameter)[] = []
  let text = strings[0] ?? ''
  for (const [index, slot] of slots.entries())
    text = append(parts, text, slot) + (strings[index + 1] ?? '')
  parts.push(text)
  return withSignals(parts, slots)
}

const withSignals = (parts: Sql['parts'], slots: readonly Sql[]): Sql => {
  if (!slots.some((slot) => slot.signals)) return { parts }
  return { parts, signals: slots.flatMap((slot) => slot.signals ?? []) }
}

/**
 * A column of the select list, or of RETURNING, of the whole statement: after the commit its values are signalled
 * on the channel.
 */
export const signalled = (channel: SignalChannel, value: Sql, column: string): Sql => ({
  parts: [...value.parts, ` AS ${identifier(column)}`],
  signals: [{ channel, column }],
})

/**
 * Adds the parts of a slot after a text, and returns the text that is still open. A statement is built for
 * each request, so adjacent texts are joined at once; otherwise every level would copy every part again.
 */
const append = (parts: (string | Parameter)[], before: string, { parts: added }: Sql): string => {
  let text = before
  for (const part of added)
    if (typeof part === 'string') text += part
    else {
      parts.push(text, part)
      text = ''
    }
  return text
}

/** Whether a value is SQL; objects from a request have no array of this name. */
export const isSql = (value: string | object): value is Sql =>
  typeof value === 'object' && 'parts' in value && Array.isArray(value.parts)

/** Joins parts with a separator of SQL text, such as `', '` or `' AND '`. */
export const join = (items: readonly Sql[], separator: string): Sql => {
  const parts: (string | Parameter)[] = []
  let text = ''
  for (const [index, item] of items.entries())
    text = append(parts, index === 0 ? text : text + separator, item)
  parts.push(text)
  return withSignals(parts, items)
}

/** `WHERE` with all conditions; omitted when there are none. */
export const where = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? nothing : sql` WHERE ${join(conditions, ' AND ')}`

/** Whether all conditions hold. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : sql`(${join(conditions, ' AND ')})`

/** Whether one of the conditions holds. */
export const anyOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`false` : sql`(${join(conditions, ' OR ')})`

/**
 * The concatenation of many SQL expressions by `||`, in pairs, pairs of pairs and so on: each byte is
 * copied logarithmically often. In a plain chain each `||` would copy everything before it. Null if one
 * expression is null.
 */
export const concatenated = (expressions: readonly string[]): string => {
  if (expressions.length <= 4) return expressions.join('||') || `''`
  const middle = expressions.length >> 1
  const halves = [expressions.slice(0, middle), expressions.slice(middle)]
  return halves.map((half) => `(${concatenated(half)})`).join('||')
}

/** The same with another value in each place of one of its own: what is compiled once serves many. */
export const withInPlaceOf = ({ parts }: Sql, { parts: [place] }: Sql, value: Sql): Sql => {
  const filled: (string | Parameter)[] = []
  let text = ''
  for (const part of parts) text = append(filled, text, part === place ? value : { parts: [part] })
  filled.push(text)
  return { parts: filled }
}

/** Prints with numbered parameters. */
export const toStatement = ({ parts, signals }: Sql): Statement => {
  const values: unknown[] = []
  let text = ''
  for (const part of parts)
    if (typeof part === 'string') text += part
    else {
      values.push(part.value)
      text += `$${values.length}::${part.cast}`
    }
  return { text, values, ...(signals && { signals }) }
}

/** Prints with literals, quoted by the driver, each with its cast. */
export const toLiteralText = ({ parts }: Sql): string =>
  parts.map((part) => (typeof part === 'string' ? part : literal(part))).join('')

/** Prints it like that, without one of its bound values: the texts before and after it. */
export const toLiteralTextAround = (
  { parts }: Sql,
  { parts: [place = ''] }: Sql,
): readonly [before: string, after: string] => {
  const at = parts.indexOf(place)
  if (at === -1) throw new Error('The statement does not have this value.')
  return [
    toLiteralText({ parts: parts.slice(0, at) }),
    toLiteralText({ parts: parts.slice(at + 1) }),
  ]
}

const literal = ({ value, cast }: Parameter): string =>
  isList(value) ? `ARRAY[${value.map(quoted).join(',')}]::${cast}` : `${quoted(value)}::${cast}`

const isList = (value: Parameter['value']): value is readonly Scalar[] => Array.isArray(value)

const quoted = (value: Scalar): string =>
  value === null ? 'NULL' : pg.escapeLiteral(String(value))

/** The schema of the tables of entities; everything in it follows the definitions. */
export const recordSchema = 'records'

/** The quoted name of an entity's table. */
export const tableName = (entityKey: string): string =>
  `${identifier(recordSchema)}.${identifier(entityKey)}`

/** The table of an entity. */
export const table = (entity: string | { readonly key: string }): Sql =>
  raw(tableName(typeof entity === 'string' ? entity : entity.key))

/** A column by its name in the definitions, optionally of a table with an alias. */
export const ref = (name: string, alias?: string): Sql =>
  raw(alias === undefined ? identifier(name) : `${alias}.${identifier(name)}`)

/** Rows that are not marked as removed. */
export const notDeleted = (alias: string): Sql => raw(`NOT ${alias}._is_deleted`)

/** A point in time as ISO 8601 text in UTC, to the millisecond. */
export const isoTime = (expression: string): Sql =>
  raw(`to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

/** What a statement returns for a signal: a number of things, or their ids as text. */
export type SignalValue = number | string

/** A channel (LISTEN) with the payload for all that was committed since its last signal. */
export type SignalChannel = {
  readonly name: string
  /** Undefined if the values name nothing. */
  readonly payloadOf: (values: readonly SignalValue[]) => string | undefined
}

/** A column of a statement's result whose values are signalled after the commit; null signals nothing. */
export type SignalColumn = {
  readonly channel: SignalChannel
  readonly column: string
}
