/**
 * Notifications whose due date has ended: their record is in a final step or has left the one to which the action led, their task
 * is completed, or it was removed.
 */
import { type Queryable, queryRows } from '../database/pool.ts'
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
} from '../database/sql.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
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
  const states = await findStates(database, catalog, subjects)
  return new Map(
    due
      .filter(({ subject, content }) => hasEnded(states.get(nameOf(subject)), content))
      .map(({ row, content }) => [
        row,
        { ...row, content: JSON.stringify({ ...content, due_at: null }) },
      ]),
  )
}

type State = Subject & {
  readonly is_settled: boolean
  /** Null where there is no workflow. */
  readonly step: string | null
}

const hasEnded = (state: State | undefined, { step }: StoredContent): boolean =>
  state !== undefined && (state.is_settled || (step !== undefined && step !== state.step))

/** The states of what exists, by `nameOf`. */
const findStates = async (
  database: Queryable,
  catalog: Catalog,
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, State>> => {
  const selects = [...Map.groupBy(subjects, ({ key }) => key)].flatMap(([key, all]) => {
    const entity = catalog.entities.get(key)
    // The project has no such entity any more.
    if (!entity) return []
    const ids = ints([...new Set(all.map(({ id }) => id))])
    return sql`
SELECT ${text(key)} AS key, r.id, ${isSettled(entity)} AS is_settled, ${stepOf(entity)} AS step
FROM ${table(key)} r
WHERE r.id = ANY (${ids})`
  })
  if (selects.length === 0) return new Map()
  const found = await queryRows<State>(database, join(selects, ' UNION ALL '))
  return new Map(found.map((state) => [nameOf(state), state]))
}

const stepOf = ({ hasWorkflow }: Entity): Sql => (hasWorkflow ? sql`r._step` : sql`NULL::text`)

/** Whether nothing of a record `r` is due any more, whatever it was notified of. */
const isSettled = ({ key, definition }: Entity): Sql => {
  const steps = definition.workflow?.steps.filter(({ final }) => final)
  return anyOf([
    sql`NOT ${notDeleted('r')}`,
    ...(steps ? [sql`r._step = ANY (${texts(steps.map((step) => step.key))})`] : []),
    ...(key === 'task' ? [sql`r.is_completed`] : []),
  ])
}
