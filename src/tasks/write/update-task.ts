/**
 * The one statement that changes a task: it locks the task, asks who may at its record, writes what
 * differs with its history and messages, and says what it met.
 */

import { type Queryable, queryRow } from '../../database/pool.ts'
import {
  bound,
  int,
  ints,
  join,
  notDeleted,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import type { Precondition } from '../../http/preconditions.ts'
import type { Changes } from '../../records/history.ts'
import { messagesOf } from '../../records/write/after-change.ts'
import { changesBetween, differs } from '../../records/write/changed-fields.ts'
import { reachOf } from '../list-tasks.ts'
import type { TaskWork } from '../task-parts.ts'
import { isActiveUser } from './assignee.ts'
import { assigneeOf } from './create-task.ts'
import { isUnderRecord } from './task-links.ts'
import { insertDueNotices, tellAssigned, tellDue } from './task-messages.ts'

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
      readonly values: ReadonlyMap<Column, SqlValue>
      /** What became of the links, in the same transaction. */
      readonly links: Changes | undefined
      /** Whether an assignee without the right may do this. */
      readonly mayAssignee: boolean
      /** Only look: the body has issues that are told after who may. */
      readonly isHeld: boolean
    }

/** What the statement met; undefined where there is no such record. */
export type Outcome = {
  readonly is_readable: boolean
  readonly is_full: boolean
  readonly task_id: number | null
  readonly version: number
  readonly assigne_id: number | null
  readonly is_assignee_fit: boolean
  /** Whether no field but is_completed differs: what an assignee without the right may change. */
  readonly is_completion: boolean | null
  /** Null where nothing was written: not allowed, or nothing differs. */
  readonly new_version: number | null
}

/** Runs it; every condition stands in the statement itself, so that none can change in between. */
export const updateTask = async (
  database: Queryable,
  work: TaskWork,
  target: TaskTarget,
  change: TaskChange,
): Promise<Outcome | undefined> => {
  const values = change.kind === 'remove' ? removal(work) : change.values
  const steps = [
    sql`record AS (${reachedRecord(work, target.id)})`,
    sql`before AS (${lockedTask(work, target)})`,
    sql`changed AS (${update(work, target, change, values)})`,
    sql`told AS (${history(work, change, values)})`,
    ...(mayTell(values) ? [sql`due AS (${insertDueNotices(raw('changed'))})`] : []),
  ]
  const outcome = sql`
    r.is_readable, r.is_full, b.id AS task_id, b._version AS version, b.assigne_id,
    ${assigneeFits(values)} AS is_assignee_fit, NOT ${otherDiffers(values)} AS is_completion,
    c._version AS new_version`
  const selected = [
    outcome,
    ...(mayTell(values) ? [tellAssignee(work)] : []),
    ...hookMessages(work, change, values),
  ]
  const statement = sql`
    WITH ${join(steps, ', ')}
    SELECT ${join(selected, ', ')}
    FROM record r
    LEFT JOIN before b ON true
    LEFT JOIN changed c ON true`
  const row = await queryRow<Outcome>(database, statement)
  return row
}

/** Whether the assignee may have to be told: of most changes nobody is. */
const mayTell = (values: ReadonlyMap<Column, SqlValue>): boolean =>
  [...values].some(
    ([{ name }, value]) =>
      name === 'assigne_id' || name === 'due_date' || (name === 'is_completed' && value === false),
  )

const tellAssignee = ({ caller }: TaskWork): Sql =>
  sql`CASE
    WHEN c.assigne_id IS DISTINCT FROM b.assigne_id
      AND NOT c.is_completed
      AND ${notDeleted('c')} THEN ${tellAssigned('c', caller.userId)}
  END AS assigned,
  (SELECT count(${tellDue('d')}) FROM due d) AS due`

/** What the hooks of the entity `task` are told, as those of any other entity. */
const hookMessages = (
  { caller: { userId }, task: entity }: TaskWork,
  change: TaskChange,
  values: ReadonlyMap<Column, SqlValue>,
): readonly Sql[] => {
  const changes = changesOf(change, values)
  return messagesOf({ entity, operation: change.kind, userId, changes }, raw('c.id'))
}

const changesOf = (change: TaskChange, values: ReadonlyMap<Column, SqlValue>): Sql => {
  const links = change.kind === 'change' ? change.links : undefined
  const linkText = links && text(JSON.stringify(links).slice(1, -1))
  return changesBetween([...values.keys()], 'b', 'c', linkText)
}

