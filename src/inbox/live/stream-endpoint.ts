/** GET /api/notifications/stream: pushes the caller's notifications, whichever process stores them. */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../auth/caller.ts'
import type { Permissions } from '../../auth/permissions.ts'
import type { Pool } from '../../database/pool.ts'
import { parseTimestamp } from '../../definitions/values/timestamps.ts'
import { apiError, validationError } from '../../errors.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import {
  acceptLanguage,
  maxRecordId,
  type Parameter,
  text,
} from '../../http/endpoint/parameters.ts'
import { media } from '../../http/openapi/operation.ts'
import { readLanguage } from '../relative-time.ts'
import type { LiveHub } from './hub.ts'
import { findLastMoment } from './notification-updates.ts'
import { openStream } from './stream.ts'
import {
  type WatchedCount,
  type WatchedRecords,
  type WatchRequest,
  watchedCounts,
} from './watched-events.ts'

export type StreamDeps = {
  readonly pool: Pool
  /** Checked again while a stream is open: its token may expire, its key be revoked. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  /** The language if the caller requests none that is available. */
  readonly locale: string
  /** The zone in which days begin. */
  readonly timeZone: string
  readonly live: LiveHub
  readonly permissions: Permissions
}

// Each open stream costs memory.
const maxStreams = 50

const lastEventId: Parameter<string> = {
  description:
    'Resume after this event: the id of the last event that you received, or the `timestamp` of the latest notification that you have. Without it the stream begins with the next notification.',
  schema: { type: 'string', format: 'date-time' },
  absent: undefined,
  read: (text) => text,
}

const maxWatched = 20

const watchParameter: Parameter<readonly WatchedRecords[], readonly WatchedRecords[]> = {
  description: `Also sends \`record\` events: for all records of an entity (\`purchase_order\`) or for one (\`purchase_order/12\`, or \`purchase_order/12:3\` with the version that you have read: if it is another one by now, its event comes at once); at most ${maxWatched}, separated by commas.`,
  schema: {
    type: 'array',
    maxItems: maxWatched,
    items: { type: 'string', pattern: '^[a-z][a-z0-9_]*(/[1-9][0-9]*(:[1-9][0-9]*)?)?$' },
  },
  absent: [],
  isList: true,
  read: (text) => {
    // Each once, because the changes are compared with each of them.
    const names = [...new Set(text.split(','))]
    if (names.length > maxWatched) return { issue: `may have at most ${maxWatched} names` }
    const records = names.map((name) => watchedName.exec(name))
    const watched = records.flatMap((found) =>
      found?.[1] === undefined
        ? []
        : [{ entityKey: found[1], id: numberOf(found[2]), version: numberOf(found[3]) }],
    )
    const isValid =
      watched.length === names.length && watched.every(({ id = 1 }) => id <= maxRecordId)
    return isValid
      ? watched
      : {
          issue:
            'must be keys of entities, <key>/<id> or <key>/<id>:<version>, separated by commas',
        }
  },
}

const watchedName = /^([a-z][a-z0-9_]{0,62})(?:\/([1-9]\d{0,9})(?::([1-9]\d{0,9}))?)?$/

const numberOf = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))

const countsParameter: Parameter<readonly WatchedCount[], readonly WatchedCount[]> = {
  description:
    'Also sends an event `approvals` or `tasks` when the number of your approvals or of your tasks may have changed.',
  schema: { type: 'array', items: { type: 'string', enum: [...watchedCounts] } },
  absent: [],
  isList: true,
  read: (text) => {
    const names = text.split(',', watchedCounts.length + 1)
    const counts = watchedCounts.filter((count) => names.includes(count))
    return counts.length === names.length
      ? counts
      : { issue: `must be one or more of ${watchedCounts.join(', ')}, each once` }
  },
}

