/** A user's own tasks over HTTP: the list, the counters and the calendar feed. */
import type { Caller, Person } from '../auth/caller.ts'
import { takeWithinBudget, withinBudget } from '../database/answer-budget.ts'
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import {
  anyOf,
  bigint,
  int,
  join,
  notDeleted,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
  timestamp,
} from '../database/sql.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { apiError } from '../errors.ts'
import { endpoint, openEndpoint } from '../http/endpoint/endpoint.ts'
import { dataText } from '../http/endpoint/mount-path.ts'
import {
  maxRecordId,
  oneOf,
  type Parameter,
  pageOf,
  pageParameters,
  text as textParameter,
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
import { compileScope } from '../query/compile-scope.ts'
import type { Page } from '../query/select-plan.ts'
import { closeFeed, feedOpenedAt, findFeedOwner, openFeed, printCalendar } from './calendar.ts'
import { printedFor, taskBytes } from './list-tasks.ts'
import {
  createTaskContext,
  knownEntity,
  showsOfTask,
  type TaskContext,
  type TaskDeps,
} from './task-deps.ts'
import { type SeenTask, taskOrder, taskUnderRecord } from './task-json.ts'

export type OwnTaskDeps = TaskDeps & {
  readonly projectName: string
  /** The public address of the service; a free port is known only after the start. */
  readonly addressAt: (port: number | undefined) => string
}

const tag = 'Tasks'

const statuses = ['open', 'overdue', 'today', 'upcoming', 'completed'] as const
type TaskStatus = (typeof statuses)[number]

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
  entity: textParameter("Only tasks of this entity's records."),
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
    query: {
      key: textParameter('The key of the address that was created for you.', { isRequired: true }),
    },
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

type OwnTaskQuery = {
  readonly assignee: number
  readonly status: TaskStatus | undefined
  /** Only tasks of this entity's records. */
  readonly entity: Entity | undefined
  /** The zone of the current day. */
  readonly timeZone: string
}

/**
 * One page of the tasks as JSON texts, earliest due date first; another user's tasks only as far as the
 * caller may see them.
 */
const listOwnTasks = async (
  database: Queryable,
  context: TaskContext,
  query: OwnTaskQuery,
  page: Page,
): Promise<string[]> => {
  const { printed, seen } = printedFor(context, (person) => withinRights(context, person))
  const { json, joins } = printed
  const status = query.status
    ? sql` AND ${statusCondition(query.status, dayIn(query.timeZone), seen)}`
    : nothing
  const select = sql`
    SELECT ${raw(withinBudget(json, taskBytes(context)))} AS json
    FROM (
      SELECT t.*
      FROM ${tasksOf(context, query)}${status}
      ORDER BY ${taskOrder(seen)}
      LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}
    ) t${joins}
    ORDER BY ${taskOrder(seen)}`
  const rows = await queryRows<{ json: string | null }>(database, select)
  return rows.map(({ json }) => takeWithinBudget(json))
}

const countOwnTasks = async (
  database: Queryable,
  context: TaskContext,
  query: Omit<OwnTaskQuery, 'status'>,
): Promise<Record<TaskStatus, number>> => {
  // One day for all of them, also at midnight.
  const day = dayIn(query.timeZone)
  const { seen } = printedFor(context, (person) => withinRights(context, person))
  const counts = statuses.map(
    (status) =>
      sql`count(*) FILTER (WHERE ${statusCondition(status, day, seen)}) AS ${ref(status)}`,
  )
  const select = sql`SELECT ${join(counts, ', ')} FROM ${tasksOf(context, query)}`
  const row = await queryRow<Record<TaskStatus, number>>(database, select)
  return row ?? { open: 0, overdue: 0, today: 0, upcoming: 0, completed: 0 }
}

/** `FROM` and conditions of the tasks of a user that the caller may see, under alias `t`. */
const tasksOf = (context: TaskContext, { assignee, entity }: Omit<OwnTaskQuery, 'status'>): Sql => {
  const conditions = [
    sql`t.assigne_id = ${int(assignee)}`,
    notDeleted('t'),
    ...(entity ? [sql`t.key = ${text(entity.key)}`] : []),
    // Callers see the tasks assigned to them, whatever their role.
    ...(assignee === context.caller.userId ? [] : [withinRights(context, context.caller)]),
  ]
  return sql`${table('task')} t WHERE ${join(conditions, ' AND ')}`
}

/** Tasks of records that a user may read and whose tasks the permission covers. */
const withinRights = ({ deps }: TaskContext, person: Person): Sql => {
  const reaches = [...deps.catalog.entities.values()].flatMap((entity) => {
    const scope = deps.permissions.scopeOf(person, 'tasks', entity)
    const readScope = deps.permissions.scopeOf(person, 'read', entity)
    if (scope === 'none' || readScope === 'none') return []
    const isEntity = sql`t.key = ${text(entity.key)}`
    if (scope === 'all' && readScope === 'all') return [isEntity]
    const inReach = [scope, readScope].map((one) => compileScope(one, entity.hasOwner, 'r'))
    return [
      sql`(${isEntity} AND EXISTS (
        SELECT FROM ${table(entity)} r
        WHERE r.id = t.entity_id AND ${join(inReach, ' AND ')}
      ))`,
    ]
  })
  return anyOf(reaches)
}

type Day = { readonly start: Sql; readonly end: Sql }

const statusCondition = (
  status: TaskStatus,
  { start, end }: Day,
  { due, isCompleted }: SeenTask,
): Sql => {
  const open = sql`NOT ${isCompleted}`
  switch (status) {
    case 'open':
      return open
    case 'overdue':
      return sql`${open} AND ${due} < now()`
    case 'today':
      return sql`${open} AND ${due} >= ${start} AND ${due} < ${end}`
    case 'upcoming':
      return sql`${open} AND ${due} >= ${end}`
    case 'completed':
      return isCompleted
  }
}

const dayIn = (timeZone: string): Day => {
  const { start, end } = dayOf(Temporal.Now.instant(), timeZone)
  return { start: timestamp(start), end: timestamp(end) }
}

/** The day of a time in a zone, 23 to 25 hours from its own midnight to the next, as ISO 8601. */
export const dayOf = (
  moment: Temporal.Instant,
  timeZone: string,
): { readonly start: string; readonly end: string } => {
  const date = moment.toZonedDateTimeISO(timeZone).toPlainDate()
  // If the clock is put forward at midnight, the day begins later.
  const begin = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).toInstant().toString()
  return { start: begin(date), end: begin(date.add({ days: 1 })) }
}