// Not locked, which would write its row: whoever removes it locks its tasks.
const reachedRecord = (work: TaskWork, id: number): Sql => {
  const { isReadable, isFull } = reachOf(work)
  return sql`
    SELECT ${isReadable} AS is_readable, ${isFull} AS is_full
    FROM ${table(work.entity)} r
    WHERE r.id = ${int(id)} AND ${notDeleted('r')}`
}

const lockedTask = (work: TaskWork, { id, taskId }: TaskTarget): Sql =>
  sql`
    SELECT t.*
    FROM ${table('task')} t
    WHERE t.id = ${int(taskId)} AND ${notDeleted('t')} AND ${isUnderRecord(work, id)}
    FOR NO KEY UPDATE`

const update = (
  { caller }: TaskWork,
  { precondition }: TaskTarget,
  change: TaskChange,
  values: ReadonlyMap<Column, SqlValue>,
): Sql => {
  const user = int(caller.userId)
  const cells = [...values].map(
    ([column, value]) => sql`${ref(column.name)} = ${bound(value, column.type.cast)}`,
  )
  const auditColumns = sql`_updated_by = ${user}, _updated_at = greatest(now(), t._updated_at), _version = t._version + 1`
  const mayAssignee = change.kind === 'change' && change.mayAssignee
  const conditions = [
    sql`t.id = b.id`,
    mayAssignee
      ? sql`(r.is_full OR (b.assigne_id = ${user} AND NOT ${otherDiffers(values)}))`
      : sql`r.is_full`,
    ...(precondition === 'any' ? [] : [sql`b._version = ANY (${ints(precondition)})`]),
    assigneeFits(values),
    change.kind === 'change' && change.links ? raw('true') : anyDiffers(values, 'b'),
    ...(change.kind === 'change' && change.isHeld ? [raw('false')] : []),
  ]
  return sql`
    UPDATE ${table('task')} t
    SET ${join([...cells, auditColumns], ', ')}
    FROM before b, record r
    WHERE ${join(conditions, ' AND ')}
    RETURNING t.*`
}

/** Only a new assignee must be active; one who stands there already may be sent again. */
const assigneeFits = (values: ReadonlyMap<Column, SqlValue>): Sql => {
  const assignee = assigneeOf(values)
  if (assignee === undefined) return raw('true')
  return sql`(b.assigne_id IS NOT DISTINCT FROM ${int(assignee)} OR ${isActiveUser(assignee)})`
}

const otherDiffers = (values: ReadonlyMap<Column, SqlValue>): Sql =>
  anyDiffers(new Map([...values].filter(([{ name }]) => name !== 'is_completed')), 'b')

const anyDiffers = (values: ReadonlyMap<Column, SqlValue>, alias: string): Sql =>
  values.size === 0
    ? raw('false')
    : sql`(${join(
        [...values].map(([column, value]) =>
          differs(column, alias, bound(value, column.type.cast)),
        ),
        ' OR ',
      )})`

/** One entry in the history of the record that the task belongs to, with what really differs. */
const history = (
  { caller }: TaskWork,
  change: TaskChange,
  values: ReadonlyMap<Column, SqlValue>,
): Sql => {
  return sql`INSERT INTO docket.history (entity_key, entity_id, task_id, operation, changes, user_id)
    SELECT c.key, c.entity_id, c.id, ${operation(change)}, ${changesOf(change, values)}, ${int(caller.userId)}
    FROM changed c JOIN before b ON b.id = c.id`
}

// What a change is called: the gravest thing that it did.
const operation = ({ kind }: TaskChange): Sql =>
  kind === 'remove'
    ? raw(`'removeTask'`)
    : raw(
        `CASE
          WHEN c.is_completed AND NOT b.is_completed THEN 'completeTask'
          WHEN b.is_completed AND NOT c.is_completed THEN 'reopenTask'
          WHEN c.assigne_id IS DISTINCT FROM b.assigne_id THEN 'assignTask'
          ELSE 'changeTask'
        END`,
      )

const removal = ({ task }: TaskWork): ReadonlyMap<Column, SqlValue> => {
  const column = task.columnsByName.get('_is_deleted')
  if (!column) throw new Error('The entity task has no column _is_deleted.')
  return new Map([[column, true]])
}
