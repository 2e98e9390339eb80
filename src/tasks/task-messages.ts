/** Notifications of tasks: jobs for the notification engine, enqueued in the statement of the change. */
import { execute, type Pool, queryRow } from '../database/pool.ts'
import { int, isoTime, notDeleted, raw, type Sql, sql, table } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { enqueue, jobKind, jobsIn } from '../jobs/job.ts'

// Notifications and calendar entries show no more of a description.
const maxLineLength = 200

/** The first line of a description, cut between characters. */
export const firstLine = (text: string | null): string => {
  const [line = ''] = (text ?? '').split(/[\r\n]/, 1)
  // A character has one or two UTF-16 units.
  return [...line.slice(0, 2 * maxLineLength)].slice(0, maxLineLength).join('')
}

/** The payload of the job; in snake_case, since PostgreSQL writes it. */
export type TaskMessage = {
  /** Identifies the event: it is handled once, however often the job runs. */
  readonly event: string
  readonly kind: 'assigned' | 'due_soon' | 'overdue'
  readonly task_id: number
  /** The user to notify; null for the assignee at the time when the job runs. */
  readonly user_id: number | null
  /** Who did it; null for reminders. */
  readonly actor_id: number | null
  /** Of an assignment: the first line of the description at that time. */
  readonly description: string | null
  /** ISO 8601; a reminder is out of date if the due date of the task is another one. */
  readonly due_date: string | null
  /** When it happened, ISO 8601; of a reminder, when its row of docket.task_notice was written. */
  readonly at: string
}

/** The job that notifies an assignee. */
export const notifyTask = jobKind<TaskMessage>('task.tell')

/**
 * Builds the expression that enqueues the notification of the assignee of the task under an alias; null without
 * an assignee. The job has all that it needs: it notifies of the assignment even if the task changes meanwhile.
 */
export const notifyAssigned = (alias: string, actorId: number): Sql => {
  const row = raw(alias)
  const firstLine = sql`left(substring(${row}.description FROM '^[^\\r\\n]*'), ${int(maxLineLength)})`
  const payload = sql`json_build_object(
    'event', gen_random_uuid(),
    'kind', 'assigned',
    'task_id', ${row}.id,
    'user_id', ${row}.assigne_id,
    'actor_id', ${int(actorId)},
    'description', ${firstLine},
    'due_date', ${row}.due_date,
    'at', ${isoTime('now()')}
  )`
  return sql`CASE WHEN ${row}.assigne_id IS NOT NULL THEN ${enqueue({ kind: notifyTask, payload })} END`
}

// A change notifies of what is due within a day; the sweep notifies of the rest later.
const ahead = sql`interval '24 hours'`

/**
 * Stores a notice for each task of a row source that is due within a day, unless it has one. Returns
 * `task_id, kind, due_date, told_at` of the new notices.
 */
export const insertDueNotifications = (tasks: Sql): Sql =>
  sql`
    INSERT INTO docket.task_notice (task_id, kind, due_date)
    SELECT n.id, CASE WHEN n.due_date <= now() THEN 'overdue' ELSE 'due_soon' END, n.due_date
    FROM ${tasks} n
    WHERE NOT n.is_completed
      AND ${notDeleted('n')}
      AND n.assigne_id IS NOT NULL
      AND n.due_date <= now() + ${ahead}
    ON CONFLICT DO NOTHING
    RETURNING task_id, kind, due_date, told_at`

const dueMessage = sql`json_build_object(
  'event', d.kind || ' ' || d.task_id || ' ' || extract(epoch FROM d.due_date),
  'kind', d.kind,
  'task_id', d.task_id,
  'user_id', NULL,
  'actor_id', NULL,
  'description', NULL,
  'due_date', d.due_date,
  'at', ${isoTime('d.told_at')}
)`

/**
 * The column `due`: enqueues the notifications of the notices in the CTE `due`, and is their number. None for a task that the same
 * statement assigns: the assignment says when it is due, and no user is notified twice in a second.
 */
export const notifyAllDue = (isAssigned: Sql = sql`false`): Sql =>
  jobsIn(
    sql`(
      SELECT count(${enqueue({ kind: notifyTask, payload: dueMessage })})::integer
      FROM due d
      WHERE NOT (${isAssigned})
    )`,
    'due',
  )

// A change that is committed while a sweep runs may have a due date that the sweep has passed.
const overlap = sql`interval '5 minutes'`

/**
 * Enqueues reminders for every task that became due within a day, or overdue, since the last sweep. Returns
 * their number. Any number of processes may sweep: one does it at a time.
 */
export const sweepDueTasks = (pool: Pool): Promise<number> =>
  transaction(pool, async (connection) => {
    const last = sql`SELECT FROM docket.task_sweep FOR UPDATE SKIP LOCKED`
    if ((await execute(connection, last)) === 0) return 0
    const open = sql`
      FROM ${table('task')} t, docket.task_sweep s
      WHERE NOT t.is_completed AND ${notDeleted('t')}`
    const since = sql`s.swept_to - ${overlap}`
    const passed = sql`SELECT t.* ${open} AND t.due_date > ${since} AND t.due_date <= now()`
    const coming = sql`
      SELECT t.* ${open}
        AND t.due_date > ${since} + ${ahead}
        AND t.due_date <= now() + ${ahead}`
    const notices = insertDueNotifications(sql`(${passed} UNION ALL ${coming})`)
    const enqueued = sql`WITH due AS (${notices}) SELECT ${notifyAllDue()}`
    const row = await queryRow<{ due: number }>(connection, enqueued)
    await connection.query('UPDATE docket.task_sweep SET swept_to = now()')
    return row?.due ?? 0
  })
