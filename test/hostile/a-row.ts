/**
 * A row of the hostile corpus says who asks for what, which answers are right, and nothing else; what must
 * not happen meanwhile is the same for all (a-hostile-service.ts).
 */
import type { Hostile } from './a-hostile-service.ts'

export type Sent = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  readonly path: string
  /** Sent as JSON, or as it is when it is a string. */
  readonly body?: unknown
  /** Sent in the place of the caller's own. */
  readonly credential?: string
}

export type Row = {
  readonly name: string
  readonly who: 'nobody' | 'reader' | 'clerk' | 'creator'
} & (Requests | Attack)

type Requests = {
  /** What is sent, made only when its turn comes. */
  readonly send: () => readonly Sent[]
  /** The statuses that each answer may have. */
  readonly answers: readonly number[]
  /** How many are sent at the same time; one after the other unless it is said. */
  readonly atOnce?: number
  /** The largest answer, in bytes; 100,000 unless it is said. */
  readonly maxBytes?: number
}

/** What is more than requests and answers, and checks by itself what becomes of it. */
type Attack = { readonly attack: (hostile: Hostile) => Promise<void> }

export const megabytes = 4_000_000
/** Four megabytes of a piece. */
export const filledWith = (piece: string) => piece.repeat(Math.floor(megabytes / piece.length))
export const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i.toString(36)}`, 1]))
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

export const post = (path: string, body: unknown): Sent => ({ method: 'POST', path, body })
export const search = (criteria: unknown): Sent => post('/client/search?limit=1', criteria)
export const where = (condition: unknown): Sent => search({ $where: condition })
