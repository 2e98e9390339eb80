/**
 * Changes and removes a task, or throws the error that says why not. One statement locks the task, checks the permission
 * on its record, writes what differs with history and notifications, and returns what it found.
 */
import { authorOf } from '../auth/caller.ts'
import { type Connection, type Pool, type Queryable, queryRow } from '../database/pool.ts'
import { allOf, int, ints, notDeleted, type Sql, sql, table, text } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import type { ApiError } from '../errors.ts'
import { holds, type Precondition } from '../http/preconditions.ts'
import { jobsIn } from '../jobs/job.ts'
import type { Changes } from '../records/history.ts'
import { unknownRecord } from '../records/read-records.ts'
import { staleRecord } from '../records/write/lock-record.ts'
import { linkConditions } from '../records/write/write-context.ts'
import {
  catchConflicts,
  findConflicts,
  recordError,
  withConflicts,
} from '../records/write/write-rejected.ts'
import { anyDiffers, updateStatement, type Values } from '../records/write/write-statements.ts'
import { assigneeOf, findAssigneeIssue, isActiveUser } from './create-task.ts'
import { reachOf } from './list-tasks.ts'
import {
  type RelatedRecord,
  readTaskChange,
  type TaskBody,
  withoutMaintained,
} from './task-body.ts'
import {
  forbiddenTasks,
  isUnderRecord,
  type TaskContext,
  taskWrite,
  unknownTask,
} from './task-deps.ts'
import { findMissing, lockTask, replaceLinks } from './task-links.ts'
import { insertDueNotifications, notifyAllDue, notifyAssigned } from './task-messages.ts'

/** Writes the fields that the body names, and its links if the body has them. Returns the new version. */
export const changeTask = async (
  pool: Pool,
  context: TaskContext,
  target: TaskTarget,
  body: unknown,
): Promise<number> => {
  const read = await withoutMaintained(pool, target, readTaskChange(context, body))
  return withConflicts({ database: pool, context: taskWrite(context), id: target.taskId }, () =>
    read.related === undefined || read.issues.length > 0
      ? writeChange(pool, context, target, read)
      : writeWithLinks(pool, context, target, { ...read, related: read.related }),
  )
}

const writeWithLinks = (
  pool: Pool,
  context: TaskContext,
  target: TaskTarget,
  read: TaskBody & { readonly related: readonly RelatedRecord[] },
): Promise<number> =>
  transaction(pool, async (connection) => {
    const { related } = read
    await lockTask(connection, context, target)
    const missing = await findMissing(connection, context, related)
    const links = missing.length === 0 && (await replaceLinks(connection, target.taskId, related))
    return writeChange(connection, context, target, {
      ...read,
      // Checked above.
      related: [],
      issues: missing,
      links: links || undefined,
    })
  })

/** Gives the task to a user, in a transaction. */
export const assignTask = async (
  connection: Connection,
  context: TaskContext,
  target: TaskTarget,
  userId: number,
): Promise<void> => {
  const read = readTaskChange(context, { assigne_id: userId })
  await withConflicts(
    { database: connection, context: taskWrite(context), id: target.taskId },
    () => writeChange(connection, context, target, read),
  )
}

/** Marks the task as removed. A caller who may change all fields of a task may remove it. */
export const removeTask = async (
  pool: Pool,
  context: TaskContext,
  target: TaskTarget,
): Promise<void> => {
  const outcome = await updateTask(pool, context, target, { kind: 'remove' })
  const rejection = findRejection(context, target, outcome, false)
  if (rejection) throw rejection
}

