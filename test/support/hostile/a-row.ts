/**
 * A row of the hostile corpus: a caller, requests, and what each response may be. `npm test` sends a sample of the rows
 * (service/hostile/corpus.test.ts); all of them are measured too (long/corpus/corpus.test.ts).
 */
import assert from 'node:assert/strict'
import type { Reply } from '../service.ts'

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
  /** Creates the requests, just before they are sent. */
  readonly send: () => readonly Sent[]
  /** The statuses that each response may have. */
  readonly allowedStatuses: readonly number[]
  /** The number of concurrent requests; 1 by default. */
  readonly concurrency?: number
  /** The maximum size of a response, in bytes; 100,000 by default. */
  readonly maxBytes?: number
}

/** A row whose requests are sent one after the other, with small answers. */
export const row = (
  name: string,
  caller: Row['caller'],
  allowedStatuses: readonly number[],
  send: Row['send'],
  more: Partial<Row> = {},
): Row => ({ name, caller, allowedStatuses, send, ...more })

/** Sends a request as a user of the project, by name, or without a token (null). */
export type Ask = (
  user: string | null,
  method: string,
  path: string,
  body?: unknown,
  credential?: string,
) => Promise<Reply>

/** Sends the requests of a row. Fails on a status that is not allowed, and on a response that is too large. */
export const sendRow = async (ask: Ask, row: Row): Promise<void> => {
  const { caller, allowedStatuses, maxBytes = 100_000, concurrency = 1 } = row
  const user = caller === 'anonymous' ? null : caller
  const queue = [...row.send()]
  const next = async (): Promise<void> => {
    for (let sent = queue.shift(); sent; sent = queue.shift()) {
      const { status, text } = await ask(user, sent.method, sent.path, sent.body, sent.credential)
      assert.ok(allowedStatuses.includes(status), `${status}: ${text.slice(0, 300)}`)
      assert.ok(text.length <= maxBytes, `the response has ${text.length} bytes`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, next))
}

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
