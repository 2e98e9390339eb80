/**
 * A valid request for each path of the service that is not one of an entity: the tables of `test/service/doors/` ask for it as
 * each caller, and `asked-paths.ts` as users who may not read a record.
 */
import { noPasskey, noProof } from '../sessions/no-passkey.ts'

/** Everybody without a token, every known caller, or administrators. */
export type Who = 'everybody' | 'caller' | 'administrator'

/** What a request has besides the key of the entity and the id of the record. */
export type Sample = {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type RowOf<W, P, S = Sample> = {
  readonly door: string
  /** Tells apart the rows of one endpoint. */
  readonly what?: string
  readonly who: W
  readonly sample?: (place: P) => S
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

export type ServicePlace = {
  /** The record of the request. */
  readonly id: number
  /** The id of anything else, such as a delivery, which may not exist. */
  readonly other: number
}

type Row = RowOf<Who, ServicePlace>

const administration = (door: string, sample?: Row['sample'], status?: number): Row => ({
  door,
  who: 'administrator',
  shows: 'nothing',
  ...(sample && { sample }),
  ...(status !== undefined && { status }),
})

/** Of a delivery, a message or a job. */
const administrationOf = (door: string): Row =>
  administration(
    door,
    ({ other }) => ({
      params: {
        deliveryId: other,
        position: 1,
        name: 'none.eml',
        id: other,
        session: other,
        key: other,
      },
    }),
    404,
  )

const ownOf = (door: string, more: Partial<Row> = {}): Row => ({
  door,
  who: 'caller',
  shows: 'nothing',
  ...more,
})

const importOf = (door: string, status = 404): Row =>
  ownOf(door, { isByRights: true, status, sample: ({ other }) => ({ params: { id: other } }) })

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

/** Roles that neither create nor change anything, and take no action. */
const withoutWriting = [
  'nothing',
  ...['read', 'delete', 'export', 'tasks', 'takeownership', 'anonymise'].map(
    (one) => `only_${one}`,
  ),
]

const asked = { operation: 'takeOwnership' }

export const serviceRows: readonly Row[] = [
  importOf('GET /api/imports', 200),
  importOf('GET /api/imports/{id}'),
  importOf('GET /api/imports/{id}/faults'),
  importOf('GET /api/imports/{id}/rows'),
  {
    ...importOf('PATCH /api/imports/{id}/rows'),
    sample: ({ other }) => ({
      params: { id: other },
      body: { corrections: [{ row: 2, column: 'notes', text: 'Other' }] },
    }),
  },
  importOf('GET /api/imports/{id}/undo'),
  importOf('POST /api/imports/{id}/undo'),
  importOf('POST /api/imports/{id}/start'),
  importOf('POST /api/imports/{id}/stop'),
  importOf('DELETE /api/imports/{id}'),
  ownOf('POST /api/uploads', {
    isByRights: true,
    refused: Object.fromEntries(withoutWriting.map((role) => [role, 403])),
    sample: () => ({
      body: 'notes',
      headers: {
        'Content-Type': 'text/plain',
        'Content-Disposition': 'attachment; filename="notes.txt"',
      },
    }),
  }),
  ownOf('DELETE /api/uploads/{upload}', {
    isByRights: true,
    status: 404,
    sample: () => ({ params: { upload: 'up_none' } }),
  }),
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
  ownOf('PUT /api/notifications/snooze', { sample: body({ ids: ['none'], until: null }) }),
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
  administration('POST /api/deliveries/retry', ({ other }) => ({ body: { ids: [other] } })),
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
  administration(
    'POST /api/accounts/{id}/leave',
    ({ other }) => ({ params: { id: other }, body: {} }),
    404,
  ),
  administration('GET /api/refused-sign-ins'),
  // Users get their own too.
  administration('GET /api/people/{id}/data', () => ({ params: { id: 1 } })),
  administration('GET /api/invitations'),
  administration('POST /api/invitations', body({ user_id: 1 })),
  administrationOf('DELETE /api/invitations/{id}'),
  administration('GET /api/jobs'),
  administration('GET /api/jobs/count'),
  administration('POST /api/jobs/retry', ({ other }) => ({ body: { ids: [other] } })),
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
    sample: ({ other }) => ({ params: { id: other }, body: { name: 'none' } }),
    status: 404,
  }),
  ownOf('DELETE /console/-/passkeys/{id}', {
    sample: ({ other }) => ({ params: { id: other } }),
    status: 404,
  }),
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
    sample: ({ other }) => ({ params: { id: other } }),
    status: 404,
  }),
  ownOf('GET /console/-/keys'),
  ownOf('POST /console/-/keys', { sample: body({ name: 'none' }), status: 404 }),
  ownOf('DELETE /console/-/keys/{id}', {
    sample: ({ other }) => ({ params: { id: other } }),
    status: 404,
  }),
  ownOf('GET /console/-/settings.json'),
  ownOf('PATCH /console/-/settings.json', { sample: body({ colour: 'red' }) }),
]
