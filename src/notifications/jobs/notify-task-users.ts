/** The job that notifies an assignee of a task: assigned, due within a day, or overdue. */
import type { Person } from '../../auth/caller.ts'
import { queryRows } from '../../database/pool.ts'
import {
  bound,
  identifier,
  raw,
  type Sql,
  sql,
  tableName,
  toStatement,
} from '../../database/sql.ts'
import { type Entity, getEntity } from '../../definitions/catalog.ts'
import { fieldTypes } from '../../definitions/field-types.ts'
import { compileScope } from '../../query/compile-select.ts'
import { knownOfOthers } from '../../query/people.ts'
import { firstLine } from '../../tasks/first-line.ts'
import type { TaskMessage } from '../../tasks/write/task-messages.ts'
import { sentencesOf } from '../../templates/own-sentences.ts'
import { findUserById } from '../../users/user-store.ts'
import type { StoredContent } from '../inbox/notification.ts'
import { notifyUsers, type SendingDeps } from './notify-users.ts'

type FoundTask = {
  readonly key: string
  readonly entity_id: number
  readonly description: string | null
  readonly due_at: string | null
  readonly assigne_id: number
  readonly actor: string | null
}

const icons = { assigned: 'clipboard', due_soon: 'clock', overdue: 'alert' } as const

/** Stores one notification; none where a reminder is out of date by now. */
export const notifyTaskUsers = async (deps: SendingDeps, message: TaskMessage): Promise<void> => {
  const found = await findTask(deps, message)
  if (!found) return
  const entity = deps.catalog.entities.get(found.key)
  const assignee = await findPerson(deps, found.assigne_id)
  const record = entity
    ? await nameOfRecord(deps, entity, found.entity_id, assignee)
    : `${found.key} ${found.entity_id}`
  const actor = mayBeNamed(deps, assignee) ? found.actor : null
  const by = message.kind === 'assigned' && actor ? `${actor}: ` : ''
  const says = sentencesOf(deps.catalog.locale).task
  const content: StoredContent = {
    icon: icons[message.kind],
    title: says[message.kind],
    message: `${by}${firstLine(found.description) || says.nameless} (${record})`,
    url: null,
    due_at: found.due_at,
  }
  const event = {
    id: message.event,
    rule: 'task',
    entityKey: found.key,
    entityId: found.entity_id,
    at: message.at,
  }
  const userIds = [found.assigne_id]
  const { stored } = await notifyUsers(deps, { event, recipients: { userIds, content } })
  deps.observe({
    kind: 'notificationsStored',
    entity: found.key,
    id: found.entity_id,
    entry: 'task',
    stored,
  })
}

/** What the message tells; undefined when there is nobody to tell, or a reminder no longer holds. */
const findTask = async (
  { pool }: SendingDeps,
  message: TaskMessage,
): Promise<FoundTask | undefined> => {
  const select = message.kind === 'assigned' ? assignment(message) : reminder(message)
  const [task] = await queryRows<FoundTask>(pool, toStatement(select))
  return task
}

const user = raw(tableName('user'))
const task = raw(tableName('task'))
const isActive = raw('u.is_active AND NOT u.is_blocked AND NOT u._is_deleted')
const dueText = (moment: string) =>
  raw(`trim(both '"' from ${fieldTypes.timestamp.jsonText(moment)})`)

/** What took place is told, whatever has become of the task since: given on, completed or removed. */
const assignment = (message: TaskMessage): Sql => {
  const { task_id: id, user_id: userId, actor_id: actorId, due_date: due, description } = message
  return sql`SELECT t.key, t.entity_id, ${bound(description, 'text')} AS description, ${dueText('m.due_date')} AS due_at, u.id AS assigne_id, a.full_name AS actor FROM ${task} t JOIN ${user} u ON u.id = ${bound(userId, 'integer')} LEFT JOIN ${user} a ON a.id = ${bound(actorId, 'integer')}, (SELECT ${bound(due, 'timestamptz')} AS due_date) m WHERE t.id = ${bound(id, 'integer')} AND ${isActive}`
}

/**
 * A reminder holds while the task is open, has this due date, and its assignee is an active user. One
 * that does not is taken back, so that it comes anew when the task is opened again; the lock lets no
 * change of the task slip in between.
 */
const reminder = ({ task_id: id, kind, due_date: due, at }: TaskMessage): Sql => {
  const told = bound(at, 'timestamptz')
  const noted = sql`n.task_id = ${bound(id, 'integer')} AND n.kind = ${bound(kind, 'text')} AND n.due_date = ${bound(due, 'timestamptz')} AND n.told_at BETWEEN ${told} - interval '1 millisecond' AND ${told} + interval '1 millisecond'`
  return sql`WITH locked AS MATERIALIZED (SELECT * FROM ${task} WHERE id = ${bound(id, 'integer')} FOR SHARE), held AS MATERIALIZED (SELECT t.key, t.entity_id, t.description, ${dueText('t.due_date')} AS due_at, t.assigne_id, NULL AS actor FROM locked t JOIN ${user} u ON u.id = t.assigne_id WHERE NOT t._is_deleted AND NOT t.is_completed AND t.due_date = ${bound(due, 'timestamptz')} AND ${isActive}), taken_back AS (DELETE FROM docket.task_notice n WHERE ${noted} AND NOT EXISTS (SELECT FROM held)) SELECT * FROM held WHERE EXISTS (SELECT FROM docket.task_notice n WHERE ${noted})`
}

const findPerson = async ({ pool }: SendingDeps, userId: number): Promise<Person> => ({
  userId,
  roleKey: (await findUserById(pool, userId))?.role_key ?? '',
})

const mayBeNamed = ({ catalog, permissions }: SendingDeps, person: Person): boolean => {
  const people = getEntity(catalog, 'user')
  const name = people.columnsByName.get('full_name')
  return name !== undefined && knownOfOthers(permissions.accessOf(person), people, name) === 'all'
}

/** What the person may call the record: its entity's name and its display field, or its number. */
const nameOfRecord = async (
  { pool, permissions }: SendingDeps,
  entity: Entity,
  id: number,
  person: Person,
): Promise<string> => {
  const { key, name, hasOwner, columnsByName, associations } = entity
  const { displayField = 'id' } = entity.definition
  const column = columnsByName.get(displayField) ?? associations.get(displayField)
  const access = permissions.accessOf(person)
  if (!column || column.name === 'id' || !access.maySee(entity, column)) return `${name} ${id}`
  const scope = compileScope(access.readScope(entity), hasOwner, 't')
  const select = sql`SELECT ${raw(`t.${identifier(column.name)}`)}::text AS shown FROM ${raw(tableName(key))} t WHERE t.id = ${bound(id, 'integer')} AND ${scope}`
  const [row] = await queryRows<{ shown: string | null }>(pool, toStatement(select))
  return `${name} ${row?.shown ?? id}`
}
