/**
 * The heartbeat of the open streams: spread over the interval, so that they are never all written, or read, at
 * once.
 */
import { ApiError } from '../../errors.ts'
import type { Stream } from './stream.ts'

export type Heartbeat = {
  readonly add: (stream: Stream) => void
  readonly remove: (stream: Stream) => void
  readonly stop: () => void
}

const groupCount = 25

/**
 * Starts a heartbeat that reaches every stream once in `intervalMs`, and closes those whose caller is
 * rejected. `look` reads what is new to a stream: a lost signal delays a notification until then.
 */
export const startHeartbeat = (intervalMs: number, look: (stream: Stream) => void): Heartbeat => {
  const groups = Array.from({ length: groupCount }, () => new Set<Stream>())
  let lastFilled = 0
  let current = 0
  const timer = setInterval(() => {
    current = (current + 1) % groupCount
    for (const stream of groups[current] ?? []) {
      sendHeartbeat(stream)
      look(stream)
    }
  }, intervalMs / groupCount).unref()
  return {
    add: (stream) => {
      lastFilled = (lastFilled + 1) % groupCount
      groups[lastFilled]?.add(stream)
    },
    remove: (stream) => {
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
