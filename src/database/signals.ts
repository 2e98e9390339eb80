/**
 * Signals to every process (NOTIFY) that something was committed. A transaction that notifies blocks every other one
 * that does until it is on the disk: PostgreSQL has one lock for all of them. So a change only collects its signals,
 * and they are sent after the commit, by a transaction that has nothing to write.
 */
import { AsyncResource } from 'node:async_hooks'
import { bound, type SignalChannel, type SignalValue, type Sql, sql } from './sql.ts'

/** A channel with what was committed. */
export type Signal = {
  readonly channel: SignalChannel
  readonly values: readonly SignalValue[]
}

export type Signaller = {
  /** Resolves when the signals are sent, or are lost. */
  readonly signal: (signals: readonly Signal[]) => Promise<void>
  /** Resolves when nothing is to be sent. */
  readonly settled: () => Promise<void>
}

type Batch = {
  /** Lists of values, joined at the end: an event may have a million recipients. */
  readonly values: Map<SignalChannel, (readonly SignalValue[])[]>
  readonly sent: PromiseWithResolvers<void>
}

/**
 * Sends signals by `send`, one statement at a time: what is committed meanwhile shares the next one. A signal that
 * cannot be sent is lost and only delays, because every receiver also looks at intervals.
 */
export const createSignaller = (send: (statement: Sql) => Promise<unknown>): Signaller => {
  // A batch is of many requests, so it belongs to none.
  const sendApart = AsyncResource.bind(send)
  let next: Batch | undefined
  let isSending = false
  let sending = Promise.resolve()
  const sendAll = async () => {
    isSending = true
    while (next) {
      const batch = next
      next = undefined
      const statement = statementOf(batch)
      if (statement) await sendApart(statement).catch(() => undefined)
      batch.sent.resolve()
    }
    isSending = false
  }
  return {
    signal: (signals) => {
      next ??= { values: new Map(), sent: Promise.withResolvers() }
      const { values: waiting, sent } = next
      for (const { channel, values } of signals) {
        const lists = waiting.get(channel)
        if (lists) lists.push(values)
        else waiting.set(channel, [values])
      }
      if (!isSending) sending = sendAll()
      return sent.promise
    },
    settled: () => sending,
  }
}

const statementOf = ({ values }: Batch): Sql | undefined => {
  const payloads = [...values].flatMap(([{ name, payloadOf }, lists]) => {
    const payload = payloadOf(lists.flat())
    return payload === undefined ? [] : [{ name, payload }]
  })
  if (payloads.length === 0) return undefined
  const names = bound(
    payloads.map(({ name }) => name),
    'text[]',
  )
  const texts = bound(
    payloads.map(({ payload }) => payload),
    'text[]',
  )
  return sql`SELECT pg_notify(s.name, s.payload) FROM unnest(${names}, ${texts}) AS s(name, payload)`
}
