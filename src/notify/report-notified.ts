/**
 * Reports the result of a rule for one change: how many notifications it stored, and whom it skipped, with
 * the reason.
 */
import type { Person } from '../auth/caller.ts'
import type { Observe } from '../observations.ts'
import type { NotificationEvent } from '../outbox/events/notification-event.ts'
import type { Notified } from './notify-users.ts'
import type { Candidate, Groups } from './rules/resolve-recipients.ts'

export type Report = {
  /** The users to notify; the others are counted. */
  readonly withoutSkipped: (candidates: readonly Candidate[]) => Person[]
  readonly add: (notified: Notified) => void
  readonly addUnreadDueDates: (count: number) => void
  readonly end: (observe: Observe, event: NotificationEvent, groups: Groups) => void
}

// The number of skipped users, and the first of them, because there may be very many.
const maxNamed = 20

/** Nothing is reported before the end. */
export const createReport = (): Report => {
  const skipped = new Map<string, { count: number; readonly userIds: number[] }>()
  let stored = 0
  let unreadDueDates = 0
  const skip = (reason: string, userId: number) => {
    const users = skipped.get(reason) ?? { count: 0, userIds: [] }
    users.count++
    if (users.userIds.length < maxNamed) users.userIds.push(userId)
    skipped.set(reason, users)
  }
  return {
    withoutSkipped: (candidates) =>
      candidates.flatMap(({ id, reason, role }) => {
        if (reason === null) return [{ userId: id, roleKey: role ?? '' }]
        skip(reason, id)
        return []
      }),
    add: (notified) => {
      stored += notified.stored
      for (const { reason, userId } of notified.skipped) skip(reason, userId)
    },
    addUnreadDueDates: (count) => {
      unreadDueDates += count
    },
    end: (observe, event, groups) => {
      const about = { entity: event.entityKey, id: event.entityId, entry: Number(event.rule) }
      for (const [reason, users] of skipped)
        observe({ kind: 'recipientsSkipped', ...about, reason, ...users })
      observe({ kind: 'notificationsStored', ...about, stored })
      // Not an error of the job: the members of a missing group are unknown.
      for (const group of groups.missing) observe({ kind: 'groupUnknown', ...about, group })
      // No error either: users are notified, although nobody can tell when something is due.
      if (unreadDueDates > 0) observe({ kind: 'dueDateUnread', ...about, count: unreadDueDates })
    },
  }
}
