/** A stored notification: its id, its row, what its owner reads, and the channel that signals whose notifications have changed. */
import { hash } from 'node:crypto'
import {
  isoTime,
  type SignalChannel,
  type Sql,
  signalled,
  sql,
  timestamp,
} from '../database/sql.ts'
import type { NotificationEvent } from '../outbox/events/notification-event.ts'
import { relativeTime, type Wording } from './relative-time.ts'

/** What one recipient reads; `due_at` is a time, from which the text "in 1 day" is computed at each read. */
export type StoredContent = {
  readonly icon: string
  readonly title: string
  readonly message: string
  readonly url: string | null
  /** ISO 8601 UTC. */
  readonly due_at: string | null
  /** Whether the message contains the comment of the action, so that an e-mail need not repeat it. */
  readonly has_comment?: boolean
  /** The comment on the record that it is about. */
  readonly comment_id?: number
  /** The task that is due, of a notification of one. */
  readonly task_id?: number
  /** The step in which the record is due, of a notification of a workflow action: the one to which it led. */
  readonly step?: string
}

/** The table of notifications. */
export const notifications = sql`docket.notification`

/** The table of their counters, one row per user. */
export const counters = sql`docket.notification_count`

/** Whether a notification `n` of a user is not removed: removed ones stay in the table until their month is dropped. */
export const isKept = (userId: Sql): Sql =>
  sql`n.timestamp >= (SELECT k.kept_from FROM ${counters} k WHERE k.user_id = ${userId})`

/** Whether a notification `n` is not snoozed: one that is away is neither listed, marked nor counted. */
export const isHere = sql`NOT EXISTS (SELECT FROM docket.snooze z WHERE z.notification_id = n._id)`

/**
 * Whether the event of a notification `n` was not before one time and not after the other, in milliseconds. PostgreSQL then reads
 * the partitions of these times alone, also by a plan that it keeps: it calls a function that is not immutable when it begins.
 */
export const isWithin = (first: number, last: number): Sql => {
  const at = (time: number) => timestamp(new Date(Math.min(time, latestMs)))
  return sql`n._id >= docket.first_id(${at(first)}) AND n._id < docket.first_id(${at(last + 1)})`
}

// PostgreSQL reads no year of five digits as JavaScript writes it.
const latestMs = Date.UTC(9999, 11, 31)

/**
 * A value that the planner does not see: otherwise PostgreSQL plans the statement again for each list, because the lengths differ,
 * and planning takes much longer where a table has partitions.
 */
export const unplanned = (value: Sql): Sql => sql`(SELECT ${value})`

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
  /** ISO 8601 UTC, of one that is away. */
  readonly snoozed_until?: string
}

/** The columns of a NotificationRow, of a notification `n`. */
export const rowColumns = sql`n._id, n.user_id, n.entity_key, n.entity_id, n.content, ${isoTime('n.timestamp')} AS timestamp, n.seen`

/** The content in responses; its due date, if any, in words, relative to now. */
export const contentOf = (stored: StoredContent, wording: Wording, now = Date.now()) => {
  const { icon, title, message, url, due_at, comment_id } = stored
  const content = { icon, title, message, url, ...(comment_id !== undefined && { comment_id }) }
  if (due_at === null) return content
  return { ...content, due_date: relativeTime(Date.parse(due_at), now, wording) }
}

/** The notification in responses. */
export const recordOf = (row: NotificationRow, wording: Wording, now = Date.now()) => {
  const { _id, user_id, entity_key, entity_id, timestamp, seen, snoozed_until: until } = row
  const content = contentOf(JSON.parse(row.content), wording, now)
  const record = { _id, user_id, entity_key, entity_id, content, timestamp, seen }
  return until ? { ...record, snoozed_until: until } : record
}

/**
 * An id for each user: a UUIDv7 of the time of the event, whose other bits are a hash of event, rule and
 * user. The same as docket.notification_id; computing it here costs a fifth, and it can be passed to a
 * statement.
 */
export const notificationIds = (
  { id, rule, at }: NotificationEvent,
  userIds: readonly number[],
): string[] => {
  const time = Date.parse(at).toString(16).padStart(12, '0')
  // PostgreSQL counts characters, JavaScript UTF-16 units.
  const named = `${[...id].length} ${id} ${rule} `
  return userIds.map((userId) => {
    const digest = hash('md5', `${named}${userId}`)
    const variant = '89ab'[Number.parseInt(digest.charAt(16), 16) % 4]
    return `${time}7${digest.slice(13, 16)}${variant}${digest.slice(17)}`
  })
}

// A payload has at most 8,000 bytes; beyond so many users every process updates all of its streams.
const maxNamed = 500

/** Its values are ids of users, several with commas between them; the payload `*` means all users. */
export const changedChannel: SignalChannel = {
  name: 'docket_notification',
  payloadOf: (values) => {
    const userIds = new Set(values.flatMap((ids) => String(ids).split(',')))
    return userIds.size > maxNamed ? '*' : [...userIds].join(',')
  },
}

/** The column `notified` over the column `user_id`: the streams of these users are updated after the commit. */
export const changedUsers = signalled(
  changedChannel,
  sql`string_agg(DISTINCT user_id::text, ',')`,
  'notified',
)
