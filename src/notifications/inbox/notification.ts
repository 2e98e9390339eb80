/** A stored notification, in the database and for its owner. */
import { isoTime, sql } from '../../database/sql.ts'
import { relativeTime } from './notification-due-date.ts'

/** What one recipient reads; `due_at` is a time, from which the text "in 1 day" is computed at each read. */
export type StoredContent = {
  readonly icon: string
  readonly title: string
  readonly message: string
  readonly url: string | null
  /** ISO 8601 UTC. */
  readonly due_at: string | null
  /** The task that is due, of a notification of one. */
  readonly task_id?: number
  /** The step in which the record is due, of a notification of a workflow action: the one to which it led. */
  readonly step?: string
}

/** The table of notifications. */
export const notifications = sql`docket.notification`

/** The table of their counters, one row per user. */
export const counters = sql`docket.notification_count`

/** The notifications that a caller requests (docs/notifications.md). */
export const statuses = ['all', 'seen', 'unseen'] as const
export type Status = (typeof statuses)[number]

/** A row as `rowColumns` read it. */
export type NotificationRow = {
  readonly _id: string
  readonly user_id: number
  readonly entity_key: string
  readonly entity_id: number
  /** JSON of a StoredContent. */
  readonly content: string
  /** ISO 8601 UTC. */
  readonly timestamp: string
  readonly seen: boolean
}

/** The columns of a NotificationRow, of a notification `n`. */
export const rowColumns = sql`n._id, n.user_id, n.entity_key, n.entity_id, n.content, ${isoTime('n.timestamp')} AS timestamp, n.seen`

/** The content in responses; its due date, if any, in words of a language, relative to now. */
export const contentOf = (stored: StoredContent, language: string, now = Date.now()) => {
  const { icon, title, message, url, due_at } = stored
  const content = { icon, title, message, url }
  if (due_at === null) return content
  return { ...content, due_date: relativeTime(Date.parse(due_at) - now, language) }
}

/** The notification in responses. */
export const recordOf = (row: NotificationRow, language: string, now = Date.now()) => {
  const { _id, user_id, entity_key, entity_id, timestamp, seen } = row
  const content = contentOf(JSON.parse(row.content), language, now)
  return { _id, user_id, entity_key, entity_id, content, timestamp, seen }
}
