/** GET /api/notifications/stream: pushes the caller's notifications, whichever process stores them. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../auth/caller.ts'
import type { Permissions } from '../../auth/permissions.ts'
import type { Pool } from '../../database/pool.ts'
import { parseTimestamp } from '../../definitions/values/timestamps.ts'
import { apiError, validationError } from '../../errors.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { acceptLanguage } from '../../http/endpoint/header-parameters.ts'
import { type Parameter, text } from '../../http/endpoint/parameters.ts'
import { media } from '../../http/openapi/operation.ts'
import { readLanguage, type Wording } from '../notification-due-date.ts'
import { openStream, type Stream } from './stream.ts'
import { findLastMoment } from './stream-updates.ts'
import type { ChangeWatch } from './watch-changes.ts'
import type { NotificationWatch } from './watch-notifications.ts'
import { countsParameter, toWatchRequest, watchParameter } from './watch-request.ts'

export type StreamDeps = {
  readonly pool: Pool
  /** Checked again while a stream is open: its token may expire, its key be revoked. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  /** The language if the caller requests none that is available. */
  readonly locale: string
  /** The zone in which days begin. */
  readonly timeZone: string
  readonly watch: NotificationWatch
  readonly changeWatch: ChangeWatch
  readonly permissions: Permissions
}

// Each open stream costs memory.
const maxStreams = 50

const lastEventId: Parameter<string> = {
  description:
    'Resume after this event: the id of the last event that you received, or the `timestamp` of the latest notification that you have. Without it the stream begins with the next notification.',
  schema: { type: 'string', format: 'date-time' },
  absent: undefined,
  read: (given) => given,
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
    'Server-sent events. `notification`: the record, as in the list. `count`: `{ "unseen": n }`, at the start and after every change. A comment every 25 seconds shows that the stream is alive. It ends when your access ends and when the service stops: open it again with `Last-Event-ID`, and nothing is lost or sent twice. With `watch`, `record`: `{ "entity", "id", "version", "by" }`, with `"created": true` if it is new, or `{ "entity", "id", "gone": true }` when you may no longer read it; with `counts`, `approvals` and `tasks`. They have no id; `reset` says that some may not have been sent.',
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
    const { watch, pool } = deps
    const { userId } = caller
    // A client updates the header when it reconnects, but not the URL.
    const after = readEventId(headers.lastEventId ?? query.lastEventId)
    if (after !== undefined && after > (await findLastMoment(pool, userId)))
      throw wrongId('is later than your latest notification')
    if (watch.countOf(userId) >= maxStreams)
      throw apiError('request.saturated', `You have ${maxStreams} streams open here.`, {
        headers: { 'Retry-After': '30' },
      })
    const watching = toWatchRequest(deps.permissions, caller, query)
    // Before the answer begins: the client reads records when the stream is open.
    if (watching) await deps.changeWatch.start()
    const language = readLanguage(headers.acceptLanguage, deps.locale)
    const wording = { language, timeZone: deps.timeZone }
    const stream = startStream(deps, { userId, after, wording, request, reply })
    if (watching)
      deps.changeWatch.add({
        stream,
        request: watching,
        roleKey: caller.roleKey,
        hasMissed: after !== undefined,
      })
    // A client that has already left sends no further close event.
    if (request.raw.socket.destroyed) endStream(deps, stream)
    return reply
  },
})

type Start = {
  readonly userId: number
  readonly after: string | undefined
  readonly wording: Wording
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Answers with a stream that stays open. */
const startStream = (
  deps: StreamDeps,
  { userId, after, wording, request, reply }: Start,
): Stream => {
  const { watch, authenticate } = deps
  const { raw: response } = reply.hijack()
  response.writeHead(200, { ...reply.getHeaders(), ...streamHeaders } as Record<string, string>)
  const stream = openStream({
    response,
    userId,
    wording,
    after,
    authenticate: () => authenticate(request),
    onReady: () => watch.look(userId),
    onEnd: (ended) => endStream(deps, ended),
  })
  watch.add(stream)
  return stream
}

const endStream = ({ watch, changeWatch }: StreamDeps, stream: Stream): void => {
  watch.remove(stream)
  changeWatch.remove(stream)
}

const streamHeaders = {
  'Content-Type': 'text/event-stream',
  // The connection is closed with the stream, so that a stopping service need not wait for it.
  Connection: 'close',
  'Cache-Control': 'no-store, no-transform',
  // nginx would buffer events.
  'X-Accel-Buffering': 'no',
}

const readEventId = (given: string | undefined): string | undefined => {
  if (given === undefined) return undefined
  const moment = /^\S+Z$/.test(given) ? parseTimestamp(given, 'UTC') : undefined
  if (moment === undefined)
    throw wrongId('must be the id of an event, such as 2026-05-04T08:30:00.000Z')
  return moment
}

const wrongId = (message: string) =>
  validationError('request.invalid', [{ path: 'Last-Event-ID', message }])
