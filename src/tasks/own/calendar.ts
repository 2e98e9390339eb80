/** A user's open tasks with a due date as an iCalendar file (RFC 5545). */
import ical, { ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import { type Queryable, queryRows } from '../../database/pool.ts'
import { int, isoTime, notDeleted, sql, table } from '../../database/sql.ts'
import { type Catalog, namedEntity } from '../../definitions/catalog.ts'
import { builtInTexts } from '../../templates/built-in-texts.ts'
import { firstLine } from '../first-line.ts'
import type { FeedOwner } from './calendar-feed.ts'

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
 * All tasks: each is an event at its due time that blocks no time. `shows` tells the fields of a task that the
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
