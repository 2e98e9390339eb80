/** Mutators change a valid request at one place: path, query, headers, body or method. */

import type { Operation } from '../api-document.ts'
import { duplicateName, hostileText, hostileValue, jsonOf, verbatim } from './hostile-values.ts'
import type { ValueMaker } from './make-value.ts'
import type { Random } from './random.ts'

/** A request under construction. */
export type Draft = {
  caller: string
  method: string
  /** Parameters of the path by name. */
  pathParameters: Record<string, string>
  path: string
  query: [name: string, value: string][]
  headers: Record<string, string>
  value: unknown
  body: Buffer | undefined
  isForOperation: boolean
}

export type RequestMaker = ValueMaker & {
  readonly callers: readonly string[]
  readonly operations: readonly Operation[]
}

/** Replaces what is not allowed in the value of a header. */
export const headerText = (text: string): string =>
  text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 6000)

type Mutator = (draft: Draft, maker: RequestMaker) => void

const difficultSegment = (random: Random): string =>
  random.pick([
    ...['%00', '%ff', '%zz', '%', '%2e%2e', '%2f', '%e2%80', '..', '', 'a%0d%0ab', "'", '1e1'],
    ...['0x1', '١'],
  ])

const changePath: Mutator = (draft, { random, memory }) => {
  const pathParameters = Object.keys(draft.pathParameters)
  if (pathParameters.length > 0 && random.chance(0.8)) {
    const text = random.chance(0.3)
      ? String(memory.any(random) ?? '')
      : hostileText(random).slice(0, 3000)
    const segment = random.chance(0.3)
      ? difficultSegment(random)
      : encodeURIComponent(text.toWellFormed())
    // Such a segment may lead to another path or to none; a word may be the name of a path.
    if (/^\.{0,2}$|^[a-z]+$|%(2f|2e|$|.?$|z|ff|00|e2)/i.test(segment)) draft.isForOperation = false
    draft.pathParameters[random.pick(pathParameters)] = segment
    return
  }
  draft.isForOperation = false
  const parts = draft.path.split('/')
  const at = random.below(parts.length)
  if (random.chance(0.5)) parts.splice(at, 1)
  else parts.splice(at, random.below(2), difficultSegment(random))
  draft.path = `/${parts.join('/').replace(/^\/+/, '')}`
}

const changeQuery: Mutator = (draft, { random, memory }) => {
  const value = random.chance(0.2)
    ? difficultSegment(random)
    : encodeURIComponent(hostileText(random).slice(0, 3000).toWellFormed())
  const known = random.pick(draft.query.length > 0 ? draft.query : [['limit', '1']])
  const name = random.chance(0.6)
    ? (known[0] ?? '')
    : random.pick(['page', 'sort', 'include', 'x', '', '%00', '__proto__'])
  if (random.chance(0.5)) draft.query = draft.query.filter((one) => one[0] !== name)
  draft.query.push([
    name,
    random.chance(0.2) ? String(memory.any(random) ?? '').replaceAll(/[^\w.-]/g, '') : value,
  ])
}

const headers: Readonly<Record<string, readonly string[]>> = {
  'If-Match': ['*', '"1"', 'W/"1"', '"1", "2"', '1', '""', '"x"', `"${'9'.repeat(30)}"`],
  'If-None-Match': ['*', '"1"', 'W/"1"', ','],
  Accept: ['*/*', 'text/csv', 'application/xml', 'application/json;q=0', ';;', 'text/csv;q=2', '*'],
  'Accept-Encoding': ['gzip', 'zstd', 'br;q=0', 'identity;q=0', '*', 'gzip;q=x'],
  'Accept-Language': ['de', 'xx-YY-zz', '*', '@@', 'en;q=9'],
  'Idempotency-Key': ['a', 'b', 'c', '', ' ', 'x'.repeat(300)],
  'Last-Event-ID': ['1', '2026-01-01T00:00:00.000Z', 'x', '-1'],
  Range: ['bytes=0-1', 'bytes=-'],
  Prefer: ['return=minimal', ';'],
  Authorization: [
    ...['Bearer', 'Bearer ', 'Basic eDp5', 'Bearer a.b.c', 'bearer x', 'Bearer docket_x', ''],
  ],
  'X-Forwarded-For': ['1.2.3.4', 'x'.repeat(200)],
  'X-Request-Id': ['a', 'x'.repeat(500), '{{7}}'],
}