const writeChange = async (
  database: Queryable,
  context: TaskContext,
  target: TaskTarget,
  read: TaskBody,
): Promise<number> => {
  const { values, links, issues } = read
  const isHeld = issues.length > 0
  const mayAssignee = mayBeCompletion(read)
  const change = { kind: 'change', values, links, mayAssignee, isHeld } as const
  const outcome = await updateTask(database, context, target, change)
  const isCompletion = mayAssignee && outcome?.is_completion === true
  const rejection = findRejection(context, target, outcome, isCompletion)
  if (rejection) throw rejection
  if (isHeld || !outcome?.is_assignee_fit || !outcome.are_links_there)
    throw recordError([
      ...issues,
      ...(outcome?.is_assignee_fit ? [] : await findAssigneeIssue(database, assigneeOf(values))),
      ...(read.links === undefined ? await findMissing(database, context, read.related ?? []) : []),
      ...(await findConflicts(database, { ...taskWrite(context), values, id: target.taskId })),
    ])
  return outcome.new_version ?? outcome.version
}

/**
 * Assignees without the permission may only complete and reopen their tasks. The statement checks that no other
 * field differs.
 */
const mayBeCompletion = ({ related, issues }: TaskBody): boolean =>
  related === undefined && issues.every(({ path }) => path === 'is_completed' || path === '')

/** The error of a task that does not exist, is out of reach, or has changed since: in this order. */
const findRejection = (
  context: TaskContext,
  { id, taskId, precondition }: TaskTarget,
  outcome: Outcome | undefined,
  mayAssignee: boolean,
): ApiError | undefined => {
  if (!outcome) return unknownRecord(context.entity, id)
  const isOwn = outcome.task_id !== null && outcome.assigne_id === context.assignee
  if (!outcome.is_readable && !isOwn) return unknownRecord(context.entity, id)
  if (!outcome.is_full && !isOwn) return forbiddenTasks(context, id)
  if (outcome.task_id === null) return unknownTask(context, id, taskId)
  if (!outcome.is_full && !mayAssignee) return forbiddenTasks(context, id)
  if (holds(precondition, outcome.version)) return undefined
  return staleRecord(context.task, taskId, outcome.version)
}

type TaskTarget = {
  /** The record of the path. */
  readonly id: number
  readonly taskId: number
  readonly precondition: Precondition
}

type TaskChange =
  | { readonly kind: 'remove' }
  | {
      readonly kind: 'change'
      readonly values: Values
      /** The change of the links, made in the same transaction. */
      readonly links: Changes | undefined
      /** Whether an assignee without the permission may do this. */
      readonly mayAssignee: boolean
      /** Writes nothing: the body has issues, which are reported after the permission is checked. */
      readonly isHeld: boolean
    }

/** What the statement found; undefined if there is no such record. */
type Outcome = {
  readonly is_readable: boolean
  readonly is_full: boolean
  readonly task_id: number | null
  readonly version: number
  readonly assigne_id: number | null
  readonly is_assignee_fit: boolean
  /** Whether the links are there for the caller, or unchanged. */
  readonly are_links_there: boolean
  /** Whether no field but is_completed differs: an assignee without the permission may change that. */
  readonly is_completion: boolean | null
  /** Null if nothing was written: not permitted, or nothing differs. */
  readonly new_version: number | null
}

/** Runs the statement. It holds every condition, so that none can change in between. */
const updateTask = async (
  database: Queryable,
  context: TaskContext,
  target: TaskTarget,
  change: TaskChange,
): Promise<Outcome | undefined> => {
  const { task: entity, caller } = context
  const values = change.kind === 'remove' ? removal(context) : change.values
  const notifies = mayNotify(values)
  const links = change.kind === 'change' ? change.links : undefined
  const statement = updateStatement({
    entity,
    author: authorOf(caller),
    values,
    before: [sql`record AS (${reachedRecord(context, target.id)})`],
    row: lockedTask(context, target),
    from: sql`record r`,
    conditions: conditionsOf(context, target, change, values),
    change: {
      operation: change.kind,
      historyOperation: historyOperation(change),
      more: links && text(JSON.stringify(links).slice(1, -1)),
    },
    after: notifies ? [sql`due AS (${insertDueNotifications(sql`changed`)})`] : [],
    selected: [
      outcomeOf(context, values),
      ...(notifies
        ? [jobsIn(notifyAssignee(context), 'assigned'), notifyAllDue(isReassigned)]
        : []),
    ],
    selectedFrom: sql`record r LEFT JOIN before b ON true`,
  })
  return catchConflicts(values, () => queryRow<Outcome>(database, statement))
}

