/** Asks every path as each user, and says what an answer shows that the user may not see. */
import { readPdf } from '../documents/read-pdf.ts'
import { readParquet } from '../read-parquet.ts'
import { readArchive } from '../read-xlsx.ts'
import { receive } from '../send.ts'
import { mailOf, type World } from './a-marked-world.ts'
import { type Asked, type PathRow, type Place, pathRows } from './asked-paths.ts'
import { foreignIn, readSights, type Sight } from './sights.ts'

type Answer = {
  readonly status: number
  readonly headers: Headers
  /** What it contains, unpacked. */
  readonly text: string
}

/** What was asked so far, and what was wrong. */
export type Asking = {
  count: number
  readonly faults: string[]
  /** Which part of all requests is asked. */
  readonly share: number
}

const absentId = 2_000_000_000

/** The text of an answer, whatever its format. */
export const textOf = async (bytes: Buffer, type: string): Promise<string> => {
  if (type.includes('pdf')) return (await readPdf(new Uint8Array(bytes))).pages.join('\n')
  if (type.includes('spreadsheetml')) return [...(await readArchive(bytes)).values()].join('\n')
  if (!type.includes('parquet')) return bytes.toString()
  return JSON.stringify(await readParquet(bytes), (_key, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

const tokens = new WeakMap<World, Map<string, Promise<string>>>()

const tokenOf = (world: World, name: string): Promise<string> => {
  const kept = tokens.get(world) ?? new Map<string, Promise<string>>()
  tokens.set(world, kept)
  const token = kept.get(name) ?? world.service.tokenOf(mailOf(name))
  kept.set(name, token)
  return token
}

/** Sends a request as a user. */
export const askAs = async (
  world: World,
  name: string,
  method: string,
  target: string,
  { body, headers = {} }: Asked = {},
): Promise<Answer> => {
  const answer = await receive(method, `${world.service.url}${target}`, {
    headers: {
      Authorization: `Bearer ${await tokenOf(world, name)}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const type = answer.headers.get('content-type') ?? ''
  return { ...answer, text: await textOf(answer.bytes, type) }
}

const targetOf = ({ door }: PathRow, { entity, id }: Place, { params, query }: Asked) => {
  const [method = '', path = ''] = door.split(' ')
  const given: Readonly<{ [name: string]: string | number }> = {
    entityKey: entity,
    entityId: id,
    ...params,
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given[name] ?? ''))
  return { method, target: query === undefined ? filled : `${filled}?${query}` }
}

const sendRow = (row: PathRow, place: Place, asked: Asked): Promise<Answer> => {
  const { method, target } = targetOf(row, place, asked)
  const { apiKey, user } = place.sight
  const headers = { ...asked.headers, ...(apiKey && { Authorization: `Bearer ${apiKey}` }) }
  return askAs(place.world, user.name, method, target, { ...asked, headers })
}

const nameOf = (row: PathRow, place: Place, asked: Asked): string => {
  const { method, target } = targetOf(row, place, asked)
  const { user, apiKey } = place.sight
  return `${user.name} (${user.roles}${apiKey ? ', an API key with a scope' : ''}) ${method} ${target} ${JSON.stringify({ ...asked.headers, body: asked.body })}`
}

const differing = /^(date|content-length|x-request-id|server-timing|connection|keep-alive)$/

/** An answer without what differs from request to request, nor the ids of two records. */
const plain = ({ status, headers, text }: Answer, id: number): string => {
  const lines = [...headers].flatMap(([name, value]) =>
    differing.test(name) ? [] : [`${name}: ${value}`],
  )
  return [status, ...lines, text]
    .join('\n')
    .replaceAll(/"requestId":"[^"]*"/g, '')
    .replaceAll(new RegExp(`\\b(${id}|${absentId})\\b`, 'g'), '…')
}

/** Whether the answer shows something that the user may not see; what the request itself says does not count. */
const checkShown = (record: Asking, place: Place, what: string, answer: Answer) => {
  const shown = JSON.stringify([...answer.headers]) + answer.text
  const foreign = foreignIn(place.world, place.sight, shown).filter(
    (one) => !what.includes(one.split(' ')[0] ?? ''),
  )
  if (answer.status >= 500) record.faults.push(`${what}: ${answer.status} ${answer.text}`)
  if (foreign.length > 0) record.faults.push(`${what} shows ${foreign.join(', ')}`)
}

const placeOf = (world: World, sight: Sight, entity: string, id: number): Place => {
  const marker = [...world.marks].find(
    ([, mark]) =>
      mark.of === 'record' && mark.entity === entity && mark.id === id && mark.field === 'mark',
  )
  return { world, sight, entity, id, marker: marker?.[0] ?? 'zqnone' }
}

const askRow = async (record: Asking, row: PathRow, place: Place) => {
  for (const asked of row.asks?.(place) ?? [{}]) {
    if (row.of !== 'service' && !place.world.random.chance(record.share)) continue
    record.count++
    checkShown(record, place, nameOf(row, place, asked), await sendRow(row, place, asked))
  }
}

/** A record that the user may not read is answered as one that does not exist. */
const askOfForeign = async (record: Asking, row: PathRow, place: Place) => {
  const absent = { ...place, id: absentId }
  const others = row.asks?.(absent) ?? [{}]
  for (const [index, asked] of (row.asks?.(place) ?? [{}]).entries()) {
    if (!place.world.random.chance(record.share)) continue
    record.count++
    const what = nameOf(row, place, asked)
    const answer = await sendRow(row, place, asked)
    checkShown(record, place, what, answer)
    const other = await sendRow(row, absent, others[index] ?? {})
    if (plain(answer, place.id) !== plain(other, place.id))
      record.faults.push(`${what}: ${plain(answer, place.id)} / absent: ${plain(other, place.id)}`)
  }
}

/** An assignee knows the records of their tasks. */
const isKnown = ({ world, sight, entity, id }: Place, { door }: PathRow): boolean =>
  sight.reads(entity, id) ||
  (door.toLowerCase().includes('task') &&
    world.tasks.some(
      ({ assignee, places }) =>
        assignee === sight.user.name &&
        places.some((one) => one.entity === entity && one.id === id),
    ))

const natives = ['user', 'task', 'comment', 'saved_view']

/** Asks all that only reads. */
export const checkReads = async (world: World, record: Asking, sight: Sight): Promise<void> => {
  for (const row of pathRows.filter(({ isWrite }) => !isWrite)) {
    if (row.of === 'service') await askRow(record, row, placeOf(world, sight, 'e0', 1))
    if (row.of === 'entity')
      for (const entity of [...world.keys, ...natives]) {
        const rows = await world.rowsOf(entity)
        const foreign = rows.find(({ id }) => !sight.reads(entity, id)) ?? rows[0]
        await askRow(record, row, placeOf(world, sight, entity, foreign?.id ?? 1))
      }
    if (row.of === 'record') await checkRecords(world, record, sight, row)
  }
}

const checkRecords = async (world: World, record: Asking, sight: Sight, row: PathRow) => {
  for (const entity of world.keys)
    for (const { id } of await world.rowsOf(entity)) {
      const place = placeOf(world, sight, entity, id)
      await (isKnown(place, row) ? askRow : askOfForeign)(record, row, place)
    }
}

/** Asks all that writes: of records that the user may not read, which stay as they are, and then of one of each entity. */
export const checkWrites = async (world: World, record: Asking, name: string): Promise<void> => {
  const rows = pathRows.filter(({ isWrite }) => isWrite)
  const sights = await readSights(world)
  const sight = sights.get(name)
  if (!sight) throw new Error(`There is no user ${name}.`)
  for (const entity of world.keys) {
    const stored = (await world.rowsOf(entity)).filter(({ id }) => !sight.reads(entity, id))
    for (const { id } of stored)
      for (const row of rows) {
        const place = placeOf(world, sight, entity, id)
        if (!isKnown(place, row)) await askOfForeign(record, row, place)
      }
    const now = new Map((await world.rowsOf(entity)).map((one) => [one.id, JSON.stringify(one)]))
    for (const one of stored)
      if (now.get(one.id) !== JSON.stringify(one))
        record.faults.push(`${name} has changed ${entity}/${one.id}, which they may not read`)
  }
  for (const entity of world.keys) {
    const [own] = sight.listed(entity)
    if (own) await checkOwnWrites(world, record, { name, entity, id: own.id, rows })
  }
}

type OwnWrites = {
  readonly name: string
  readonly entity: string
  readonly id: number
  readonly rows: readonly PathRow[]
}

/** What the answer of a write shows is what the user may see then. */
const checkOwnWrites = async (
  world: World,
  record: Asking,
  { name, entity, id, rows }: OwnWrites,
) => {
  let sight = (await readSights(world)).get(name)
  for (const row of rows)
    for (const asked of sight ? (row.asks?.(placeOf(world, sight, entity, id)) ?? [{}]) : []) {
      if (!sight || !world.random.chance(record.share)) continue
      const place = placeOf(world, sight, entity, id)
      record.count++
      const answer = await sendRow(row, place, asked)
      if (answer.status < 300) sight = (await readSights(world)).get(name)
      if (sight) checkShown(record, { ...place, sight }, nameOf(row, place, asked), answer)
    }
}
