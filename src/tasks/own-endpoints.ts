/** A user's own tasks over HTTP: the list, the counters and the calendar feed. */
import type { Caller } from '../auth/caller.ts'
import { getEntity } from '../definitions/catalog.ts'
import { apiError } from '../errors.ts'
import { endpoint, openEndpoint } from '../http/endpoint/endpoint.ts'
import { dataText } from '../http/endpoint/mount-path.ts'
import {
  maxRecordId,
  oneOf,
  type Parameter,
  pageOf,
  pageParameters,
  text,
  timeZone,
  type Values,
} from '../http/endpoint/parameters.ts'
import {
  component,
  count,
  dataOf,
  empty,
  json,
  media,
  objectOf,
  schemasBy,
  type ValueOf,
} from '../http/openapi/operation.ts'
import { closeFeed, feedOpenedAt, findFeedOwner, openFeed, printCalendar } from './calendar.ts'
import { countOwnTasks, listOwnTasks, statuses } from './own-tasks.ts'
import { createTaskContext, knownEntity, showsOfTask, type TaskDeps } from './task-deps.ts'
import { taskUnderRecord } from './task-json.ts'

export type OwnTaskDeps = TaskDeps & {
  readonly projectName: string
  /** The public address of the service; a free port is known only after the start. */
  readonly addressAt: (port: number | undefined) => string
}

const tag = 'Tasks'

// An id that no user can have is a user without tasks.
const assignee: Parameter<number | 'me', 'me'> = {
  description: '`me`, or the id of a user: then within your permissions.',
  schema: { anyOf: [{ const: 'me' }, { type: 'integer', minimum: 1 }], default: 'me' },
  absent: 'me',
  read: (given) => {
    if (given === 'me') return 'me'
    if (!/^[1-9]\d*$/.test(given)) return { issue: 'must be me or the id of a user' }
    return Number(given) <= maxRecordId ? Number(given) : 0
  },
}

const whose = {
  assignee,
  entity: text("Only tasks of this entity's records."),
  timeZone: timeZone('Whose day today is; else the zone of the service.'),
}

const taskCount = component('TaskCount', objectOf(schemasBy(statuses, count)))
export type TaskCount = ValueOf<typeof taskCount>

const requestOf = async (deps: OwnTaskDeps, caller: Caller, query: Values<typeof whose>) => {
  const entity =
    query.entity === undefined ? undefined : await knownEntity(deps, caller, query.entity)
  return {
    context: createTaskContext(deps, caller, getEntity(deps.catalog, 'task')),
    wanted: {
      assignee: query.assignee === 'me' ? caller.userId : query.assignee,
      entity,
      timeZone: query.timeZone ?? deps.timeZone,
    },
  }
}

/** /api/tasks, its count, and the calendar feed with its creation and removal. */
export const ownTaskEndpoints = [
  endpoint({
    tag,
    who: 'caller',
    method: 'get',
    path: '/api/tasks',
    id: 'listOwnTasks',
    summary: "A user's tasks of all entities",
    query: {
      ...whose,
      status: oneOf(statuses, {
        description:
          'overdue: due before now; today: due on this day, also earlier; upcoming: due on a later day.',
        default: 'open',
      }),
      ...pageParameters,
    },
    errors: ['entity.unknown', 'answer.too-large'],
    answers: { 200: json('Soonest due first.', dataOf(taskUnderRecord)) },
    handle: async ({ caller, query }, deps: OwnTaskDeps) => {
      const { context, wanted } = await requestOf(deps, caller, query)
      const { status } = query
      const [own, page] = [{ ...wanted, status }, pageOf(query)]
      return dataText(await deps.read((pool) => listOwnTasks(pool, context, own, page)))
    },
  }),
  endpoint({
    tag,
    who: 'caller',
    method: 'get',
    path: '/api/tasks/count',
    id: 'countOwnTasks',
    summary: 'The number of tasks by status',
    query: whose,
    errors: ['entity.unknown'],
    answers: { 200: json('All counters.', taskCount) },
    handle: async ({ caller, query }, deps: OwnTaskDeps) => {
      const { context, wanted } = await requestOf(deps, caller, query)
      return deps.read((pool) => countOwnTasks(pool, context, wanted))
    },
  }),
  endpoint({
    tag,
    who: 'caller',
    method: 'get',
    path: '/api/tasks/calendar',
    id: 'getCalendarFeed',
    summary: 'Since when you have a calendar feed',
    answers: {
      200: json(
        'Its address is not told again.',
        objectOf({
          created_at: {
            type: ['string', 'null'],
            format: 'date-time',
            description: 'Null: you have none.',
          },
        }),
      ),
    },
    handle: async ({ caller }, { pool }: OwnTaskDeps) => ({
      created_at: await feedOpenedAt(pool, caller.userId),
    }),
  }),
  endpoint({
    tag,
    who: 'caller',
    method: 'post',
    path: '/api/tasks/calendar',
    id: 'openCalendarFeed',
    summary: 'Make the address of your calendar feed',
    description: 'For a calendar program to subscribe to. An earlier address becomes invalid.',
    answers: {
      201: json(
        'The address, shown this once; who has it sees your open tasks.',
        objectOf({ url: { type: 'string', format: 'uri' } }),
      ),
    },
    handle: async ({ caller, request, reply }, deps: OwnTaskDeps) => {
      const key = await openFeed(deps.pool, caller.userId)
      reply.status(201).header('Cache-Control', 'no-store')
      return {
        url: `${deps.addressAt(request.socket.localPort)}/api/tasks/calendar.ics?key=${key}`,
      }
    },
  }),
  endpoint({
    tag,
    who: 'caller',
    method: 'delete',
    path: '/api/tasks/calendar',
    id: 'closeCalendarFeed',
    summary: 'End your calendar feed',
    answers: { 204: empty('Removed, or there was none.') },
    handle: ({ caller }, deps: OwnTaskDeps) => closeFeed(deps.pool, caller.userId),
  }),
  openEndpoint({
    tag,
    method: 'get',
    path: '/api/tasks/calendar.ics',
    id: 'calendarFeed',
    summary: 'Open tasks with a due date as iCalendar',
    // Calendar programs send no token: the key in the URL is the only credential.
    query: { key: text('The key of the address that was created for you.', { isRequired: true }) },
    errors: ['task.feed-unknown'],
    answers: { 200: media('RFC 5545.', 'text/calendar') },
    handle: async ({ query: { key }, reply }, deps: OwnTaskDeps) => {
      const owner = key === undefined ? undefined : await findFeedOwner(deps.pool, key)
      if (!owner) throw apiError('task.feed-unknown', 'No calendar feed has this key.')
      const person = { userId: owner.id, roleKey: owner.role_key }
      const shows = (field: string) => showsOfTask(deps, person, field)
      return reply
        .type('text/calendar; charset=utf-8')
        .header('Content-Disposition', 'inline; filename="tasks.ics"')
        .header('Cache-Control', 'private, no-cache')
        .send(await printCalendar(deps, owner, shows))
    },
  }),
]