const outcomeOf = ({ references }: TaskContext, values: Values): Sql => sql`
  r.is_readable, r.is_full, b.id AS task_id, b._version AS version, b.assigne_id,
  ${assigneeFits(values)} AS is_assignee_fit,
  ${allOf(linkConditions(values, references, 'b'))} AS are_links_there,
  NOT ${otherDiffers(values)} AS is_completion,
  c._version AS new_version`

/** Whether the change may notify the assignee; most changes do not. */
const mayNotify = (values: Values): boolean =>
  [...values].some(
    ([{ name }, value]) =>
      name === 'assigne_id' || name === 'due_date' || (name === 'is_completed' && value === false),
  )

const isReassigned = sql`c.assigne_id IS DISTINCT FROM b.assigne_id`

const notifyAssignee = ({ caller }: TaskContext): Sql =>
  sql`CASE
    WHEN ${isReassigned}
      AND NOT c.is_completed
      AND ${notDeleted('c')} THEN ${notifyAssigned('c', caller.userId)}
  END`

// Not locked, since a lock writes the row; a removal of the record locks its tasks.
const reachedRecord = (context: TaskContext, id: number): Sql => {
  const { isReadable, isFull } = reachOf(context)
  return sql`
    SELECT ${isReadable} AS is_readable, ${isFull} AS is_full
    FROM ${table(context.entity)} r
    WHERE r.id = ${int(id)} AND ${notDeleted('r')}`
}

const lockedTask = (context: TaskContext, { id, taskId }: TaskTarget): Sql =>
  sql`
    SELECT t.*
    FROM ${table('task')} t
    WHERE t.id = ${int(taskId)} AND ${notDeleted('t')} AND ${isUnderRecord(context, id)}
    FOR NO KEY UPDATE`

const conditionsOf = (
  { assignee, references }: TaskContext,
  { precondition }: TaskTarget,
  change: TaskChange,
  values: Values,
): readonly Sql[] => {
  const isOwnCompletion = sql`(b.assigne_id = ${int(assignee)} AND NOT ${otherDiffers(values)})`
  const { mayAssignee, isHeld } =
    change.kind === 'change' ? change : { mayAssignee: false, isHeld: false }
  return [
    mayAssignee ? sql`(r.is_full OR ${isOwnCompletion})` : sql`r.is_full`,
    ...(precondition === 'any' ? [] : [sql`b._version = ANY (${ints(precondition)})`]),
    assigneeFits(values),
    ...linkConditions(values, references, 'b'),
    ...(isHeld ? [sql`false`] : []),
  ]
}

/** Only a new assignee must be active; an unchanged one is accepted. */
const assigneeFits = (values: Values): Sql => {
  const assignee = assigneeOf(values)
  if (assignee === undefined) return sql`true`
  return sql`(b.assigne_id IS NOT DISTINCT FROM ${int(assignee)} OR ${isActiveUser(assignee)})`
}

const otherDiffers = (values: Values): Sql =>
  anyDiffers(new Map([...values].filter(([{ name }]) => name !== 'is_completed')), 'b')

// The operation of a change is the most important thing that it did.
const historyOperation = ({ kind }: TaskChange): Sql =>
  kind === 'remove'
    ? sql`'removeTask'`
    : sql`CASE
        WHEN c.is_completed AND NOT b.is_completed THEN 'completeTask'
        WHEN b.is_completed AND NOT c.is_completed THEN 'reopenTask'
        WHEN c.assigne_id IS DISTINCT FROM b.assigne_id THEN 'assignTask'
        ELSE 'changeTask'
      END`

const removal = ({ task }: TaskContext): Values => {
  const column = task.columnsByName.get('_is_deleted')
  if (!column) throw new Error('The entity task has no column _is_deleted.')
  return new Map([[column, true]])
}
