/**
 * Sends updates to the open streams of this process: a listener receives which users' notifications have
 * changed, and one statement at a time reads the updates of all of them.
 */
import { callerChangedChannel } from '../../auth/callers/caller-change-store.ts'
import type { Listener } from '../../database/listener.ts'
import type { Pool } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { errorText } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { changedChannel } from '../changed-channel.ts'
import { findEndedDates } from '../settled-store.ts'
import { createCoalescedTask } from './coalesced-task.ts'
import type { Stream } from './stream.ts'
import { createOpenStreams, type OpenStreams } from './stream-registry.ts'
import { listActiveUserIds, readUpdates } from './stream-updates.ts'

export type NotificationWatch = OpenStreams & {
  /** Reads the updates of a user soon. */
  readonly look: (userId: number) => void
  readonly close: () => Promise<void>
}

type Options = {
  readonly listener: Listener
  readonly pool: Pool
  readonly catalog: Catalog
  readonly observe: Observe
  /** Interval in which each stream gets a heartbeat and its caller is authenticated again. */
  readonly heartbeatMs?: number
}

const usersAtOnce = 1000

/** Subscribes to changes; while they cannot be received, every user with a stream is read at intervals. */
export const watchNotifications = (options: Options): NotificationWatch => {
  const { listener, pool, catalog, observe, heartbeatMs = 25_000 } = options
  const onLost = (reason: string) => observe({ kind: 'notificationPushDelayed', reason })
  const onFailure = (error: unknown) => onLost(errorText(error))
  const changed = new Set<number>()
  const look = (userId: number) => {
    if (open.countOf(userId) === 0) return
    changed.add(userId)
    updates.trigger()
  }
  const open = createOpenStreams({ heartbeatMs, look: ({ userId }) => look(userId) })
  const updates = createCoalescedTask({
    run: () => sendUpdates({ pool, catalog, open, changed }),
    onFailure,
  })
  const lookAtAll = () => open.userIds().forEach(look)
  listener.subscribe({
    channels: {
      [changedChannel.name]: (users) =>
        users === '*' ? lookAtAll() : users.split(',').map(Number).forEach(look),
    },
    onListening: lookAtAll,
    onSilent: lookAtAll,
    onLost,
  })
  const access = createCoalescedTask({ run: () => closeRevokedStreams(pool, open), onFailure })
  listener.subscribe({
    channels: { [callerChangedChannel]: access.trigger },
    onListening: access.trigger,
  })
  const close = async () => {
    open.endStreams()
    await Promise.all([updates.stop(), access.stop()])
  }
  return { ...open, look, close }
}

type Sending = Pick<Options, 'pool' | 'catalog'> & {
  readonly open: OpenStreams
  readonly changed: Set<number>
}

/** Reads the updates of users, and sends each stream what is new to it. */
const sendUpdates = async ({ pool, catalog, open, changed }: Sending): Promise<boolean> => {
  const userIds = [...changed].slice(0, usersAtOnce)
  // Before the statement: changes while it runs are read again.
  for (const userId of userIds) changed.delete(userId)
  const requests = userIds.flatMap((userId) => requestOf(userId, open.streamsOf(userId)))
  if (requests.length === 0) return changed.size > 0
  try {
    const updates = await readUpdates(pool, requests)
    const read = [...updates.values()].flatMap(({ rows }) => rows)
    const ended = await findEndedDates(pool, catalog, read)
    for (const { userId, own } of requests) {
      const found = updates.get(userId)
      if (!found) continue
      const rows = found.rows.map((row) => ended.get(row) ?? row)
      for (const stream of own) if (stream.isReady()) stream.send({ ...found, rows })
      if (found.isCut) changed.add(userId)
    }
  } catch (error) {
    for (const userId of userIds) changed.add(userId)
    throw error
  }
  return changed.size > 0
}

/** The streams of a user that accept updates now, and the earliest of their positions. */
const requestOf = (userId: number, all: readonly Stream[]) => {
  const own = all.filter((stream) => stream.isReady())
  const positions = own.map((stream) => stream.position()).filter((one) => one !== undefined)
  return own.length === 0 ? [] : [{ userId, own, after: positions.sort()[0] ?? null }]
}

/** Closes the streams of users who were blocked or removed, or lost their role. */
const closeRevokedStreams = async (pool: Pool, open: OpenStreams): Promise<boolean> => {
  const userIds = open.userIds()
  if (userIds.length === 0) return false
  const active = await listActiveUserIds(pool, userIds)
  for (const userId of userIds.filter((id) => !active.has(id)))
    for (const stream of open.streamsOf(userId)) stream.end()
  return false
}
