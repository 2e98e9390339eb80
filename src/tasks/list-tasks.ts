/** Lists the tasks of a record: its own and those linked to it, in parts of limited size. */
import type { Person } from '../auth/caller.ts'
import { type Pool, queryRow } from '../database/pool.ts'
import { currentRequest, RequestContext, runInRequest } from '../database/request-context.ts'
import { int, ints, notDeleted, raw, type Sql, sql, table, text } from '../database/sql.ts'
import { getEntity } from '../definitions/catalog.ts'
import { compileScope } from '../query/compile-scope.ts'
import { rowBytes } from '../query/select-budget.ts'
import { unknownRecord } from '../records/read-records.ts'
import { forbiddenTasks, type TaskContext } from './task-deps.ts'
import {
  linkCount,
  type PrintedTask,
  printTask,
  type SeenTask,
  seenTask,
  taskOrder,
} from './task-json.ts'

type Part = {
  /** The JSON of tasks, separated by commas. */
  readonly tasks: string
  /** Those that follow, in their order. */
  readonly rest: readonly number[]
  readonly isReadable: boolean
  readonly isFull: boolean
}

/**
 * The tasks as the text of one JSON array, soonest due first; a list of more than one part is read while it is
 * sent. Without permission on the record a caller sees the tasks assigned to them; if there are none, the
 * error is 403, or 404 if they may not read the record.
 */
export const listTasks = async (
  pool: Pool,
  context: TaskContext,
  id: number,
): Promise<string | AsyncIterable<string>> => {
  const request = currentRequest()
  const first = await readPart(pool, context, id)
  if (first.tasks === '' && !first.isFull)
    throw first.isReadable ? forbiddenTasks(context, id) : unknownRecord(context.entity, id)
  if (first.rest.length === 0) return `[${first.tasks}]`
  const readRest = async (rest: readonly number[]) => {
    // A client may read for longer than a request may take: each part has the time of a request.
    const apart = request && new RequestContext(request)
    const read = () => readPart(pool, context, id, rest)
    try {
      return await (apart ? runInRequest(apart, read) : read())
    } finally {
      apart?.finish()
    }
  }
  return inParts(first, readRest)
}

// Each task comes once, as it is when its part is read, whatever is written meanwhile.
async function* inParts(first: Part, readRest: (rest: Part['rest']) => Promise<Part>) {
  yield `[${first.tasks}`
  for (let { rest } = first; rest.length > 0; ) {
    const part = await readRest(rest)
    if (part.tasks !== '') yield `,${part.tasks}`
    rest = part.rest
  }
  yield ']'
}

/** Bytes of a part, besides its first task. */
const partBytes = 1024 * 1024

const readPart = async (
  pool: Pool,
  context: TaskContext,
  id: number,
  wanted?: readonly number[],
): Promise<Part> => {
  const { entity } = context
  const reach = reachOf(context)
  const { printed, seen } = printedFor(context, (person) => reachOf(context, person).isFull)
  const order = taskOrder({ due: sql`t.due_date` })
  const select = sql`
    SELECT ${reach.isReadable} AS is_readable, ${reach.isFull} AS is_full, listed.*
    FROM ${table(entity)} r
    CROSS JOIN LATERAL (
      SELECT string_agg(t.json, ',' ORDER BY ${order}) AS tasks,
        json_agg(t.id ORDER BY ${order}) FILTER (WHERE t.json IS NULL)::text AS rest
      FROM (
        SELECT t.id, ${seen.due} AS due_date, CASE WHEN ${isInPart(context)} THEN ${raw(printed.json)} END AS json
        FROM ${tasksOfRecord(context)}${printed.joins}
        WHERE (${reach.isFull} OR t.assigne_id = ${int(context.assignee)})
          ${wanted ? sql`AND t.id = ANY (${ints(wanted)})` : sql``}
        WINDOW earlier AS (ORDER BY ${taskOrder(seen)})
      ) t
    ) listed
    WHERE r.id = ${int(id)} AND ${notDeleted('r')}`
  const row = await queryRow<{
    is_readable: boolean
    is_full: boolean
    tasks: string | null
    rest: string | null
  }>(pool, select)
  if (!row) throw unknownRecord(entity, id)
  return {
    tasks: row.tasks ?? '',
    rest: JSON.parse(row.rest ?? '[]') as number[],
    isReadable: row.is_readable,
    isFull: row.is_full,
  }
}

/** SQL: the bytes of the texts of a task under alias `t`. */
export const taskBytes = ({ task }: TaskContext): string =>
  rowBytes(task.columns.map((column) => ({ alias: 't', column })))

// The first task always, so that every part has one. A task has its user and its links besides its texts.
const isInPart = (context: TaskContext): Sql => {
  const bytes = raw(`${taskBytes(context)} + 2000 + 100 * ${linkCount}`)
  return sql`(
    sum(${bytes}) OVER earlier <= ${int(partBytes)} OR row_number() OVER earlier = 1
  )`
}

/** Conditions on a record under alias `r`: may a user, or else the caller, read it, and write its tasks. */
export const reachOf = (
  { deps, caller, entity }: TaskContext,
  person: Person = caller,
): Record<'isReadable' | 'isFull', Sql> => {
  const inScope = (right: 'read' | 'tasks') =>
    compileScope(deps.permissions.scopeOf(person, right, entity), entity.hasOwner, 'r')
  const isReadable = inScope('read')
  return { isReadable, isFull: sql`(${isReadable} AND ${inScope('tasks')})` }
}

/** How the tasks are printed and what decides their order, given whether a user reaches the record of one. */
export const printedFor = (
  { deps, caller, task, rights }: TaskContext,
  reaches: (person: Person) => Sql,
): { readonly printed: PrintedTask; readonly seen: SeenTask } => {
  const user = getEntity(deps.catalog, 'user')
  const access = deps.permissions.accessOf(caller)
  const shown = { task, user, caller, access, rights, reaches }
  return { printed: printTask(shown), seen: seenTask(shown) }
}

/** Every task of the record under alias `r`, each once, as a row source named `t`. */
const tasksOfRecord = ({ entity }: TaskContext): Sql => {
  const key = text(entity.key)
  const tasks = table('task')
  return sql`(
    SELECT o.*
    FROM ${tasks} o
    WHERE o.key = ${key} AND o.entity_id = r.id AND ${notDeleted('o')}
    UNION ALL
    SELECT o.*
    FROM docket.task_link l
    JOIN ${tasks} o ON o.id = l.task_id
    WHERE l.key = ${key}
      AND l.entity_id = r.id
      AND ${notDeleted('o')}
      AND (o.key <> ${key} OR o.entity_id <> r.id)
  ) t`
}
