/** A user's tasks of all entities: lists by status, and all counters in one response. */
import type { Person } from '../auth/caller.ts'
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
import type { Entity } from '../definitions/catalog.ts'
import { compileScope } from '../query/compile-scope.ts'
import type { Page } from '../query/select-plan.ts'
import { printedFor, taskBytes } from './list-tasks.ts'
import type { TaskContext } from './task-deps.ts'
import { type SeenTask, taskOrder } from './task-json.ts'

export const statuses = ['open', 'overdue', 'today', 'upcoming', 'completed'] as const
type TaskStatus = (typeof statuses)[number]

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
export const listOwnTasks = async (
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

export const countOwnTasks = async (
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
