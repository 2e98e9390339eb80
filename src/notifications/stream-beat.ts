/** The heart-beat of the open streams: each in its own second, so that they never beat all at once. */
import { Fault } from '../errors.ts'
import type { Stream } from './stream.ts'

export type StreamBeat = {
  readonly add: (stream: Stream) => void
  readonly remove: (stream: Stream) => void
  readonly stop: () => void
}

const groupCount = 25

/** Makes a heart-beat that reaches every stream once in `everyMs`, and ends those no longer let in. */
export const createStreamBeat = (everyMs: number): StreamBeat => {
  const groups = Array.from({ length: groupCount }, () => new Set<Stream>())
  let next = 0
  let turn = 0
  const timer = setInterval(() => {
    turn = (turn + 1) % groupCount
    for (const stream of groups[turn] ?? []) beatOnce(stream)
  }, everyMs / groupCount).unref()
  return {
    add: (stream) => {
      next = (next + 1) % groupCount
      groups[next]?.add(stream)
    },
    remove: (stream) => {
      for (const group of groups) group.delete(stream)
    },
    stop: () => clearInterval(timer),
  }
}

const beatOnce = (stream: Stream): void => {
  stream.beat()
  // The token may have expired or the key be revoked. A database that is away says nothing of them.
  stream.authenticate().catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'caller.unauthenticated') stream.end()
  })
}
