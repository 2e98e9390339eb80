/**
 * One row for each way to call an endpoint: who may call it, and a valid request. The tables of this folder take every
 * endpoint from its declaration, and from its row what a declaration cannot say.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { replyOf } from '../../support/reply.ts'
import {
  type RowOf,
  type Sample,
  type ServicePlace,
  serviceRows,
  type Who,
} from '../../support/rights/service-rows.ts'
import type { Reply } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { type Doors, emailOf, fileOf, type Right } from './a-door-project.ts'
import { type DeclaredEndpoint, declaredEndpoints } from './endpoints.ts'

/** Of a service and a claim. */
type Place = ServicePlace & {
  readonly doors: Doors
  /** The user who calls, by name; null: nobody, or an API key. */
  readonly as: string | null
}

/** Also for a role with a permission on claims. */
export type Row = RowOf<Who | Right, Place, Sample | Promise<Sample>>

const ofClaim = '/{entityKey}/{entityId}'

/** The rows of `do` of a bulk write, which is as good as the writes of single records. */
const bulkRow = (what: string, who: Right, wanted: object): Row => ({
  door: 'POST /{entityKey}/bulk',
  what,
  who,
  shows: 'nothing',
  sample: ({ id }) => ({ body: { ids: [id], do: wanted } }),
})

const body = (value: unknown) => () => ({ body: value })

