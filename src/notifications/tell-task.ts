/** The job that tells an assignee of a task: assigned, due within a day, or overdue. */

import { queryRows } from '../database/pool.ts'
import { bound, identifier, raw, sql, tableName, toStatement } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { fieldTypes } from '../definitions/field-types.ts'
import type { TaskMessage } from '../tasks/task-messages.ts'
import type { StoredContent } from './notification.ts'
import { type SendingParts, tellPeople } from './tell-people.ts'

type FoundTask = {
  readonly key: string
  readonly entity_id: number
  readonly description: string | null
  readonly due_at: string | null
  readonly assigne_id: number
  readonly actor: string | null
}

const told: Readonly<
  Record<TaskMessage['kind'], { readonly icon: string; readonly title: string }>
> = {
  assigned: { icon: 'clipboard', title: 'Task assigned to you' },
  due_soon: { icon: 'clock', title: 'Task due soon' },
  overdue: { icon: 'alert', title: 'Task overdue' },
}

/** Stores one notification; nothing when the message is out of date by now. */
export const tellTaskOf = async (parts: SendingParts, message: TaskMessage): Promise<void> => {
  const task = await findTask(parts, message)
  if (!task) return
  const entity = parts.catalog.entities.get(task.key)
  const record = entity ? await nameOfRecord(parts, entity, task.entity_id) : task.key
  const by = message.kind === 'assigned' && task.actor ? `${task.actor}: ` : ''
  const content: StoredContent = {
    ...told[message.kind],
    message: `${by}${firstLine(task.description)} (${record})`,
    url: null,
    due_at: task.due_at,
  }
  const occasion = {
    event: message.event,
    entry: 'task',
    entityKey: task.key,
    entityId: task.entity_id,
    at: message.at,
  }
  const userIds = [task.assigne_id]
  const { stored } = await tellPeople(parts, { occasion, recipients: { userIds, content } })
  parts.observe({
    kind: 'notificationsStored',
    entity: task.key,
    id: task.entity_id,
    entry: 'task',
    stored,
  })
}

/**
 * The task, when the message still holds: it is open, has the same due date, and its assignee (the
 * one who was assigned, where the message names one) is an active user.
 */
const findTask = async (
  { pool }: SendingParts,
  { task_id: id, user_id: userId, kind, due_date: due, actor_id: actorId }: TaskMessage,
): Promise<FoundTask | undefined> => {
  const isSame = kind === 'assigned' ? raw('true') : sql`t.due_date = ${bound(due, 'timestamptz')}`
  const assignee = userId === null ? raw('t.assigne_id') : bound(userId, 'integer')
  const dueAt = raw(`trim(both '"' from ${fieldTypes.timestamp.jsonText('t.due_date')})`)
  const user = raw(tableName('user'))
  const select = sql`SELECT t.key, t.entity_id, t.description, ${dueAt} AS due_at, t.assigne_id, a.full_name AS actor FROM ${raw(tableName('task'))} t JOIN ${user} u ON u.id = t.assigne_id LEFT JOIN ${user} a ON a.id = ${bound(actorId, 'integer')} WHERE t.id = ${bound(id, 'integer')} AND NOT t._is_deleted AND NOT t.is_completed AND t.assigne_id = ${assignee} AND ${isSame} AND u.is_active AND NOT u.is_blocked AND NOT u._is_deleted`
  const [task] = await queryRows<FoundTask>(pool, toStatement(select))
  return task
}

/** What a person calls the record: its entity's name and its display field. */
const nameOfRecord = async (
  { pool }: SendingParts,
  { key, name, definition: { displayField }, columnsByName, associations }: Entity,
  id: number,
): Promise<string> => {
  const column = columnsByName.get(displayField ?? 'id') ?? associations.get(displayField ?? 'id')
  if (!column || column.name === 'id') return `${name} ${id}`
  const select = sql`SELECT ${raw(identifier(column.name))}::text AS shown FROM ${raw(tableName(key))} WHERE id = ${bound(id, 'integer')}`
  const [row] = await queryRows<{ shown: string | null }>(pool, toStatement(select))
  return `${name} ${row?.shown ?? id}`
}

const firstLine = (text: string | null): string =>
  (text ?? '').split(/[\r\n]/)[0]?.slice(0, 200) || 'A task'
