/** Lists the tasks of a record: its own and those linked to it, in one statement. */

import { takeWithinBudget, withinBudget } from '../database/answer-budget.ts'
import { queryRow } from '../database/pool.ts'
import { int, notDeleted, raw, type Sql, sql, table, text } from '../database/sql.ts'
import { getEntity } from '../definitions/catalog.ts'
import { compileScope } from '../query/compile-select.ts'
import { rowBytes } from '../query/select-budget.ts'
import { unknownRecord } from '../records/read-records.ts'
import { forbiddenTasks, type TaskContext } from './task-deps.ts'
import { taskJson, taskOrder, userJoin } from './task-json.ts'

/**
 * The tasks as one JSON array, soonest due first. Without permission on the record a caller sees the tasks
 * assigned to them; if there are none, the error is 403, or 404 if they may not read the record.
 */
export const listTasks = async (context: TaskContext, id: number): Promise<string> => {
  const { entity, deps } = context
  const reach = reachOf(context)
  const select = sql`
    SELECT ${reach.isReadable} AS is_readable, ${reach.isFull} AS is_full,
      (
        SELECT coalesce(
          string_agg(t.json, ',' ORDER BY ${taskOrder}),
          CASE WHEN count(*) > 0 THEN ${text(tooLarge)} END
        )
        FROM (
          SELECT t.id, t.due_date, ${raw(jsonWithinBudget(context))} AS json
          FROM ${tasksOfRecord(context)}${updaterJoin(context)}
          WHERE ${reach.isFull} OR t.assigne_id = ${int(context.caller.userId)}
        ) t
      ) AS tasks
    FROM ${table(entity)} r
    WHERE r.id = ${int(id)} AND ${notDeleted('r')}`
  const row = await queryRow<{ is_readable: boolean; is_full: boolean; tasks: string | null }>(
    deps.pool,
    select,
  )
  if (!row) throw unknownRecord(entity, id)
  if (!row.is_full && row.tasks === null)
    throw row.is_readable ? forbiddenTasks(context, id) : unknownRecord(entity, id)
  return `[${takeWithinBudget(row.tasks === tooLarge ? null : (row.tasks ?? ''))}]`
}

/** Conditions on a record under alias `r`: may the caller read it, and write its tasks. */
export const reachOf = ({
  entity,
  scope,
  readScope,
}: TaskContext): Record<'isReadable' | 'isFull', Sql> => {
  const isReadable = compileScope(readScope, entity.hasOwner, 'r')
  return {
    isReadable,
    isFull: sql`(${isReadable} AND ${compileScope(scope, entity.hasOwner, 'r')})`,
  }
}

/** The visible JSON of a task under alias `t`. */
const jsonOf = ({ deps, caller, task, isHidden: hides }: TaskContext): string => {
  const user = getEntity(deps.catalog, 'user')
  return taskJson({ task, user, isHidden: hides, access: deps.permissions.accessOf(caller) })
}

/** The join that `jsonOf` reads who changed a task from. */
export const updaterJoin = ({ deps, caller }: TaskContext): Sql =>
  userJoin(deps.permissions.accessOf(caller), getEntity(deps.catalog, 'user'), caller.userId)

/** The same, null in every row where all of them are too much for one answer. */
export const jsonWithinBudget = (context: TaskContext): string =>
  withinBudget(
    jsonOf(context),
    rowBytes(context.task.columns.map((column) => ({ alias: 't', column }))),
  )

// Marks a list that was too large to build; no list of tasks is this text.
const tooLarge = 'too large'

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
