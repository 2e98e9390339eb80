/**
 * One row for each way to call an endpoint: who may call it, and a valid request. The tables of this folder take every
 * endpoint from its declaration, and from its row what a declaration cannot say.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { replyOf } from '../../support/reply.ts'
import type { Reply } from '../../support/service.ts'
import { noPasskey, noProof } from '../../support/sessions/no-passkey.ts'
import { type Doors, emailOf, type Right } from './a-door-project.ts'
import { type DeclaredEndpoint, declaredEndpoints } from './endpoints.ts'

/** Everybody without a token, every known caller, administrators, or a role with a permission on claims. */
export type Who = 'everybody' | 'caller' | 'administrator' | Right

/** What a request has besides the key of the entity and the id of the record. */
export type Sample = {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Place = {
  readonly doors: Doors
  /** The claim of the request. */
  readonly id: number
}

export type Row = {
  readonly door: string
  /** Tells apart the rows of one endpoint. */
  readonly what?: string
  readonly who: Who
  readonly sample?: (place: Place) => Sample | Promise<Sample>
  /** Of the answer to a caller who may call; by default the first success that is declared. */
  readonly status?: number
  /** Callers, besides those that `who` excludes, and the status of their answer. */
  readonly refused?: Readonly<Record<string, number>>
  /** The status for a removed record; by default 404. */
  readonly removed?: number
  /** The request is about a removed record. */
  readonly isOfRemoved?: true
  /** Whether an administrator gets values of the record of the request, so that others might. */
  readonly shows: 'values' | 'nothing'
  /** The answer does not end by itself. */
  readonly isEndless?: true
  /** Of `caller`: the scope of an API key narrows it, which is refused elsewhere. */
  readonly isByRights?: true
}

const ofClaim = '/{entityKey}/{entityId}'

/** The rows of `do` of a bulk write, which is as good as the writes of single records. */
const bulkRow = (what: string, who: Right, wanted: object): Row => ({
  door: 'POST /{entityKey}/bulk',
  what,
  who,
  shows: 'nothing',
  sample: ({ id }) => ({ body: { ids: [id], do: wanted } }),
})

const administration = (door: string, sample: Sample = {}, status?: number): Row => ({
  door,
  who: 'administrator',
  shows: 'nothing',
  sample: () => sample,
  ...(status !== undefined && { status }),
})

/** Of a delivery, a message or a job that does not exist. */
const administrationOf = (door: string): Row =>
  administration(
    door,
    {
      params: {
        deliveryId: 4711,
        position: 1,
        name: 'none.eml',
        id: 4711,
        session: 4711,
        key: 4711,
      },
    },
    404,
  )

const ownOf = (door: string, more: Partial<Row> = {}): Row => ({
  door,
  who: 'caller',
  shows: 'nothing',
  ...more,
})

/** Of an import that does not exist. */
const importOf = (door: string, status = 404): Row =>
  ownOf(door, { isByRights: true, status, sample: () => ({ params: { id: 4711 } }) })

const open = (door: string, more: Partial<Row> = {}): Row => ({
  door,
  who: 'everybody',
  shows: 'nothing',
  ...more,
})

/** A link of an e-mail or a calendar, which nobody has. */
const byLink = (door: string, query = 'token=none'): Row =>
  open(door, { sample: () => ({ query }), status: 404 })

const body = (value: unknown) => () => ({ body: value })

const asked = { operation: 'takeOwnership' }

const rows: readonly Row[] = [
  { door: 'GET /{entityKey}', who: 'read', shows: 'values' },
  { door: 'POST /{entityKey}/search', who: 'read', shows: 'values', sample: body({}) },
  { door: `GET ${ofClaim}`, who: 'read', shows: 'values' },
  { door: `GET ${ofClaim}/history`, who: 'read', shows: 'values', removed: 200 },
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
  importOf('GET /api/imports', 200),
  importOf('GET /api/imports/{id}'),
  importOf('GET /api/imports/{id}/faults'),
  importOf('GET /api/imports/{id}/rows'),
  {
    ...importOf('PATCH /api/imports/{id}/rows'),
    sample: () => ({
      params: { id: 4711 },
      body: { corrections: [{ row: 2, column: 'notes', text: 'Other' }] },
    }),
  },
  importOf('GET /api/imports/{id}/undo'),
  importOf('POST /api/imports/{id}/undo'),
  importOf('POST /api/imports/{id}/start'),
  importOf('POST /api/imports/{id}/stop'),
  importOf('DELETE /api/imports/{id}'),
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
  ownOf('GET /api/changes', { shows: 'values' }),
  ownOf('GET /api/exports/{requestId}', {
    sample: () => ({ params: { requestId: 'none' } }),
    status: 404,
  }),
  ownOf('GET /api/me', { isByRights: true }),
  ownOf('GET /api/entities', { isByRights: true }),
  ownOf('GET /api/entities/{entityKey}', { isByRights: true, refused: { nothing: 404 } }),
  ownOf('GET /api/openapi.json', { isByRights: true }),
  ownOf('GET /api/approvals', { shows: 'values' }),
  ownOf('GET /api/approvals/count'),
  ownOf('GET /api/tasks'),
  ownOf('GET /api/tasks/count'),
  ownOf('GET /api/tasks/calendar'),
  ownOf('POST /api/tasks/calendar'),
  ownOf('DELETE /api/tasks/calendar'),
  byLink('GET /api/tasks/calendar.ics', 'key=none'),
  ownOf('GET /api/people', { refused: { nothing: 403 } }),
  ownOf('GET /api/notifications'),
  ownOf('GET /api/notifications/count'),
  ownOf('PUT /api/notifications/mark', { sample: body({ ids: ['none'], status: 'seen' }) }),
  ownOf('GET /api/notifications/stream', {
    isEndless: true,
    sample: () => ({ query: 'watch=claim' }),
    refused: { nothing: 404, lacking_read: 403 },
  }),
  {
    door: 'POST /api/notifications/explain',
    who: 'administrator',
    shows: 'values',
    sample: ({ id }) => ({ body: { ...asked, entityKey: 'claim', entityId: id } }),
  },
  {
    door: 'POST /api/access/explain',
    who: 'administrator',
    shows: 'nothing',
    sample: ({ id }) => ({ body: { entityKey: 'claim', entityId: id, userId: 1 } }),
  },
  ownOf('POST /api/notifications/recipients', {
    sample: ({ id }) => ({ body: { ...asked, entityKey: 'claim', entityIds: [id] } }),
    refused: { nothing: 404, lacking_takeownership: 403 },
  }),
  ownOf('GET /api/notifications/preferences'),
  ownOf('PUT /api/notifications/preferences', { sample: body({ data: [] }) }),
  byLink('GET /api/notifications/unsubscribe'),
  byLink('POST /api/notifications/unsubscribe'),
  byLink('GET /api/attachments'),
  administration('GET /api/deliveries'),
  administration('GET /api/deliveries/count'),
  administration('POST /api/deliveries/retry', { body: { ids: [4711] } }),
  administrationOf('GET /api/deliveries/{deliveryId}'),
  administrationOf('POST /api/deliveries/{deliveryId}/retry'),
  administrationOf('GET /api/deliveries/{deliveryId}/message'),
  administrationOf('GET /api/deliveries/{deliveryId}/message.html'),
  administrationOf('GET /api/deliveries/{deliveryId}/attachments/{position}'),
  administration('GET /api/mail'),
  administrationOf('GET /api/mail/{name}'),
  administrationOf('GET /api/mail/{name}/message'),
  administrationOf('GET /api/mail/{name}/message.html'),
  {
    door: 'GET /api/audit',
    who: 'administrator',
    shows: 'values',
    sample: ({ id }) => ({ query: `entity=claim&record=${id}` }),
  },
  {
    door: 'POST /api/audit/export',
    who: 'administrator',
    shows: 'values',
    sample: ({ id }) => ({ query: `entity=claim&record=${id}&format=ndjson` }),
  },
  administration('GET /api/accounts'),
  administrationOf('GET /api/accounts/{id}/sessions'),
  administrationOf('DELETE /api/accounts/{id}/sessions'),
  administrationOf('DELETE /api/accounts/{id}/sessions/{session}'),
  administrationOf('GET /api/accounts/{id}/keys'),
  administrationOf('DELETE /api/accounts/{id}/keys/{key}'),
  administrationOf('GET /api/accounts/{id}/leave'),
  administration('POST /api/accounts/{id}/leave', { params: { id: 4711 }, body: {} }, 404),
  administration('GET /api/refused-sign-ins'),
  // Users get their own too.
  administration('GET /api/people/{id}/data', { params: { id: 1 } }),
  administration('GET /api/invitations'),
  administration('POST /api/invitations', { body: { user_id: 1 } }),
  administrationOf('DELETE /api/invitations/{id}'),
  administration('GET /api/jobs'),
  administration('GET /api/jobs/count'),
  administration('POST /api/jobs/retry', { body: { ids: [4711] } }),
  administrationOf('POST /api/jobs/{id}/retry'),
  administrationOf('DELETE /api/jobs/{id}'),
  open('GET /'),
  open('GET /api/docs'),
  open('GET /api/health/live'),
  open('GET /api/health/ready'),
  open('GET /api/metrics'),
  open('GET /console/-/config.json'),
  open('POST /console/-/session', { sample: body({ api_key: 'docket_none' }), status: 401 }),
  open('POST /console/-/session/password', {
    sample: body({ name: 'none@example.com', password: 'none' }),
    status: 401,
  }),
  open('POST /console/-/code', { sample: body({ name: 'none@example.com' }), status: 401 }),
  open('POST /console/-/session/code', { sample: body({ code: '00000000' }), status: 401 }),
  open('POST /console/-/invitation', { sample: body({ code: 'none' }), status: 401 }),
  open('POST /console/-/invitation/issuer', { sample: body({ code: 'none' }), status: 401 }),
  open('POST /console/-/invitation/accept', {
    sample: body({ code: 'none', password: 'correct horse battery' }),
    status: 401,
  }),
  open('POST /console/-/session/passkey/challenge', { status: 401 }),
  open('POST /console/-/session/passkey', { sample: body(noProof), status: 401 }),
  open('POST /console/-/session/second-factor', { sample: body({ code: '1' }), status: 401 }),
  open('POST /console/-/invitation/passkey/challenge', {
    sample: body({ code: 'none' }),
    status: 401,
  }),
  open('POST /console/-/invitation/passkey', {
    sample: body({ code: 'none', name: 'none', passkey: noPasskey }),
    status: 401,
  }),
  open('POST /console/-/passkeys/challenge', { status: 401 }),
  open('POST /console/-/passkeys', {
    sample: body({ name: 'none', passkey: noPasskey }),
    status: 401,
  }),
  open('POST /console/-/second-factor/key', { status: 401 }),
  open('PUT /console/-/second-factor', {
    sample: body({ key: 'A'.repeat(32), code: '000000' }),
    status: 401,
  }),
  // These are of the cookie, which no request of these tables has.
  ownOf('GET /console/-/credentials', { status: 404 }),
  ownOf('POST /console/-/session/proof', { sample: body({ code: '000000' }), status: 404 }),
  ownOf('PATCH /console/-/passkeys/{id}', {
    sample: () => ({ params: { id: 1 }, body: { name: 'none' } }),
    status: 404,
  }),
  ownOf('DELETE /console/-/passkeys/{id}', { sample: () => ({ params: { id: 1 } }), status: 404 }),
  ownOf('DELETE /console/-/second-factor', { status: 404 }),
  ownOf('POST /console/-/recovery-codes', { status: 404 }),
  ownOf('GET /console/-/session', { status: 404 }),
  ownOf('DELETE /console/-/session', { status: 404 }),
  ownOf('PUT /console/-/password', {
    sample: body({ password: 'none', new_password: 'correct horse battery' }),
    status: 401,
  }),
  ownOf('GET /console/-/sessions'),
  ownOf('DELETE /console/-/sessions/{id}', {
    sample: () => ({ params: { id: 4711 } }),
    status: 404,
  }),
  ownOf('GET /console/-/keys'),
  ownOf('POST /console/-/keys', { sample: body({ name: 'none' }), status: 404 }),
  ownOf('DELETE /console/-/keys/{id}', { sample: () => ({ params: { id: 4711 } }), status: 404 }),
  ownOf('GET /console/-/settings.json'),
  ownOf('PATCH /console/-/settings.json', { sample: body({ colour: 'red' }) }),
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
export const requestOf = async (doors: Doors, door: Door, id: number): Promise<Asked> => {
  const {
    params = {},
    query = '',
    body: sent,
    headers = {},
  } = (await door.sample?.({ doors, id })) ?? {}
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

/** Sends a request as a user by name, or with an API key; null: without a token. */
export const send = async (
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
): Promise<Reply> => send(doors, door, await requestOf(doors, door, id), as)

/** The same about a claim, by default a new one, that is as the request needs it. */
export const enter = async (
  doors: Doors,
  door: Door,
  as: string | null,
  given?: number,
): Promise<Reply> => {
  const id = given ?? (await doors.newClaim())
  const request = await requestOf(doors, door, id)
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