const rows: readonly Row[] = [
  { door: 'GET /{entityKey}', who: 'read', shows: 'values' },
  { door: 'POST /{entityKey}/search', who: 'read', shows: 'values', sample: body({}) },
  { door: `GET ${ofClaim}`, who: 'read', shows: 'values' },
  { door: `GET ${ofClaim}/history`, who: 'read', shows: 'values', removed: 200 },
  {
    door: `GET ${ofClaim}/file/{fileId}`,
    who: 'read',
    shows: 'values',
    removed: 200,
    sample: ({ id }) => ({ params: { fileId: fileOf(id) } }),
  },
  {
    door: `GET ${ofClaim}/file/{fileId}`,
    what: 'thumbnail',
    who: 'read',
    shows: 'nothing',
    removed: 200,
    sample: ({ id }) => ({ params: { fileId: fileOf(id) }, query: 'size=160' }),
  },
  { door: 'POST /{entityKey}', who: 'create', shows: 'nothing', sample: body({ notes: 'New' }) },
  {
    door: 'POST /{entityKey}/import',
    who: 'caller',
    isByRights: true,
    shows: 'nothing',
    refused: { nothing: 404, only_create: 403, lacking_create: 403 },
    sample: () => ({
      query: 'dryRun=true',
      body: 'notes\r\nImported',
      headers: { 'Content-Type': 'text/csv' },
    }),
  },
  {
    door: 'POST /{entityKey}/import/look',
    who: 'caller',
    isByRights: true,
    shows: 'nothing',
    refused: { nothing: 404, only_create: 403 },
    sample: () => ({ body: 'notes\r\nImported', headers: { 'Content-Type': 'text/csv' } }),
  },
  { door: `PATCH ${ofClaim}`, who: 'update', shows: 'values', sample: body({ notes: 'Other' }) },
  {
    door: `PATCH ${ofClaim}`,
    what: 'lines',
    who: 'update',
    shows: 'values',
    sample: body({ parts: { create: [{ name: 'A part' }] } }),
  },
  { door: `DELETE ${ofClaim}`, who: 'delete', shows: 'nothing' },
  {
    door: `POST ${ofClaim}/restore`,
    who: 'delete',
    shows: 'values',
    removed: 200,
    isOfRemoved: true,
  },
  { door: `POST ${ofClaim}/takeOwnership`, who: 'takeOwnership', shows: 'values' },
  { door: `POST ${ofClaim}/anonymise`, who: 'anonymise', shows: 'nothing', removed: 200 },
  { door: 'POST /{entityKey}/export', who: 'export', shows: 'values', sample: body({}) },
  { door: `GET ${ofClaim}/actions`, who: 'read', shows: 'nothing' },
  {
    door: 'POST /{entityKey}/actions',
    who: 'read',
    shows: 'nothing',
    sample: ({ id }) => ({ body: { ids: [id] } }),
  },
  {
    door: `POST ${ofClaim}/proceedToStep`,
    who: 'action',
    shows: 'values',
    sample: body({ action: 'note' }),
  },
  {
    door: 'POST /{entityKey}/bulk',
    what: 'own values',
    who: 'create',
    shows: 'nothing',
    sample: body({ create: [{ notes: 'New' }] }),
  },
  bulkRow('change', 'update', { change: { notes: 'Other' } }),
  bulkRow('remove', 'delete', { remove: true }),
  bulkRow('takeOwnership', 'takeOwnership', { takeOwnership: true }),
  bulkRow('action', 'action', { action: 'note' }),
  { door: `GET ${ofClaim}/task`, who: 'tasks', shows: 'nothing' },
  {
    door: `POST ${ofClaim}/task`,
    who: 'tasks',
    shows: 'nothing',
    sample: ({ id }) => ({
      body: { description: 'Check it', related_entities: [{ key: 'claim', entity_id: id }] },
    }),
  },
  {
    door: `PUT ${ofClaim}/{taskId}`,
    who: 'tasks',
    shows: 'nothing',
    sample: async ({ doors, id }) => ({
      params: { taskId: await doors.newTask(id) },
      body: { description: 'Check it again' },
    }),
  },
  {
    door: `DELETE ${ofClaim}/{taskId}`,
    who: 'tasks',
    shows: 'nothing',
    sample: async ({ doors, id }) => ({ params: { taskId: await doors.newTask(id) } }),
  },
  { door: `GET ${ofClaim}/comment`, who: 'read', shows: 'nothing' },
  {
    door: `POST ${ofClaim}/comment`,
    who: 'comments',
    shows: 'nothing',
    sample: body({ text: 'Fine' }),
  },
  {
    door: `PATCH ${ofClaim}/comment/{commentId}`,
    who: 'comments',
    shows: 'nothing',
    sample: async ({ doors, id, as }) => ({
      params: { commentId: await doors.newComment(id, as) },
      body: { is_resolved: true },
    }),
  },
  {
    door: `DELETE ${ofClaim}/comment/{commentId}`,
    who: 'comments',
    shows: 'nothing',
    sample: async ({ doors, id, as }) => ({
      params: { commentId: await doors.newComment(id, as) },
    }),
  },
  { door: `GET ${ofClaim}/follow`, who: 'read', shows: 'nothing' },
  { door: `PUT ${ofClaim}/follow`, who: 'read', shows: 'nothing' },
  { door: `DELETE ${ofClaim}/follow`, who: 'read', shows: 'nothing' },
  { door: `GET ${ofClaim}/documents`, who: 'read', shows: 'nothing' },
  {
    door: `GET ${ofClaim}/documents/{code}`,
    who: 'read',
    shows: 'values',
    sample: () => ({ params: { code: 'claim' } }),
  },
  {
    door: `GET ${ofClaim}/documents/{code}/picture`,
    who: 'read',
    shows: 'nothing',
    sample: () => ({ params: { code: 'claim' } }),
  },
  { door: `GET ${ofClaim}/notified`, who: 'read', shows: 'nothing', removed: 200 },
  {
    door: 'GET /api/search',
    who: 'caller',
    isByRights: true,
    shows: 'values',
    sample: ({ id }) => ({ query: `q=${id}` }),
  },
  ...serviceRows,
]

/** Pages and their files, which are no part of the API: everybody gets the same. */
export const pages: readonly string[] = [
  'GET /console',
  'GET /console/*',
  'GET /assets/*',
  'GET /console/-/login',
  'GET /console/-/callback',
]

export type Door = Row & DeclaredEndpoint & { readonly name: string }

/** The rows with the declarations of their endpoints; fails on an endpoint without a row, and on a row without one. */
export const doorsOf = async (doors: Doors): Promise<readonly Door[]> => {
  const endpoints = await declaredEndpoints(doors.project.catalog)
  const declared = endpoints.filter(({ operation }) => operation)
  const byDoor = new Map(declared.map((one) => [one.door, one]))
  const missing = declared.filter(({ door }) => !rows.some((row) => row.door === door))
  assert.deepEqual(
    missing.map(({ door }) => door),
    [],
    'These endpoints have no row in test/service/doors/doors.ts: add one that says who may call it, with a valid request.',
  )
  return rows.map((row) => {
    const endpoint = byDoor.get(row.door)
    assert.ok(endpoint, `No section declares ${row.door}: remove its row in doors.ts.`)
    return { ...row, ...endpoint, name: [row.door, row.what].filter(Boolean).join(': ') }
  })
}