const changeHeader: Mutator = (draft, { random, memory }) => {
  const name = random.pick(Object.keys(headers))
  const known = memory.known(name, random)
  if (name === 'Authorization')
    draft.isForOperation = draft.isForOperation && draft.caller !== 'anonymous'
  draft.headers[name] = headerText(
    known !== undefined && random.chance(0.4)
      ? String(known)
      : random.chance(0.8)
        ? random.pick(headers[name] ?? [])
        : hostileText(random),
  )
}

const types = [
  ...['text/plain', 'application/xml', 'application/json; charset=utf-16'],
  ...['application/json;charset=utf-8', 'application/x-www-form-urlencoded'],
  ...['multipart/form-data', 'x', 'application/JSON', 'application/problem+json'],
]

const changeType: Mutator = (draft, { random }) => {
  draft.headers['Content-Type'] = random.pick(types)
  if (random.chance(0.3))
    draft.headers['Content-Encoding'] = random.pick(['gzip', 'identity', 'x', 'br'])
}

/** Replaces, removes or adds something at one place of a value. */
const changeValue: Mutator = (draft, { random, memory }) => {
  const places: (() => void)[] = [() => Object.assign(draft, { value: hostileValue(random) })]
  const walk = (at: unknown, depth: number): void => {
    if (typeof at !== 'object' || at === null || depth > 8) return
    const holder = at as Record<string, unknown>
    for (const [name, inner] of Object.entries(holder)) {
      places.push(() => {
        holder[name] = random.chance(0.3) ? memory.any(random) : hostileValue(random)
      })
      if (!Array.isArray(at)) {
        places.push(() => delete holder[name])
        places.push(() => Object.assign(holder, { [duplicateName(name, 2)]: inner }))
      }
      walk(inner, depth + 1)
    }
    if (!Array.isArray(at)) {
      const more = random.chance(0.5) ? memory.fieldName(random) : hostileText(random).slice(0, 300)
      places.push(() => Object.assign(holder, { [more]: hostileValue(random) }))
    }
  }
  walk(draft.value, 0)
  random.pick(places)()
}

const changeBody: Mutator = (draft, { random }) => {
  const text = jsonOf(draft.value ?? {})
  const pieces: readonly (() => string | Buffer)[] = [
    () => '',
    () => text.slice(0, random.below(text.length + 1)),
    () => `${text}${random.pick([',', '}', 'x', text, '\u0000'])}`,
    () => `\ufeff${text}`,
    () => Buffer.from(text, 'utf16le'),
    () =>
      Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe]), Buffer.from('}')]),
    () =>
      random.pick([
        ...['null', '[]', '0', '"x"', 'true', ' ', '{]', "{'a':1}", '{a:1}', '[1,]', '//'],
        'NaN',
      ]),
    () =>
      jsonOf({
        x: verbatim(random.pick(['1'.repeat(100_000), `${'['.repeat(100_000)}`, '01', '+1', '.5'])),
      }),
    () => random.pick(['[', '{"a":', '"', ' ']).repeat(random.below(100_000)),
  ]
  draft.body = Buffer.from(random.pick(pieces)())
}

const changeMethod: Mutator = (draft, { random }) => {
  draft.method = random.pick([
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'],
  ])
  draft.isForOperation = false
}

/** All mutators; those listed repeatedly are chosen more often. */
export const mutators: readonly Mutator[] = [
  ...[changePath, changePath, changeQuery, changeQuery, changeHeader, changeHeader, changeType],
  ...[changeValue, changeValue, changeValue, changeValue, changeValue, changeBody],
  ...[changeBody, changeMethod],
]
