/**
 * A row of the hostile corpus has a caller, requests and allowed statuses. The limits for memory, blocking and
 * response times of others are the same for all rows (a-hostile-service.ts).
 */
import type { Hostile } from './a-hostile-service.ts'

export type Sent = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  readonly path: string
  /** Sent as JSON, or unchanged when it is a string. */
  readonly body?: unknown
  /** Sent instead of the caller's own credential. */
  readonly credential?: string
}

export type Row = {
  readonly name: string
  readonly caller: 'anonymous' | 'reader' | 'clerk' | 'creator'
} & (Requests | Attack)

type Requests = {
  /** Creates the requests, just before they are sent. */
  readonly send: () => readonly Sent[]
  /** The statuses that each response may have. */
  readonly allowedStatuses: readonly number[]
  /** The number of concurrent requests; 1 by default. */
  readonly concurrency?: number
  /** The maximum size of a response, in bytes; 100,000 by default. */
  readonly maxBytes?: number
}

/** An attack that is more than requests and responses, and makes its own assertions. */
type Attack = { readonly attack: (hostile: Hostile) => Promise<void> }

export const megabytes = 4_000_000
/** Four megabytes of a repeated text. */
export const filledWith = (text: string) => text.repeat(Math.floor(megabytes / text.length))
export const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i.toString(36)}`, 1]))
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

export const post = (path: string, body: unknown): Sent => ({ method: 'POST', path, body })
export const search = (criteria: unknown): Sent => post('/client/search?limit=1', criteria)
export const where = (condition: unknown): Sent => search({ $where: condition })
