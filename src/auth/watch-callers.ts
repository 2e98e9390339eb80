/**
 * Keeps the callers in memory honest: a connection of its own hears of every change of a user,
 * role or API key. While it does not hear, the memory is closed and every request asks.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { errorText } from '../errors.ts'
import type { Observe } from '../observations.ts'
import type { CallerCache } from './caller-cache.ts'
import { listenForCallerChanges, tellListeners } from './caller-change-store.ts'

type Options = {
  readonly connectionString: string
  readonly callers: CallerCache
  readonly observe: Observe
}

export type CallerWatch = { readonly close: () => Promise<void> }

const beatEveryMs = 10_000
const answerWithinMs = 5_000
const longestPauseMs = 5_000
const beat = 'beat '

/** Begins to listen; answers after the first attempt, whether it succeeded or not. */
export const watchCallers = async (options: Options): Promise<CallerWatch> => {
  const stop = new AbortController()
  const attempted = Promise.withResolvers<void>()
  const ended = listenAgainAndAgain(options, stop.signal, attempted.resolve)
  await attempted.promise
  return {
    close: () => {
      stop.abort()
      return ended
    },
  }
}

const listenAgainAndAgain = async (
  options: Options,
  stop: AbortSignal,
  onAttempt: () => void,
): Promise<void> => {
  let failures = 0
  const onListening = () => {
    failures = 0
    onAttempt()
  }
  while (!stop.aborted) {
    try {
      await listenUntilLost(options, stop, onListening)
    } catch (error) {
      if (stop.aborted) return
      // Told once: the attempts that follow belong to the same loss.
      if (failures === 0) options.observe({ kind: 'callerCacheCleared', reason: errorText(error) })
      failures++
      onAttempt()
    }
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** failures) * (0.5 + Math.random() / 2)
    await delay(pauseMs, undefined, { ref: false, signal: stop }).catch(() => undefined)
  }
}

const listenUntilLost = async (
  { connectionString, callers }: Options,
  stop: AbortSignal,
  onListening: () => void,
): Promise<never> => {
  const client = new pg.Client({
    connectionString,
    application_name: 'docket callers',
    connectionTimeoutMillis: answerWithinMs,
    keepAlive: true,
  })
  const lost = lossOf(client, stop)
  client.on('notification', ({ payload }) => {
    if (!payload?.startsWith(beat)) callers.forget()
  })
  try {
    await Promise.race([lost, client.connect()])
    await Promise.race([lost, listenForCallerChanges(client)])
    await Promise.race([lost, hearOwnBeat(client)])
    callers.open()
    onListening()
    for (;;) {
      await Promise.race([lost, delay(beatEveryMs, undefined, { ref: false, signal: stop })])
      await Promise.race([lost, hearOwnBeat(client)])
    }
  } finally {
    callers.close()
    await within(1_000, client.end()).catch(() => undefined)
  }
}

const lossOf = (client: pg.Client, stop: AbortSignal): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  const onStop = () => reject(stop.reason)
  stop.addEventListener('abort', onStop)
  client.on('error', reject)
  client.on('end', () => {
    stop.removeEventListener('abort', onStop)
    reject(new Error('The connection ended.'))
  })
  return promise
}

// A connection may be dead without a word, and a pooler between may swallow notifications: only
// what comes back proves that changes are heard.
const hearOwnBeat = async (client: pg.Client): Promise<void> => {
  const payload = `${beat}${randomUUID()}`
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  const hear = (notification: pg.Notification) => {
    if (notification.payload === payload) resolve()
  }
  client.on('notification', hear)
  try {
    await within(answerWithinMs, Promise.all([tellListeners(client, payload), heard]))
  } finally {
    client.off('notification', hear)
  }
}

const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
  const ended = new AbortController()
  const late = delay(ms, undefined, { ref: false, signal: ended.signal }).then(() => {
    throw new Error(`PostgreSQL did not answer within ${ms} ms.`)
  })
  try {
    await Promise.race([work, late])
  } finally {
    late.catch(() => undefined)
    ended.abort()
  }
}
