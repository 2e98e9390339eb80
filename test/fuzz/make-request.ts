/** Requests by chance: some as the document describes them, more of them broken in one place or several. */
import type { Operation, Parameter } from './api-document.ts'
import { asWritten, hostileText, hostileValue, jsonOf, onceMore } from './hostile-values.ts'
import { type Maker, makeValue } from './make-value.ts'
import type { Random } from './random.ts'
import type { Request } from './request.ts'

/** A request while it is made. */
type Draft = {
  caller: string
  method: string
  /** Of the path, by name. */
  names: Record<string, string>
  path: string
  query: [name: string, value: string][]
  headers: Record<string, string>
  value: unknown
  body: Buffer | undefined
  isMeant: boolean
}

type Makers = Maker & {
  readonly callers: readonly string[]
  readonly operations: readonly Operation[]
}

/** Makes the next request. */
export const makeRequest = (maker: Makers): Request => {
  const { random } = maker
  const operation = random.pick(maker.operations)
  const draft = draftOf(maker, operation)
  const isBroken = random.chance(0.5)
  if (isBroken)
    for (let turns = 1 + random.below(3); turns > 0; turns--) random.pick(breakers)(draft, maker)
  const path = draft.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => draft.names[name] ?? '1')
  const query = draft.query.map(([name, value]) => `${name}=${value}`).join('&')
  const body =
    draft.body ?? (draft.value === undefined ? undefined : Buffer.from(jsonOf(draft.value)))
  if (body && !('Content-Type' in draft.headers)) draft.headers['Content-Type'] = 'application/json'
  return {
    ...{ caller: draft.caller, method: draft.method, headers: draft.headers, body },
    target: (query === '' ? path : `${path}?${query}`).replaceAll(
      /[^\x21-\x7e]/gu,
      encodeURIComponent,
    ),
    operation: draft.isMeant ? operation : undefined,
  }
}

const draftOf = (maker: Makers, operation: Operation): Draft => {
  const { random } = maker
  const draft: Draft = {
    caller: random.chance(0.4) ? 'admin' : random.pick(maker.callers),
    ...{ method: operation.method, path: operation.path },
    ...{ names: {}, query: [], headers: {}, value: undefined, body: undefined, isMeant: true },
  }
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path' && !parameter.required && !random.chance(0.25)) continue
    setParameter(draft, parameter, textOf(makeValue(maker, parameter.schema, parameter.name)))
  }
  const { body } = operation
  if (!body || !(operation.bodyIsRequired || random.chance(0.7))) return draft
  draft.value =
    body.examples.length > 0 && random.chance(0.2)
      ? structuredClone(random.pick(body.examples))
      : makeValue(maker, body.schema)
  return draft
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))

const setParameter = (draft: Draft, parameter: Parameter, text: string): void => {
  if (parameter.in === 'path') draft.names[parameter.name] = encodeURIComponent(text.toWellFormed())
  else if (parameter.in === 'header') draft.headers[parameter.name] = headerText(text)
  else draft.query.push([parameter.name, encodeURIComponent(text.toWellFormed())])
}

/** What the client sends of a text as the value of a header: bytes that are allowed there. */
const headerText = (text: string): string =>
  text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 6000)

type Breaker = (draft: Draft, maker: Makers) => void

const somePart = (random: Random): string =>
  random.pick([
    '%00',
    '%ff',
    '%zz',
    '%',
    '%2e%2e',
    '%2f',
    '%e2%80',
    '..',
    '',
    'a%0d%0ab',
    "'",
    '1e1',
    '0x1',
    '١',
  ])

const breakPath: Breaker = (draft, { random, memory }) => {
  const names = Object.keys(draft.names)
  if (names.length > 0 && random.chance(0.8)) {
    const text = random.chance(0.3)
      ? String(memory.any(random) ?? '')
      : hostileText(random).slice(0, 3000)
    const part = random.chance(0.3) ? somePart(random) : encodeURIComponent(text.toWellFormed())
    // Such a part leads to another path, or to none; a word may be the name of one.
    if (/^\.{0,2}$|^[a-z]+$|%(2f|2e|$|.?$|z|ff|00|e2)/i.test(part)) draft.isMeant = false
    draft.names[random.pick(names)] = part
    return
  }
  draft.isMeant = false
  const parts = draft.path.split('/')
  const at = random.below(parts.length)
  if (random.chance(0.5)) parts.splice(at, 1)
  else parts.splice(at, random.below(2), somePart(random))
  draft.path = `/${parts.join('/').replace(/^\/+/, '')}`
}

const breakQuery: Breaker = (draft, { random, memory }) => {
  const value = random.chance(0.2)
    ? somePart(random)
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
    'Bearer',
    'Bearer ',
    'Basic eDp5',
    'Bearer a.b.c',
    'bearer x',
    'Bearer docket_x',
    '',
  ],
  'X-Forwarded-For': ['1.2.3.4', 'x'.repeat(200)],
  'X-Request-Id': ['a', 'x'.repeat(500), '{{7}}'],
}

const breakHeader: Breaker = (draft, { random, memory }) => {
  const name = random.pick(Object.keys(headers))
  const known = memory.known(name, random)
  if (name === 'Authorization') draft.isMeant = draft.isMeant && draft.caller !== 'nobody'
  draft.headers[name] = headerText(
    known !== undefined && random.chance(0.4)
      ? String(known)
      : random.chance(0.8)
        ? random.pick(headers[name] ?? [])
        : hostileText(random),
  )
}

const types = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json;charset=utf-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'x',
  'application/JSON',
  'application/problem+json',
]

const breakType: Breaker = (draft, { random }) => {
  draft.headers['Content-Type'] = random.pick(types)
  if (random.chance(0.3))
    draft.headers['Content-Encoding'] = random.pick(['gzip', 'identity', 'x', 'br'])
}

/** Puts something else into one place of a value. */
const breakValue: Breaker = (draft, { random, memory }) => {
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
        places.push(() => Object.assign(holder, { [onceMore(name, 2)]: inner }))
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

const breakBody: Breaker = (draft, { random }) => {
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
        'null',
        '[]',
        '0',
        '"x"',
        'true',
        ' ',
        '{]',
        "{'a':1}",
        '{a:1}',
        '[1,]',
        '//',
        'NaN',
      ]),
    () =>
      jsonOf({
        x: asWritten(
          random.pick(['1'.repeat(100_000), `${'['.repeat(100_000)}`, '01', '+1', '.5']),
        ),
      }),
    () => random.pick(['[', '{"a":', '"', ' ']).repeat(random.below(100_000)),
  ]
  draft.body = Buffer.from(random.pick(pieces)())
}

const breakMethod: Breaker = (draft, { random }) => {
  draft.method = random.pick([
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
  ])
  draft.isMeant = false
}

const breakers: readonly Breaker[] = [
  ...[breakPath, breakPath, breakQuery, breakQuery, breakHeader, breakHeader, breakType],
  ...[
    breakValue,
    breakValue,
    breakValue,
    breakValue,
    breakValue,
    breakBody,
    breakBody,
    breakMethod,
  ],
]
