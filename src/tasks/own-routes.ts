/** The paths of a person's own work: the list, the counters and the calendar feed. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { getEntity } from '../definitions/catalog.ts'
import { fault } from '../errors.ts'
import { oneOf, readId, readQuery, timeZoneName, words } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { pageOf, pageReaders } from '../records/record-request.ts'
import { printCalendar } from './calendar.ts'
import { closeFeed, findFeedOwner, openFeed } from './calendar-feed.ts'
import { countOwnTasks, listOwnTasks, statuses } from './own-tasks.ts'
import { type TaskParts, taskWorkOf } from './task-parts.ts'

type OwnParts = TaskParts & { readonly projectName: string }

const whose = { assignee: words, entity: words, timeZone: timeZoneName }

/** Mounts /api/tasks, its count, and the calendar feed with what opens and ends it. */
export const ownTaskRoutes =
  (parts: OwnParts): Routes =>
  (server) => {
    server.get('/api/tasks', async (request, reply) => {
      const caller = await parts.authenticate(request)
      const query = readQuery(request.query, {
        ...whose,
        ...pageReaders,
        status: oneOf(...statuses),
      })
      const { work, wish } = wishOf(parts, caller, query)
      const { status = 'open' } = query
      const tasks = await listOwnTasks(parts.pool, work, { ...wish, status }, pageOf(query))
      return reply.type('application/json; charset=utf-8').send(`{"data":[${tasks.join(',')}]}`)
    })
    server.get('/api/tasks/count', async (request) => {
      const caller = await parts.authenticate(request)
      const { work, wish } = wishOf(parts, caller, readQuery(request.query, whose))
      return countOwnTasks(parts.pool, work, wish)
    })
    server.post('/api/tasks/calendar', async (request, reply) => {
      const { userId } = await parts.authenticate(request)
      readQuery(request.query, {})
      const key = await openFeed(parts.pool, userId)
      const { protocol, host } = request
      const url = `${protocol}://${host}${parts.basePath}/api/tasks/calendar.ics?key=${key}`
      return reply.status(201).header('Cache-Control', 'no-store').send({ url })
    })
    server.delete('/api/tasks/calendar', async (request, reply) => {
      const { userId } = await parts.authenticate(request)
      readQuery(request.query, {})
      await closeFeed(parts.pool, userId)
      return reply.status(204).send()
    })
    server.get('/api/tasks/calendar.ics', (request, reply) => calendar(parts, request, reply))
  }

type Whose = { readonly [K in keyof typeof whose]: string | undefined }

const wishOf = (parts: OwnParts, caller: Caller, query: Whose) => {
  const { assignee = 'me', entity, timeZone = parts.timeZone } = query
  // An id that no user can have is a user without tasks.
  const id = assignee === 'me' ? caller.userId : (readId(assignee, 'assignee') ?? 0)
  const only = entity === undefined ? undefined : getEntity(parts.catalog, entity)
  const work = taskWorkOf(parts, caller, getEntity(parts.catalog, 'task'))
  return { work, wish: { assignee: id, entity: only, timeZone } }
}

/** Calendar programs send no token: the key in the address is the only proof they can give. */
const calendar = async (parts: OwnParts, request: FastifyRequest, reply: FastifyReply) => {
  const { key } = readQuery(request.query, { key: words })
  const owner = key === undefined ? undefined : await findFeedOwner(parts.pool, key)
  if (!owner) throw fault('task.feed-unknown', 'No calendar feed has this key.')
  const text = await printCalendar(parts.pool, owner, parts.projectName)
  return reply
    .type('text/calendar; charset=utf-8')
    .header('Content-Disposition', 'inline; filename="tasks.ics"')
    .header('Cache-Control', 'private, no-cache')
    .send(text)
}
