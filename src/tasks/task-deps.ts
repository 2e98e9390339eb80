/** What every path of tasks needs, and which entities the caller may name. */
import { type Caller, isScoped, lackingRoles, type Person } from '../auth/caller.ts'
import { type PartRights, partRightsOf } from '../auth/permissions.ts'
import { reachAs } from '../auth/readable-records.ts'
import { hasRows, type Queryable } from '../database/pool.ts'
import { int, notDeleted, type Sql, sql, table, text } from '../database/sql.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { apiError } from '../errors.ts'
import type { RecordScope } from '../query/access.ts'
import type { RecordDeps } from '../records/record-request.ts'
import { createReferenceCheck, type ReferenceCheck } from '../records/write/write-context.ts'

export type TaskDeps = RecordDeps

/** The caller, the entity of the records, and the records that the permission for tasks covers. */
export type TaskContext = {
  readonly deps: TaskDeps
  readonly caller: Caller
  /** The entity of the records that the tasks belong to. */
  readonly entity: Entity
  readonly task: Entity
  /** Records that the permission `tasks` covers; none if the role lacks it. */
  readonly scope: RecordScope
  /** Whose tasks are reached without that permission: the caller's, and nobody's (0) with the scope of an API key. */
  readonly assignee: number
  /** What the caller's roles grant on the fields of tasks. */
  readonly rights: PartRights
  /** Links that a project has added to tasks; assignees have a separate rule. */
  readonly references: ReferenceCheck
}

/**
 * Collects what a request about tasks of an entity's records needs. `by` is the caller with the roles that grant their fields: in
 * lists all of them.
 */
export const createTaskContext = (
  deps: TaskDeps,
  caller: Caller,
  entity: Entity,
  by: Person = caller,
): TaskContext => {
  const { catalog, permissions } = deps
  // Assignees reach their tasks without the permission; with an API key that has a scope they need it.
  if (isScoped(caller)) permissions.permit(caller, 'tasks', entity)
  const task = getEntity(catalog, 'task')
  const access = permissions.accessOf(caller)
  const isAdministrator = caller.roleKey === administratorRole
  const check = createReferenceCheck({ catalog, access, isAdministrator })
  return {
    deps,
    caller,
    entity,
    task,
    scope: permissions.scopeOf(caller, 'tasks', entity),
    assignee: isScoped(caller) ? 0 : caller.userId,
    rights: partRightsOf(permissions, by, task),
    references: (column, value) =>
      column.name === 'assigne_id' ? undefined : check(column, value),
  }
}

/** The same for a write: of several roles, those count that reach the record. Without any, the task is the caller's own. */
export const createWrittenContext = async (
  database: Queryable,
  deps: TaskDeps,
  { caller, entity, id }: { readonly caller: Caller; readonly entity: Entity; readonly id: number },
): Promise<TaskContext> => {
  const as = await reachAs(database, deps, { person: caller, entity, ids: [id] })
  return createTaskContext(deps, caller, entity, as(id, 'tasks'))
}

/** Whether a user may see a field of tasks: for notifications and the calendar, which are no request. */
export const showsOfTask = (
  { catalog, permissions }: Pick<TaskDeps, 'catalog' | 'permissions'>,
  person: Person,
  field: string,
): boolean => {
  const task = getEntity(catalog, 'task')
  const column = task.columnsByName.get(field)
  return column !== undefined && !permissions.accessOf(person).hides(task, column)
}

/** The write of a task, for finding conflicts with other records. */
export const taskWrite = ({ task, references, rights }: TaskContext) => ({
  entity: task,
  references,
  isHidden: rights.isHidden,
})

/** The error of a task that does not exist, or is not under this record. */
export const unknownTask = (
  { entity }: { readonly entity: Pick<Entity, 'key'> },
  id: number | string,
  taskId: number | string,
) => apiError('task.unknown', `There is no task ${taskId} under ${entity.key} ${id}.`)

/** The error of a caller whose permission does not include the tasks of a record. */
export const forbiddenTasks = ({ caller, entity, scope }: TaskContext, id: number) =>
  apiError(
    'caller.forbidden',
    scope === 'none'
      ? `${lackingRoles(caller)} permission "tasks" on "${entity.key}".`
      : `The permission "tasks" does not include ${entity.key} ${id}.`,
  )

/** Whether the task under alias `t` belongs to a record or is linked to it. */
export const isUnderRecord = (
  { entity }: { readonly entity: Pick<Entity, 'key'> },
  id: number,
): Sql => {
  const [key, record] = [text(entity.key), int(id)]
  return sql`(
    (t.key = ${key} AND t.entity_id = ${record})
      OR EXISTS (
        SELECT FROM docket.task_link l
        WHERE l.task_id = t.id AND l.key = ${key} AND l.entity_id = ${record}
      )
  )`
}

/**
 * The entity with a key, or an error 404. Assignees reach their tasks even if their role has no permission on the
 * entity of the record: at that record they may know that the entity exists. The database is asked in the same
 * way whether the entity exists or not, so that the response time does not reveal it.
 */
export const knownEntity = async (
  deps: TaskDeps,
  caller: Caller,
  key: string,
  record?: string,
): Promise<Entity> => {
  const { catalog, permissions } = deps
  const entity = catalog.entities.get(key)
  if (entity && (entity.isNative || permissions.touches(caller, entity))) return entity
  const isAssigned = !isScoped(caller) && (await hasTask(deps, caller, key, record))
  return entity && isAssigned ? entity : permissions.entityFor(caller, key)
}

// Keys and ids that cannot exist are not looked up.
const hasTask = async (
  { pool }: TaskDeps,
  { userId }: Caller,
  key: string,
  record: string | undefined,
): Promise<boolean> => {
  const id = record === undefined ? undefined : Number(record)
  if (key.includes('\0') || (id !== undefined && !isId(id))) return false
  const place: Sql =
    id === undefined ? sql`t.key = ${text(key)}` : isUnderRecord({ entity: { key } }, id)
  const select = sql`
    SELECT FROM ${table('task')} t
    WHERE t.assigne_id = ${int(userId)} AND ${notDeleted('t')} AND ${place}
    LIMIT 1`
  return hasRows(pool, select)
}

const isId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= 2_147_483_647
