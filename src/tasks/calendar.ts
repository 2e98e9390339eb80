/**
 * A user's open tasks with a due date as an iCalendar file (RFC 5545), at a private URL: its key is shown once and stored
 * as a digest.
 */
import { hash, randomBytes } from 'node:crypto'
import ical, { ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import {
  execute,
  type Pool,
  type Queryable,
  queryRow,
  queryRows,
  queryValue,
} from '../database/pool.ts'
import { int, isoTime, notDeleted, sql, table, text } from '../database/sql.ts'
import { type Catalog, namedEntity } from '../definitions/catalog.ts'
import { builtInTexts } from '../templates/built-in-texts.ts'
import { activeUser, userRoleKeys } from '../users/user-store.ts'
import { firstLine } from './task-messages.ts'

/** Creates the key of a user's feed; the earlier key is no longer valid. */
export const openFeed = async (pool: Pool, userId: number): Promise<string> => {
  const key = randomBytes(32).toString('base64url')
  const statement = sql`
    INSERT INTO docket.calendar_feed (user_id, digest)
    VALUES (${int(userId)}, ${text(digestOf(key))})
    ON CONFLICT (user_id) DO UPDATE SET digest = excluded.digest, created_at = now()`
  await execute(pool, statement)
  return key
}

/** When the feed of a user was opened, in ISO 8601; null if there is none. */
export const feedOpenedAt = async (pool: Pool, userId: number): Promise<string | null> => {
  const select = sql`
    SELECT ${isoTime('created_at')} AS created_at
    FROM docket.calendar_feed
    WHERE user_id = ${int(userId)}`
  return (await queryValue<string>(pool, select)) ?? null
}

export const closeFeed = async (database: Queryable, userId: number): Promise<void> => {
  await execute(database, sql`DELETE FROM docket.calendar_feed WHERE user_id = ${int(userId)}`)
}

type FeedOwner = {
  readonly id: number
  readonly full_name: string
  readonly role_key: string
}

/** The owner of a feed by its key; undefined if it is closed or the user is not active. */
export const findFeedOwner = async (pool: Pool, key: string): Promise<FeedOwner | undefined> => {
  const select = sql`
    SELECT u.id, u.full_name, ${userRoleKeys} AS role_key
    FROM docket.calendar_feed f
    JOIN ${table('user')} u ON u.id = f.user_id
    JOIN ${table('security_role')} r ON r.id = u.security_role_id
    WHERE f.digest = ${text(digestOf(key))} AND ${activeUser('u')}`
  return queryRow<FeedOwner>(pool, select)
}

// A key has 256 random bits, so a slow hash would not protect it better.
const digestOf = (key: string) => hash('sha256', key, 'hex')

type DueTask = {
  readonly id: number
  readonly key: string
  readonly entity_id: number
  readonly description: string | null
  readonly due: string
  readonly changed: string
}

// How often calendar programs should ask; a task need not appear within the minute.
const refreshSeconds = 15 * 60

type CalendarDeps = {
  readonly pool: Queryable
  readonly catalog: Catalog
  readonly projectName: string
}

/**
 * All tasks: each is an event at its due time that blocks no time. `shows` has the fields of a task that the
 * owner may see.
 */
export const printCalendar = async (
  { pool: database, catalog, projectName }: CalendarDeps,
  owner: FeedOwner,
  shows: (field: string) => boolean,
): Promise<string> => {
  const says = builtInTexts(catalog.locale).task
  const nameOf = (key: string): string => {
    const entity = catalog.entities.get(key)
    return entity ? namedEntity(catalog, entity).name : key
  }
  const calendar = ical({
    name: `${catalog.name ?? projectName}: ${owner.full_name}`,
    prodId: { company: 'Docket', product: 'Tasks' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds,
  })
  const tasks = shows('due_date') ? await dueTasks(database, owner.id) : []
  for (const task of tasks) {
    const text = shows('description') ? task.description : null
    const place = ['key', 'entity_id'].every(shows) ? `${nameOf(task.key)} ${task.entity_id}` : ''
    calendar.createEvent({
      id: `task-${task.id}@docket`,
      start: new Date(task.due),
      stamp: new Date(task.changed),
      lastModified: new Date(task.changed),
      summary: firstLine(text) || `${says.nameless} (${task.id})`,
      description: `${text ?? ''}\n\n${place}`.trim(),
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  }
  return calendar.toString()
}

const dueTasks = (database: Queryable, userId: number): Promise<DueTask[]> => {
  const select = sql`
    SELECT t.id, t.key, t.entity_id, t.description, ${isoTime('t.due_date')} AS due,
      ${isoTime('t._updated_at')} AS changed
    FROM ${table('task')} t
    WHERE t.assigne_id = ${int(userId)}
      AND NOT t.is_completed
      AND ${notDeleted('t')}
      AND t.due_date IS NOT NULL
    ORDER BY t.due_date, t.id`
  return queryRows<DueTask>(database, select)
}
