/** The paths of stored notifications (docs/notifications.md), each for the caller's own only. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from '../../database/pool.ts'
import { callerOf } from '../../http/caller-of.ts'
import { oneOf, readQuery, wholeNumber } from '../../http/query-parameters.ts'
import type { Routes } from '../../http/server.ts'
import { countNotifications } from './count-notifications.ts'
import { listNotifications, sortFields } from './list-notifications.ts'
import { markNotifications } from './mark-notifications.ts'
import { readMarkRequest } from './mark-notifications-body.ts'
import { recordOf, statuses } from './notification.ts'
import { readLanguage } from './notification-due-date.ts'

// Decisions, "Paging" and "Stored notifications".
const listReaders = {
  status: oneOf(...statuses),
  sortField: oneOf(...sortFields),
  sortOrder: (text: string) => oneOf('desc', 'asc')(text.toLowerCase()),
  limit: wholeNumber(1, 1000),
  skip: wholeNumber(0, 1_000_000_000),
}

type NotificationDeps = {
  readonly pool: Pool
  /** Zone of a time without an offset. */
  readonly timeZone: string
  /** Language of callers who ask for none that exists. */
  readonly locale: string
}

/** Mounts list, count and mark. */
export const notificationRoutes =
  (deps: NotificationDeps): Routes =>
  (server) => {
    server.get('/api/notifications', (request, reply) => list(deps, request, reply))
    server.get('/api/notifications/count', async (request) => {
      const { userId } = callerOf(request)
      const { status = 'all' } = readQuery(request.query, { status: oneOf(...statuses) })
      return { count: await countNotifications(deps.pool, userId, status) }
    })
    server.put('/api/notifications/mark', async (request) => {
      const { userId } = callerOf(request)
      readQuery(request.query, {})
      const wish = readMarkRequest(request.body, deps.timeZone)
      return { count: await markNotifications(deps.pool, userId, wish) }
    })
  }

const list = async (deps: NotificationDeps, request: FastifyRequest, reply: FastifyReply) => {
  const { userId } = callerOf(request)
  const query = readQuery(request.query, listReaders)
  const { status = 'all', sortField = 'timestamp', sortOrder = 'desc' } = query
  const { limit = 20, skip = 0 } = query
  const wish = { userId, status, sortField, sortOrder, limit, skip }
  const rows = await listNotifications(deps.pool, wish)
  const language = readLanguage(request.headers['accept-language'], deps.locale)
  reply.header('Vary', 'Accept-Language')
  return rows.map((row) => recordOf(row, language))
}
