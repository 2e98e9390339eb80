/** Creates a task in one statement: it locks the record, and writes the task, its links, history and notifications. */
import { authorOf } from '../auth/caller.ts'
import { type Queryable, queryRow, queryValue } from '../database/pool.ts'
import { bigint, int, notDeleted, ref, type Sql, sql, table } from '../database/sql.ts'
import { jobsIn } from '../jobs/job.ts'
import { changesOfNew } from '../records/history.ts'
import { unknownRecord } from '../records/read-records.ts'
import { type FieldIssue, refused } from '../records/write/check-values.ts'
import { catchConflicts, findConflicts, recordError } from '../records/write/write-rejected.ts'
import { insertStatement, type Values } from '../records/write/write-statements.ts'
import { activeUser } from '../users/user-store.ts'
import { reachOf } from './list-tasks.ts'
import { type RelatedRecord, readNewTask, type TaskBody } from './task-body.ts'
import { forbiddenTasks, type TaskContext, taskWrite } from './task-deps.ts'
import { findMissing, groupRelated, lockRelated, relatedRows } from './task-links.ts'
import { insertDueNotifications, notifyAssigned } from './task-messages.ts'

export const isActiveUser = (id: number): Sql =>
  sql`EXISTS (
    SELECT FROM ${table('user')} a
    WHERE a.id = ${int(id)} AND ${activeUser('a')}
  )`

export const findAssigneeIssue = async (
  database: Queryable,
  id: number | undefined,
): Promise<FieldIssue[]> => {
  if (id === undefined) return []
  const isActive = await queryValue<boolean>(database, sql`SELECT ${isActiveUser(id)} AS active`)
  return isActive ? [] : [refused('assigne_id', `there is no active user ${id}`)]
}

type CreatedTask = { readonly id: number; readonly version: number }

/** The new task under a record, or one error with every issue. */
export const createTask = async (
  database: Queryable,
  context: TaskContext,
  id: number,
  body: unknown,
): Promise<CreatedTask> => {
  const read = readNewTask(context, id, body)
  if (read.issues.length > 0) throw await explainRejection(database, context, id, read)
  const statement = insertTask(context, id, read)
  const created = await catchConflicts(read.values, () =>
    queryRow<CreatedTask>(database, statement),
  )
  if (!created) throw await explainRejection(database, context, id, read)
  return created
}

const insertTask = (context: TaskContext, id: number, { values, related = [] }: TaskBody): Sql => {
  const { task, caller, references } = context
  const assignee = assigneeOf(values)
  const links = linkParts(context, related)
  const notifies = assignee !== undefined
  return insertStatement({
    entity: task,
    author: authorOf(caller),
    values,
    before: [sql`record AS (${lockedRecord(context, id)})`, ...links.selects],
    from: sql`record`,
    conditions: [
      ...links.conditions,
      ...(notifies ? [isActiveUser(assignee)] : []),
      ...[...values].flatMap(([column, value]) => references(column, value)?.exists ?? []),
    ],
    history: { operation: 'createTask', changes: changesOf(values, related) },
    after: [
      ...links.inserts,
      // Without messages: the assignment says when it is due.
      ...(notifies ? [sql`due AS (${insertDueNotifications(sql`created`)})`] : []),
    ],
    selected: [
      sql`t.id, t._version AS version`,
      ...(notifies ? [jobsIn(notifyAssigned('t', caller.userId), 'assigned')] : []),
    ],
  })
}

/** The record if the caller may add tasks to it, locked so that it is not removed meanwhile. */
const lockedRecord = (context: TaskContext, id: number): Sql =>
  sql`
    SELECT r.id
    FROM ${table(context.entity)} r
    WHERE r.id = ${int(id)} AND ${notDeleted('r')} AND ${reachOf(context).isFull}
    FOR SHARE`

const linkParts = (context: TaskContext, related: readonly RelatedRecord[]) => {
  const groups = groupRelated(context, related)
  return {
    selects: groups.map(
      ({ select }, index) =>
        sql`${ref(`linked${index}`)} AS (${select ? sql`${select}${lockRelated}` : sql`SELECT WHERE false`})`,
    ),
    conditions: groups.map(
      ({ records }, index) =>
        sql`(SELECT count(*) FROM ${ref(`linked${index}`)}) = ${bigint(records.length)}`,
    ),
    inserts:
      related.length === 0
        ? []
        : [
            sql`links AS (
              INSERT INTO docket.task_link (task_id, key, entity_id)
              SELECT c.id, l.key, l.entity_id
              FROM created c, ${relatedRows(related)}
            )`,
          ],
  }
}

const changesOf = (values: Values, related: readonly RelatedRecord[]) => ({
  ...changesOfNew(values),
  ...(related.length > 0 && {
    related_entities: { after: related.map(({ key, id }) => ({ key, entity_id: id })) },
  }),
})

/** The user that values assign, if any. */
export const assigneeOf = (values: Values): number | undefined => {
  for (const [column, value] of values)
    if (column.name === 'assigne_id' && value !== null) return Number(value)
  return undefined
}

/** Checks access before values: callers who may not read the record learn nothing about others. */
const explainRejection = async (
  database: Queryable,
  context: TaskContext,
  id: number,
  { values, related = [], issues }: TaskBody,
) => {
  const { isReadable, isFull } = reachOf(context)
  const select = sql`
    SELECT ${isReadable} AS is_readable, ${isFull} AS is_full
    FROM ${table(context.entity)} r
    WHERE r.id = ${int(id)} AND ${notDeleted('r')}`
  const row = await queryRow<{ is_readable: boolean; is_full: boolean }>(database, select)
  if (!row?.is_readable) return unknownRecord(context.entity, id)
  if (!row.is_full) return forbiddenTasks(context, id)
  return recordError([
    ...issues,
    ...(await findAssigneeIssue(database, assigneeOf(values))),
    ...(await findMissing(database, context, related)),
    ...(await findConflicts(database, { ...taskWrite(context), values, id: undefined })),
  ])
}
