/**
 * Keeps the open streams of this process told: one connection hears whose notifications have changed,
 * and one statement at a time reads the news of all of them.
 */
import { callerChangedChannel } from '../auth/caller-change-store.ts'
import type { Listener } from '../database/listen.ts'
import type { Pool } from '../database/pool.ts'
import { errorText } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { changedChannel } from './notification.ts'
import type { Stream } from './stream.ts'
import { listWelcome, readNews } from './stream-news.ts'
import { createOpenStreams, type OpenStreams } from './stream-registry.ts'
import { createTurns } from './stream-turns.ts'

export type NotificationWatch = OpenStreams & {
  /** Looks for news of a user. */
  readonly look: (userId: number) => void
  readonly close: () => Promise<void>
}

type Options = {
  readonly listener: Listener
  readonly pool: Pool
  readonly observe: Observe
  /** So often a stream shows that it lives, and its caller is asked for again. */
  readonly beatEveryMs?: number
}

const usersAtOnce = 1000

/** Subscribes to changes; while none can be received, every user with a stream is looked at again and again. */
export const watchNotifications = (options: Options): NotificationWatch => {
  const { listener, pool, observe, beatEveryMs = 25_000 } = options
  const changed = new Set<number>()
  const onLost = (reason: string) => observe({ kind: 'notificationPushDelayed', reason })
  const onFailure = (error: unknown) => onLost(errorText(error))
  const look = (userId: number) => {
    if (open.openOf(userId) === 0) return
    changed.add(userId)
    news.ask()
  }
  const open = createOpenStreams({ beatEveryMs, onAdded: ({ userId }) => look(userId) })
  const news = createTurns({ turn: () => tellNews(pool, open, changed), onFailure })
  const welcome = createTurns({ turn: () => endUnwelcome(pool, open), onFailure })
  const lookAtAll = () => open.userIds().forEach(look)
  listener.subscribe({
    channels: {
      [changedChannel]: (users) =>
        users === '*' ? lookAtAll() : users.split(',').map(Number).forEach(look),
      [callerChangedChannel]: welcome.ask,
    },
    onListening: () => {
      lookAtAll()
      welcome.ask()
    },
    onSilent: lookAtAll,
    onLost,
  })
  const close = async () => {
    open.endStreams()
    await Promise.all([news.stop(), welcome.stop()])
  }
  return { ...open, look, close }
}

/** Reads the news of the users who have some, and gives each stream what is new to it. */
const tellNews = async (pool: Pool, open: OpenStreams, changed: Set<number>): Promise<boolean> => {
  const userIds = [...changed].slice(0, usersAtOnce)
  // Before the question: what changes while it runs is asked for again.
  for (const userId of userIds) changed.delete(userId)
  const asking = userIds.flatMap((userId) => askingOf(userId, open.streamsOf(userId)))
  if (asking.length === 0) return changed.size > 0
  try {
    const found = await readNews(pool, asking)
    for (const { userId, own } of asking) {
      const news = found.get(userId)
      if (!news) continue
      for (const stream of own) if (stream.isReady()) stream.give(news)
      if (news.isCut) changed.add(userId)
    }
  } catch (error) {
    for (const userId of userIds) changed.add(userId)
    throw error
  }
  return changed.size > 0
}

/** Those of a user's streams that take news now, and from where on; only they may be given them. */
const askingOf = (userId: number, all: readonly Stream[]) => {
  const own = all.filter((stream) => stream.isReady())
  const positions = own.map((stream) => stream.position()).filter((one) => one !== undefined)
  return own.length === 0 ? [] : [{ userId, own, after: positions.sort()[0] ?? null }]
}

/** Ends the streams of users who were blocked, removed, or lost their role. */
const endUnwelcome = async (pool: Pool, open: OpenStreams): Promise<boolean> => {
  const userIds = open.userIds()
  if (userIds.length === 0) return false
  const welcome = await listWelcome(pool, userIds)
  for (const userId of userIds.filter((id) => !welcome.has(id)))
    for (const stream of open.streamsOf(userId)) stream.end()
  return false
}
