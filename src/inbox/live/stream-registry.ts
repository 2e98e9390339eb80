/** The open streams of this process, by user, with their heartbeat. */
import { startHeartbeat } from './heartbeat.ts'
import type { Stream } from './stream.ts'

export type OpenStreams = {
  readonly add: (stream: Stream) => void
  readonly remove: (stream: Stream) => void
  /** Users with a stream. */
  readonly userIds: () => number[]
  readonly streamsOf: (userId: number) => Stream[]
  /** The number of open streams. */
  readonly count: () => number
  /** The number of open streams of a user. */
  readonly countOf: (userId: number) => number
  /** Closes the streams that are open now, spread over the time. */
  readonly endStreamsWithin: (ms: number) => void
  /** Closes every stream, also one that is added later. */
  readonly endStreams: () => void
}

type Options = {
  readonly heartbeatMs: number
  /** Reads what is new to a stream: when it is added, and with every heartbeat. */
  readonly look: (stream: Stream) => void
}

/** Creates an empty registry. */
export const createOpenStreams = ({ heartbeatMs, look }: Options): OpenStreams => {
  const streams = new Map<number, Set<Stream>>()
  const heartbeat = startHeartbeat(heartbeatMs, look)
  let isEnding = false
  return {
    add: (stream) => {
      if (isEnding) return stream.end()
      streams.set(stream.userId, (streams.get(stream.userId) ?? new Set()).add(stream))
      heartbeat.add(stream)
      look(stream)
    },
    remove: (stream) => {
      const own = streams.get(stream.userId)
      if (own?.delete(stream) && own.size === 0) streams.delete(stream.userId)
      heartbeat.remove(stream)
    },
    userIds: () => [...streams.keys()],
    streamsOf: (userId) => [...(streams.get(userId) ?? [])],
    count: () => [...streams.values()].reduce((sum, own) => sum + own.size, 0),
    countOf: (userId) => streams.get(userId)?.size ?? 0,
    endStreamsWithin: (ms) => {
      for (const stream of [...streams.values()].flatMap((own) => [...own]))
        setTimeout(() => stream.end(), Math.random() * ms).unref()
    },
    endStreams: () => {
      isEnding = true
      heartbeat.stop()
      for (const own of streams.values()) for (const stream of own) stream.end()
    },
  }
}
