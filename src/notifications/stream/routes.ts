/** GET /api/notifications/stream: pushes the caller's notifications as any process stores them. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../auth/caller.ts'
import type { Pool } from '../../database/pool.ts'
import { parseTimestamp } from '../../definitions/values/timestamps.ts'
import { apiError, validationError } from '../../errors.ts'
import { callerOf } from '../../http/caller-of.ts'
import { readQuery, words } from '../../http/query-parameters.ts'
import type { Routes } from '../../http/server.ts'
import { readLanguage } from '../inbox/notification-due-date.ts'
import { openStream } from './stream.ts'
import { findLastMoment } from './stream-updates.ts'
import type { NotificationWatch } from './watch-notifications.ts'

type StreamDeps = {
  readonly pool: Pool
  /** Asked again while a stream is open: its token may expire, its key be revoked. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  /** Language of callers who ask for none that exists. */
  readonly locale: string
  readonly watch: NotificationWatch
}

// Each open stream costs memory.
const maxStreams = 50

/** Mounts the stream. */
export const streamRoutes =
  (deps: StreamDeps): Routes =>
  (server) => {
    // Without HEAD: it would be a stream that nobody reads.
    server.get('/api/notifications/stream', { exposeHeadRoute: false }, (request, reply) =>
      sendStream(deps, request, reply),
    )
    server.addHook('preClose', async () => deps.watch.endStreams())
  }

/** Answers with a stream that stays open. */
const sendStream = async (deps: StreamDeps, request: FastifyRequest, reply: FastifyReply) => {
  const { watch, pool, locale } = deps
  const { userId } = callerOf(request)
  const { lastEventId } = readQuery(request.query, { lastEventId: words })
  const after = readEventId(request.headers['last-event-id'], lastEventId)
  if (after !== undefined && after > (await findLastMoment(pool, userId)))
    throw wrongId('is later than your latest notification')
  if (watch.countOf(userId) >= maxStreams)
    throw apiError('request.saturated', `You have ${maxStreams} streams open here.`, {
      headers: { 'Retry-After': '30' },
    })
  const { raw: response } = reply.hijack()
  response.writeHead(200, { ...reply.getHeaders(), ...streamHeaders } as Record<string, string>)
  const stream = openStream({
    response,
    userId,
    language: readLanguage(request.headers['accept-language'], locale),
    after,
    authenticate: () => deps.authenticate(request),
    onReady: () => watch.look(userId),
    onEnd: watch.remove,
  })
  watch.add(stream)
}

const streamHeaders = {
  'Content-Type': 'text/event-stream',
  // The connection ends with the stream, so that a service that stops need not wait for it.
  Connection: 'close',
  'Cache-Control': 'no-store, no-transform',
  // nginx would hold events back until it has a buffer full of them.
  'X-Accel-Buffering': 'no',
}

/** The header, which a client keeps up to date, wins over the address, which it does not. */
const readEventId = (
  header: string | string[] | undefined,
  parameter: string | undefined,
): string | undefined => {
  const text = header ?? parameter
  if (text === undefined) return undefined
  const moment = /^\S+Z$/.test(String(text)) ? parseTimestamp(String(text), 'UTC') : undefined
  if (moment === undefined)
    throw wrongId('must be the id of an event, such as 2026-05-04T08:30:00.000Z')
  return moment
}

const wrongId = (message: string) =>
  validationError('request.invalid', [{ path: 'Last-Event-ID', message }])
