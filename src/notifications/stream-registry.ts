/** The open streams of this process, by user, with their heart-beat. */
import type { Stream } from './stream.ts'
import { createStreamBeat } from './stream-beat.ts'

export type OpenStreams = {
  readonly add: (stream: Stream) => void
  readonly remove: (stream: Stream) => void
  /** Users with a stream. */
  readonly userIds: () => number[]
  readonly streamsOf: (userId: number) => Stream[]
  /** How many streams a user has open. */
  readonly openOf: (userId: number) => number
  /** Ends every stream, also one that is added later. */
  readonly endStreams: () => void
}

type Options = { readonly beatEveryMs: number; readonly onAdded: (stream: Stream) => void }

/** Makes the list, which is empty. */
export const createOpenStreams = ({ beatEveryMs, onAdded }: Options): OpenStreams => {
  const streams = new Map<number, Set<Stream>>()
  const beat = createStreamBeat(beatEveryMs)
  let isEnding = false
  return {
    add: (stream) => {
      if (isEnding) return stream.end()
      streams.set(stream.userId, (streams.get(stream.userId) ?? new Set()).add(stream))
      beat.add(stream)
      onAdded(stream)
    },
    remove: (stream) => {
      const own = streams.get(stream.userId)
      if (own?.delete(stream) && own.size === 0) streams.delete(stream.userId)
      beat.remove(stream)
    },
    userIds: () => [...streams.keys()],
    streamsOf: (userId) => [...(streams.get(userId) ?? [])],
    openOf: (userId) => streams.get(userId)?.size ?? 0,
    endStreams: () => {
      isEnding = true
      beat.stop()
      for (const own of streams.values()) for (const stream of own) stream.end()
    },
  }
}
