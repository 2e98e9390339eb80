/** The paths of a person's own work: the list, the counters and the calendar feed. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../auth/caller.ts'
import { getEntity } from '../../definitions/catalog.ts'
import { apiError } from '../../errors.ts'
import { callerOf, openPath } from '../../http/caller-of.ts'
import { oneOf, readId, readQuery, timeZoneName, words } from '../../http/query-parameters.ts'
import type { Routes } from '../../http/server.ts'
import { pageOf, pageReaders } from '../../records/record-request.ts'
import { type TaskDeps, taskWorkOf } from '../task-parts.ts'
import { printCalendar } from './calendar.ts'
import { closeFeed, findFeedOwner, openFeed } from './calendar-feed.ts'
import { knownEntity } from './known-entity.ts'
import { countOwnTasks, listOwnTasks, statuses } from './own-tasks.ts'

type OwnDeps = TaskDeps & {
  readonly projectName: string
  /** Address of the service as people reach it; a port that was free has a number only here. */
  readonly publicUrl: (port: number | undefined) => string
}

const whose = { assignee: words, entity: words, timeZone: timeZoneName }

/** Mounts /api/tasks, its count, and the calendar feed with what opens and ends it. */
export const ownTaskRoutes =
  (deps: OwnDeps): Routes =>
  (server) => {
    server.get('/api/tasks', async (request, reply) => {
      const caller = callerOf(request)
      const query = readQuery(request.query, {
        ...whose,
        ...pageReaders,
        status: oneOf(...statuses),
      })
      const { work, wish } = await wishOf(deps, caller, query)
      const { status = 'open' } = query
      const tasks = await listOwnTasks(deps.pool, work, { ...wish, status }, pageOf(query))
      return reply.type('application/json; charset=utf-8').send(`{"data":[${tasks.join(',')}]}`)
    })
    server.get('/api/tasks/count', async (request) => {
      const caller = callerOf(request)
      const { work, wish } = await wishOf(deps, caller, readQuery(request.query, whose))
      return countOwnTasks(deps.pool, work, wish)
    })
    server.post('/api/tasks/calendar', async (request, reply) => {
      const { userId } = callerOf(request)
      readQuery(request.query, {})
      const key = await openFeed(deps.pool, userId)
      const url = `${deps.publicUrl(request.socket.localPort)}/api/tasks/calendar.ics?key=${key}`
      return reply.status(201).header('Cache-Control', 'no-store').send({ url })
    })
    server.delete('/api/tasks/calendar', async (request, reply) => {
      const { userId } = callerOf(request)
      readQuery(request.query, {})
      await closeFeed(deps.pool, userId)
      return reply.status(204).send()
    })
    server.get('/api/tasks/calendar.ics', openPath, (request, reply) =>
      calendar(deps, request, reply),
    )
  }

type Whose = { readonly [K in keyof typeof whose]: string | undefined }

const wishOf = async (deps: OwnDeps, caller: Caller, query: Whose) => {
  const { assignee = 'me', entity, timeZone = deps.timeZone } = query
  // An id that no user can have is a user without tasks.
  const id = assignee === 'me' ? caller.userId : (readId(assignee, 'assignee') ?? 0)
  const only = entity === undefined ? undefined : await knownEntity(deps, caller, entity)
  const work = taskWorkOf(deps, caller, getEntity(deps.catalog, 'task'))
  return { work, wish: { assignee: id, entity: only, timeZone } }
}

/** Calendar programs send no token: the key in the address is the only proof they can give. */
const calendar = async (deps: OwnDeps, request: FastifyRequest, reply: FastifyReply) => {
  const { key } = readQuery(request.query, { key: words })
  const owner = key === undefined ? undefined : await findFeedOwner(deps.pool, key)
  if (!owner) throw apiError('task.feed-unknown', 'No calendar feed has this key.')
  const text = await printCalendar(deps.pool, owner, deps.projectName)
  return reply
    .type('text/calendar; charset=utf-8')
    .header('Content-Disposition', 'inline; filename="tasks.ics"')
    .header('Cache-Control', 'private, no-cache')
    .send(text)
}
