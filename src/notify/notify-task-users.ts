/** The job that notifies an assignee of a task: assigned, due within a day, or overdue. */
import type { Person } from '../auth/caller.ts'
import { queryRow } from '../database/pool.ts'
import { int, raw, ref, type Sql, sql, table, text, timestamp } from '../database/sql.ts'
import { type Entity, getEntity, namedEntity } from '../definitions/catalog.ts'
import { fieldTypes } from '../definitions/field-types.ts'
import { valueNamesOf } from '../definitions/value-names.ts'
import type { StoredContent } from '../inbox/notification.ts'
import { shownIn } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { readableOfOthers } from '../query/user-visibility.ts'
import { showsOfTask } from '../tasks/task-deps.ts'
import { firstLine, type TaskMessage } from '../tasks/task-messages.ts'
import { builtInTexts } from '../templates/built-in-texts.ts'
import { readReadings } from '../users/user-readings.ts'
import { findUserById } from '../users/user-store.ts'
import { notifyTogether, type SendingDeps } from './send-notifications.ts'

type FoundTask = {
  readonly key: string
  readonly entity_id: number
  readonly description: string | null
  readonly due_at: string | null
  readonly assigne_id: number
  readonly actor: string | null
}

const icons = { assigned: 'clipboard', due_soon: 'clock', overdue: 'alert' } as const

/** Stores one notification; none if a reminder is out of date by now. */
export const notifyTaskUsers = async (deps: SendingDeps, message: TaskMessage): Promise<void> => {
  const found = await findTask(deps, message)
  if (!found) return
  const entity = deps.catalog.entities.get(found.key)
  const assignee = await findPerson(deps, found.assigne_id)
  const { catalog } = (await readReadings(deps.pool, deps, [found.assigne_id]))(found.assigne_id)
  const record = entity
    ? await nameOfRecord({ ...deps, catalog }, entity, found.entity_id, assignee)
    : `${found.key} ${found.entity_id}`
  const actor = mayBeNamed(deps, assignee) ? found.actor : null
  const by = message.kind === 'assigned' && actor ? `${actor}: ` : ''
  const texts = builtInTexts(catalog.locale).task
  const shows = (field: string) => showsOfTask(deps, assignee, field)
  // A reminder is about the due date.
  if (message.kind !== 'assigned' && !shows('due_date')) return
  const about = (shows('description') && firstLine(found.description)) || texts.nameless
  const content: StoredContent = {
    icon: icons[message.kind],
    title: texts[message.kind],
    message: `${by}${about} (${record})`,
    url: null,
    due_at: shows('due_date') ? found.due_at : null,
    task_id: message.task_id,
  }
  const event = {
    id: message.event,
    rule: 'task',
    entityKey: found.key,
    entityId: found.entity_id,
    at: message.at,
  }
  const userIds = [found.assigne_id]
  const batch = { event, recipients: { userIds, content } }
  const { stored } = await deps.batcher('task', batch, notifyTogether)
  deps.observe({
    kind: 'notificationsStored',
    entity: found.key,
    id: found.entity_id,
    entry: 'task',
    stored,
  })
}

/** The task of the message; undefined if there is no user to notify, or a reminder is not valid any more. */
const findTask = ({ pool }: SendingDeps, message: TaskMessage): Promise<FoundTask | undefined> =>
  queryRow<FoundTask>(
    pool,
    message.kind === 'assigned' ? selectAssignment(message) : selectReminder(message),
  )

const isActive = sql`u.is_active AND NOT u.is_blocked AND NOT u._is_deleted`
const dueText = (moment: string): Sql =>
  raw(`trim(both '"' from ${fieldTypes.timestamp.jsonText(moment)})`)

/** An assignment is always notified, even if the task was reassigned, completed or removed meanwhile. */
const selectAssignment = ({
  task_id,
  user_id,
  actor_id,
  due_date,
  description,
}: TaskMessage): Sql => sql`
SELECT t.key, t.entity_id, ${text(description)} AS description, ${dueText('m.due_date')} AS due_at,
  u.id AS assigne_id, a.full_name AS actor
FROM ${table('task')} t
JOIN ${table('user')} u ON u.id = ${int(user_id)}
LEFT JOIN ${table('user')} a ON a.id = ${int(actor_id)}
CROSS JOIN (SELECT ${timestamp(due_date)} AS due_date) m
WHERE t.id = ${int(task_id)} AND ${isActive}`

/**
 * A reminder is valid while the task is open, has this due date, and its assignee is an active user. An
 * invalid one is discarded, so that it is scheduled again when the task is reopened; the lock prevents a
 * concurrent change of the task.
 */
const selectReminder = ({ task_id, kind, due_date, at }: TaskMessage): Sql => {
  const tolerance = sql`interval '1 millisecond'`
  const isNoted = sql`n.task_id = ${int(task_id)} AND n.kind = ${text(kind)}
    AND n.due_date = ${timestamp(due_date)}
    AND n.told_at BETWEEN ${timestamp(at)} - ${tolerance} AND ${timestamp(at)} + ${tolerance}`
  return sql`
WITH locked AS MATERIALIZED (
  SELECT *
  FROM ${table('task')}
  WHERE id = ${int(task_id)}
  FOR SHARE
), held AS MATERIALIZED (
  SELECT t.key, t.entity_id, t.description, ${dueText('t.due_date')} AS due_at, t.assigne_id, NULL AS actor
  FROM locked t
  JOIN ${table('user')} u ON u.id = t.assigne_id
  WHERE NOT t._is_deleted AND NOT t.is_completed AND t.due_date = ${timestamp(due_date)} AND ${isActive}
), taken_back AS (
  DELETE FROM docket.task_notice n
  WHERE ${isNoted} AND NOT EXISTS (SELECT FROM held)
)
SELECT *
FROM held
WHERE EXISTS (SELECT FROM docket.task_notice n WHERE ${isNoted})`
}

const findPerson = async ({ pool }: SendingDeps, userId: number): Promise<Person> => ({
  userId,
  roleKey: (await findUserById(pool, userId))?.role_key ?? '',
})

const mayBeNamed = ({ catalog, permissions }: SendingDeps, person: Person): boolean => {
  const users = getEntity(catalog, 'user')
  const name = users.columnsByName.get('full_name')
  return name !== undefined && readableOfOthers(permissions.accessOf(person), users, name) === 'all'
}

/** The display name of the record: its entity's name and its display field, or its id; names are those of messages. */
const nameOfRecord = async (
  { pool, catalog, permissions }: SendingDeps,
  entity: Entity,
  id: number,
  person: Person,
): Promise<string> => {
  const { hasOwner, columnsByName, associations } = entity
  const { displayField = 'id' } = entity.definition
  const named = namedEntity(catalog, entity)
  const { name } = named
  const column = columnsByName.get(displayField) ?? associations.get(displayField)
  const access = permissions.accessOf(person)
  if (!column || column.name === 'id' || !access.maySee(entity, column)) return `${name} ${id}`
  const scope = compileScope(shownIn(access.readScope(entity), column), hasOwner, 't')
  const row = await queryRow<{ shown: string | null }>(
    pool,
    sql`
SELECT ${ref(column.name, 't')}::text AS shown
FROM ${table(entity)} t
WHERE t.id = ${int(id)} AND ${scope}`,
  )
  const shown = row?.shown ?? `${id}`
  const choices = valueNamesOf(named, named.columnsByName.get(column.name) ?? column)
  return `${name} ${choices.get(shown) ?? shown}`
}
