/** Changes and removes a task, or throws the error that says why not. */

import type { Pool, Queryable } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { type ApiError, apiError } from '../../errors.ts'
import { holds } from '../../http/preconditions.ts'
import { unknownRecord } from '../../records/read-records.ts'
import { etagOf } from '../../records/write/lock-record.ts'
import { findConflicts, recordError, withConflicts } from '../../records/write/write-rejected.ts'
import { forbiddenTasks, type TaskContext, taskWrite, unknownTask } from '../task-deps.ts'
import { findAssigneeIssue } from './assignee.ts'
import { assigneeOf } from './create-task.ts'
import { withoutMaintained } from './maintained-fields.ts'
import { findMissing } from './related-records.ts'
import { type RelatedRecord, readTaskChange, type TaskBody } from './task-body.ts'
import { lockTask, replaceLinks } from './task-links.ts'
import { type Outcome, type TaskTarget, updateTask } from './update-task.ts'

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
      ? write(pool, context, target, read)
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
    return write(connection, context, target, {
      ...read,
      // Checked above.
      related: [],
      issues: missing,
      links: links || undefined,
    })
  })

/** Marks the task as removed. Whoever may change all fields of a task may remove it. */
export const removeTask = async (
  pool: Pool,
  context: TaskContext,
  target: TaskTarget,
): Promise<void> => {
  const outcome = await updateTask(pool, context, target, { kind: 'remove' })
  const rejection = findRejection(context, target, outcome, false)
  if (rejection) throw rejection
}

const write = async (
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
  const isOwn = outcome.task_id !== null && outcome.assigne_id === context.caller.userId
  if (!outcome.is_readable && !isOwn) return unknownRecord(context.entity, id)
  if (!outcome.is_full && !isOwn) return forbiddenTasks(context, id)
  if (outcome.task_id === null) return unknownTask(context, id, taskId)
  if (!outcome.is_full && !mayAssignee) return forbiddenTasks(context, id)
  if (holds(precondition, outcome.version)) return undefined
  return apiError('record.stale', `task ${taskId} has changed since you read it.`, {
    headers: { ETag: etagOf(outcome.version) },
  })
}
