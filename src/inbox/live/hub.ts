/**
 * The open streams of this process, and what they are sent: a listener receives which users' notifications have changed
 * (notification-updates.ts), and the history is read for the streams that watch records (record-watch.ts).
 */
import { callerChangedChannel } from '../../auth/callers/caller-change-store.ts'
import type { Permissions } from '../../auth/permissions.ts'
import type { Listener } from '../../database/listener.ts'
import type { Pool } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { ApiError, errorText } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { changedChannel } from '../notification.ts'
import { createCoalescedTask } from './coalesced-task.ts'
import { listActiveUserIds, sendUpdates } from './notification-updates.ts'
import { createRecordWatch, type Watching } from './record-watch.ts'
import type { Stream } from './stream.ts'

export type LiveHub = {
  /** Resolves when every later change of a record will be sent to the streams that watch it. */
  readonly startWatching: () => Promise<void>
  /** `watching` are the records that the stream watches, if any. */
  readonly add: (stream: Stream, watching?: Watching) => void
  readonly remove: (stream: Stream) => void
  /** Reads the updates of a user soon. */
  readonly readSoon: (userId: number) => void
  /** The number of open streams. */
  readonly count: () => number
  /** The number of open streams of a user. */
  readonly countOf: (userId: number) => number
  /** Closes the streams that are open now, spread over the time. */
  readonly endStreamsWithin: (ms: number) => void
  /** Closes every stream, also one that is added later. */
  readonly endStreams: () => void
  readonly close: () => Promise<void>
}

type Options = {
  readonly listener: Listener
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  /** Resolves when every replica that answers reads has what is committed now: clients then read the changed records. */
  readonly settled?: (() => Promise<void>) | undefined
  readonly observe: Observe
  /** Interval in which each stream gets a heartbeat and its caller is authenticated again. */
  readonly heartbeatMs?: number
}

/** Subscribes to changes; while they cannot be received, every user with a stream is read at intervals. */
export const openHub = (options: Options): LiveHub => {
  const { listener, pool, catalog, observe, heartbeatMs = 25_000 } = options
  const onLost = (reason: string) => observe({ kind: 'notificationPushDelayed', reason })
  const onFailure = (error: unknown) => onLost(errorText(error))
  const streams = new Map<number, Set<Stream>>()
  const streamsOf = (userId: number) => [...(streams.get(userId) ?? [])]
  const allStreams = () => [...streams.values()].flatMap((own) => [...own])
  const changed = new Set<number>()
  const updates = createCoalescedTask({
    run: () => sendUpdates({ pool, catalog, streamsOf, changed }),
    onFailure,
  })
  const readSoon = (userId: number) => {
    if (!streams.has(userId)) return
    changed.add(userId)
    updates.trigger()
  }
  const readAll = () => [...streams.keys()].forEach(readSoon)
  const access = createCoalescedTask({ run: () => endRevoked(pool, streams), onFailure })
  listener.subscribe({
    channels: {
      [changedChannel.name]: (users) =>
        users === '*' ? readAll() : users.split(',').map(Number).forEach(readSoon),
      [callerChangedChannel]: access.trigger,
    },
    onListening: () => {
      readAll()
      access.trigger()
    },
    onSilent: readAll,
    onLost,
  })
  const watch = createRecordWatch({ ...options, onFailure })
  const heartbeat = startHeartbeat(heartbeatMs, ({ userId }) => readSoon(userId))
  let isEnding = false
  const endStreams = () => {
    isEnding = true
    heartbeat.stop()
    for (const stream of allStreams()) stream.end()
  }
  return {
    startWatching: watch.start,
    add: (stream, watching) => {
      if (watching) watch.add(stream, watching)
      if (isEnding) return stream.end()
      streams.set(stream.userId, (streams.get(stream.userId) ?? new Set()).add(stream))
      heartbeat.add(stream)
      readSoon(stream.userId)
    },
    remove: (stream) => {
      const own = streams.get(stream.userId)
      if (own?.delete(stream) && own.size === 0) streams.delete(stream.userId)
      heartbeat.remove(stream)
      watch.remove(stream)
    },
    readSoon,
    count: () => allStreams().length,
    countOf: (userId) => streams.get(userId)?.size ?? 0,
    endStreamsWithin: (ms) => {
      for (const stream of allStreams()) setTimeout(stream.end, Math.random() * ms).unref()
    },
    endStreams,
    close: async () => {
      endStreams()
      await Promise.all([updates.stop(), access.stop(), watch.close()])
    },
  }
}

/** Closes the streams of users who were blocked or removed, or lost their role. */
const endRevoked = async (
  pool: Pool,
  streams: ReadonlyMap<number, ReadonlySet<Stream>>,
): Promise<boolean> => {
  const userIds = [...streams.keys()]
  if (userIds.length === 0) return false
  const active = await listActiveUserIds(pool, userIds)
  for (const userId of userIds)
    if (!active.has(userId)) for (const stream of [...(streams.get(userId) ?? [])]) stream.end()
  return false
}

const groupCount = 25

/**
 * Reaches every stream once in `intervalMs`, and closes those whose caller is rejected. The streams are spread over the
 * interval, so that they are never all written or read at once. `read` reads what is new to a stream: a lost signal delays
 * a notification until then.
 */
const startHeartbeat = (intervalMs: number, read: (stream: Stream) => void) => {
  const groups = Array.from({ length: groupCount }, () => new Set<Stream>())
  let lastFilled = 0
  let current = 0
  const timer = setInterval(() => {
    current = (current + 1) % groupCount
    for (const stream of groups[current] ?? []) {
      sendHeartbeat(stream)
      read(stream)
    }
  }, intervalMs / groupCount).unref()
  return {
    add: (stream: Stream) => {
      lastFilled = (lastFilled + 1) % groupCount
      groups[lastFilled]?.add(stream)
    },
    remove: (stream: Stream) => {
      for (const group of groups) group.delete(stream)
    },
    stop: () => clearInterval(timer),
  }
}

const sendHeartbeat = (stream: Stream): void => {
  stream.sendHeartbeat()
  // The token may have expired or the key be revoked. An unavailable database proves neither.
  stream.authenticate().catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'caller.unauthenticated') stream.end()
  })
}
