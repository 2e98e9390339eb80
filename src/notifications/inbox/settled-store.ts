/** Notifications whose due date has ended: their record is in a final step, their task is completed, or it was removed. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import {
  anyOf,
  ints,
  join,
  notDeleted,
  type Sql,
  sql,
  table,
  text,
  texts,
} from '../../database/sql.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import type { NotificationRow, StoredContent } from './notification.ts'

/** What is due: the task that a notification is of, or else its record. */
type Subject = { readonly key: string; readonly id: number }

const nameOf = ({ key, id }: Subject): string => `${key}/${id}`

const subjectOf = (row: NotificationRow, { task_id: taskId }: StoredContent): Subject =>
  taskId === undefined ? { key: row.entity_key, id: row.entity_id } : { key: 'task', id: taskId }

/** The same notifications, without due dates that have ended. */
export const withoutEndedDates = async (
  database: Queryable,
  catalog: Catalog,
  rows: readonly NotificationRow[],
): Promise<NotificationRow[]> => {
  const changed = await findEndedDates(database, catalog, rows)
  return rows.map((row) => changed.get(row) ?? row)
}

/** The notifications whose due date has ended, each with itself without that date; at most one statement for all. */
export const findEndedDates = async (
  database: Queryable,
  catalog: Catalog,
  rows: readonly NotificationRow[],
): Promise<ReadonlyMap<NotificationRow, NotificationRow>> => {
  const due = rows.flatMap((row) => {
    const content: StoredContent = JSON.parse(row.content)
    return content.due_at === null ? [] : [{ row, content, subject: subjectOf(row, content) }]
  })
  const subjects = due.map(({ subject }) => subject)
  const settled = await findSettled(database, catalog, subjects)
  return new Map(
    due
      .filter(({ subject }) => settled.has(nameOf(subject)))
      .map(({ row, content }) => [
        row,
        { ...row, content: JSON.stringify({ ...content, due_at: null }) },
      ]),
  )
}

const findSettled = async (
  database: Queryable,
  catalog: Catalog,
  subjects: readonly Subject[],
): Promise<ReadonlySet<string>> => {
  const selects = [...Map.groupBy(subjects, ({ key }) => key)].flatMap(([key, all]) => {
    const isSettled = settledIn(catalog, key)
    if (!isSettled) return []
    const ids = ints([...new Set(all.map(({ id }) => id))])
    return sql`SELECT ${text(key)} AS key, r.id FROM ${table(key)} r WHERE r.id = ANY (${ids}) AND (${isSettled})`
  })
  if (selects.length === 0) return new Set()
  const found = await queryRows<Subject>(database, join(selects, ' UNION ALL '))
  return new Set(found.map(nameOf))
}

/** Of a record `r`; undefined if the project has no such entity any more. */
const settledIn = ({ entities }: Catalog, key: string): Sql | undefined => {
  const entity = entities.get(key)
  if (!entity) return undefined
  const steps = entity.definition.workflow?.steps.filter(({ final }) => final)
  return anyOf([
    sql`NOT ${notDeleted('r')}`,
    ...(steps ? [sql`r._step = ANY (${texts(steps.map((step) => step.key))})`] : []),
    ...(key === 'task' ? [sql`r.is_completed`] : []),
  ])
}