export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The valid request of a row about a claim. */
export const requestOf = async (
  doors: Doors,
  door: Door,
  id: number,
  as: string | null = null,
): Promise<Asked> => {
  const {
    params = {},
    query = '',
    body: sent,
    headers = {},
  } = (await door.sample?.({ doors, id, other: 4711, as })) ?? {}
  const given: Readonly<Record<string, string | number>> = {
    entityKey: 'claim',
    entityId: id,
    ...params,
  }
  const path = door.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    assert.ok(name in given, `The row of ${door.name} has no parameter ${name}.`)
    return encodeURIComponent(given[name] ?? '')
  })
  return { method: door.method, path, query, headers, body: sent }
}

/** Sends a request as a user by name, or with an API key; null: without a token. Waits while two files are being imported already. */
export const send = (...sent: Parameters<typeof sendOnce>): Promise<Reply> =>
  until('a file is received', async () => {
    const reply = await sendOnce(...sent)
    return reply.status === 503 && reply.text.includes('request.saturated') ? false : reply
  })

const sendOnce = async (
  doors: Doors,
  { isEndless }: Pick<Row, 'isEndless'>,
  { method, path, query, body: sent, ...asked }: Asked,
  as: string | null,
): Promise<Reply> => {
  const target = query === '' ? path : `${path}?${query}`
  const isKey = as?.startsWith('docket_') === true
  const headers = { ...asked.headers, ...(isKey && { Authorization: `Bearer ${as}` }) }
  const caller = as === null || isKey ? null : emailOf(as)
  const options = { as: caller, headers, ...(sent !== undefined && { body: sent }) }
  if (!isEndless) return doors.ask(method, target, options)
  const token = caller === null ? undefined : await doors.tokenOf(caller)
  const response = await fetch(`${doors.url}${target}`, {
    method,
    headers: { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
  })
  const text = response.status === 200 ? '' : await response.text()
  await response.body?.cancel().catch(() => undefined)
  return replyOf(response, text)
}

/** Sends the valid request of a row about a claim. */
export const knock = async (
  doors: Doors,
  door: Door,
  as: string | null,
  id: number,
): Promise<Reply> => send(doors, door, await requestOf(doors, door, id, as), as)

/** The same about a claim, by default a new one, that is as the request needs it. */
export const enter = async (
  doors: Doors,
  door: Door,
  as: string | null,
  given?: number,
): Promise<Reply> => {
  const id = given ?? (await doors.newClaim())
  const request = await requestOf(doors, door, id, as)
  if (door.isOfRemoved) await doors.ask('DELETE', `/claim/${id}`)
  return send(doors, door, request, as)
}

/** The status of a caller who may call. */
export const successOf = ({ status, operation }: Door): number =>
  status ?? Math.min(...Object.keys(operation?.answers ?? {}).map(Number))

/** Whether the request is about one record, by its path. */
export const isOnRecord = ({ path }: Door): boolean => path.includes('{entityId}')

export const isOfEntity = ({ path }: Door): boolean => path.startsWith('/{entityKey}')

/** Fails with every row for which the result is not the expected one, a value or what a function of the row returns. */
export const assertEach = async <T>(
  of: readonly Door[],
  expected: NoInfer<T> | ((door: Door) => NoInfer<T>),
  work: (door: Door) => Promise<T>,
): Promise<void> => {
  assert.ok(of.length > 0, 'No row is asked.')
  const wrong: Record<string, { readonly found: T; readonly expected: T }> = {}
  for (const door of of) {
    const found = await work(door)
    const wanted = expected instanceof Function ? expected(door) : expected
    if (!isDeepStrictEqual(found, wanted)) wrong[door.name] = { found, expected: wanted }
  }
  assert.deepEqual(wrong, {})
}

/** An answer without what differs from request to request; a word of it, such as the id, becomes the same. */
export const plain = ({ status, text }: Reply, word: string | number): string =>
  `${status} ${text.replaceAll(/"requestId":"[^"]*"/g, '').replaceAll(new RegExp(`\\b${word}\\b`, 'g'), '…')}`