/** The stream. */
export const streamEndpoint = endpoint({
  tag: 'Notifications',
  who: 'caller',
  method: 'get',
  path: '/api/notifications/stream',
  id: 'streamNotifications',
  // For HEAD a stream would never be read.
  hasNoHead: true,
  summary: 'New notifications as they happen',
  description:
    'Server-sent events. `notification`: the record, as in the list. `count`: `{ "unseen": n }`, at the start and after every change. A comment every 25 seconds shows that the stream is alive. It ends when your access ends and when the service stops: open it again with `Last-Event-ID`, and nothing is lost or sent twice. With `watch`, `record`: `{ "entity", "id", "version", "by" }`, with `"created": true` if it is new, or `{ "entity", "id", "gone": true }` when you may no longer read it; of a single record, `part`: `{ "entity", "id", "part": "comment" }` when a comment on it has changed; with `counts`, `approvals` and `tasks`. They have no id; `reset` says that some may not have been sent.',
  headers: { lastEventId, acceptLanguage },
  query: {
    watch: watchParameter,
    counts: countsParameter,
    lastEventId: text('The same for clients that set no headers; the header wins.', {
      format: 'date-time',
    }),
  },
  errors: ['request.saturated', 'entity.unknown', 'caller.forbidden'],
  answers: {
    200: media('The stream.', 'text/event-stream', {
      examples: {
        start: { value: `id: 2026-05-04T08:30:00.000Z\nevent: count\ndata: {"unseen":1}\n\n` },
      },
    }),
  },
  handle: async ({ caller, query, headers, request, reply }, deps: StreamDeps) => {
    const { live, pool } = deps
    const { userId, roleKey } = caller
    // A client updates the header when it reconnects, but not the URL.
    const after = readEventId(headers.lastEventId ?? query.lastEventId)
    if (after !== undefined && after > (await findLastMoment(pool, userId)))
      throw wrongId('is later than your latest notification')
    if (live.countOf(userId) >= maxStreams)
      throw apiError('request.saturated', `You have ${maxStreams} streams open here.`, {
        headers: { 'Retry-After': '30' },
      })
    const watched = toWatchRequest(deps.permissions, caller, query)
    // Before the answer begins: the client reads records when the stream is open.
    if (watched) await live.startWatching()
    const language = readLanguage(headers.acceptLanguage, deps.locale)
    const { raw: response } = reply.hijack()
    response.writeHead(200, { ...reply.getHeaders(), ...streamHeaders } as Record<string, string>)
    const stream = openStream({
      response,
      userId,
      wording: { language, timeZone: deps.timeZone },
      after,
      authenticate: () => deps.authenticate(request),
      onReady: () => live.readSoon(userId),
      onEnd: live.remove,
    })
    const hasMissed = after !== undefined
    live.add(stream, watched && { request: watched, roleKey, hasMissed })
    // A client that has already left sends no further close event.
    if (request.raw.socket.destroyed) live.remove(stream)
    return reply
  },
})

const streamHeaders = {
  'Content-Type': 'text/event-stream',
  // The connection is closed with the stream, so that a stopping service need not wait for it.
  Connection: 'close',
  'Cache-Control': 'no-store, no-transform',
  // nginx would buffer events.
  'X-Accel-Buffering': 'no',
}

const readEventId = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const moment = /^\S+Z$/.test(text) ? parseTimestamp(text, 'UTC') : undefined
  if (moment === undefined)
    throw wrongId('must be the id of an event, such as 2026-05-04T08:30:00.000Z')
  return moment
}

const wrongId = (message: string) =>
  validationError('request.invalid', [{ path: 'Last-Event-ID', message }])

/** The request of a caller who may read these entities; throws an error 403 or 404. Undefined: no request. */
const toWatchRequest = (
  permissions: Permissions,
  caller: Caller,
  {
    watch,
    counts,
  }: { readonly watch: WatchRequest['records']; readonly counts: readonly WatchedCount[] },
): WatchRequest | undefined => {
  for (const { entityKey } of watch)
    permissions.permit(caller, 'read', permissions.entityFor(caller, entityKey))
  if (watch.length + counts.length === 0) return undefined
  return { records: watch, counts: new Set(counts) }
}
