/**
 * The one statement that changes a task: it locks the task, checks the permission on its record, writes what
 * differs with history and notifications, and returns what it found.
 */

import { authorOf } from '../../auth/caller.ts'
import { type Queryable, queryRow } from '../../database/pool.ts'
import { allOf, int, ints, notDeleted, type Sql, sql, table, text } from '../../database/sql.ts'
import type { Precondition } from '../../http/preconditions.ts'
import { jobsIn } from '../../jobs/enqueue.ts'
import type { Changes } from '../../records/history.ts'
import { linkConditions } from '../../records/write/write-context.ts'
import { anyDiffers, updateStatement, type Values } from '../../records/write/write-record.ts'
import { catchConflicts } from '../../records/write/write-rejected.ts'
import { reachOf } from '../list-tasks.ts'
import { isUnderRecord, type TaskContext } from '../task-deps.ts'
import { isActiveUser } from './assignee.ts'
import { assigneeOf } from './create-task.ts'
import { insertDueNotifications, notifyAllDue, notifyAssigned } from './task-messages.ts'

export type TaskTarget = {
  /** The record of the path. */
  readonly id: number
  readonly taskId: number
  readonly precondition: Precondition
}

export type TaskChange =
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
export type Outcome = {
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
export const updateTask = async (
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

/** Whether the change may notify the assignee; most changes notify nobody. */
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

// Not locked, since a lock writes the row; whoever removes the record locks its tasks.
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
  { caller, references }: TaskContext,
  { precondition }: TaskTarget,
  change: TaskChange,
  values: Values,
): readonly Sql[] => {
  const isOwnCompletion = sql`(b.assigne_id = ${int(caller.userId)} AND NOT ${otherDiffers(values)})`
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
