/** The ids of notifications: the same for every attempt, so that each is stored once. */
import { hash } from 'node:crypto'
import type { NotificationEvent } from '../outbox/events/notification-event.ts'

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
