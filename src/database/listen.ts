/**
 * Hears what PostgreSQL tells (LISTEN) on a connection of its own, which is found again when it is
 * lost. What was told meanwhile is not heard: `onListening` is the moment to look for oneself.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { errorText } from '../errors.ts'
import { tcpSettings } from './session-settings.ts'
import { bound, identifier, sql, toStatement } from './sql.ts'
import { joinUsers } from './users-of-database.ts'

type Options = {
  readonly connectionString: string
  /** How the connection is called in pg_stat_activity. */
  readonly applicationName: string
  /** What to do with a payload, by channel; the first one carries the beats too. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** From now on everything is heard. */
  readonly onListening: () => void
  /** Nothing is heard any more; told at every attempt that ends. */
  readonly onSilent: () => void
  /** Told once for a loss: the attempts that follow belong to it. */
  readonly onLost: (reason: string) => void
}

export type Listener = { readonly close: () => Promise<void> }

const beatEveryMs = 10_000
const answerWithinMs = 5_000
const longestPauseMs = 5_000
const beat = 'beat '

/** Begins to listen; answers after the first attempt, whether it succeeded or not. */
export const listen = async (options: Options): Promise<Listener> => {
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
    options.onListening()
    onAttempt()
  }
  while (!stop.aborted) {
    try {
      await listenUntilLost({ ...options, onListening }, stop)
    } catch (error) {
      if (stop.aborted) return
      if (failures === 0) options.onLost(errorText(error))
      failures++
      onAttempt()
    }
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** failures) * (0.5 + Math.random() / 2)
    await delay(pauseMs, undefined, { ref: false, signal: stop }).catch(() => undefined)
  }
}

const listenUntilLost = async (options: Options, stop: AbortSignal): Promise<never> => {
  const { channels } = options
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    connectionTimeoutMillis: answerWithinMs,
    keepAlive: true,
  })
  const lost = lossOf(client, stop)
  client.on('notification', ({ channel, payload = '' }) => {
    if (!payload.startsWith(beat)) channels[channel]?.(payload)
  })
  const [beatChannel = ''] = Object.keys(channels)
  try {
    await Promise.race([lost, client.connect()])
    await Promise.race([lost, client.query(tcpSettings())])
    await Promise.race([lost, joinUsers(client)])
    const names = Object.keys(channels).map((name) => `LISTEN ${identifier(name)}`)
    await Promise.race([lost, client.query(names.join(';'))])
    await Promise.race([lost, hearOwnBeat(client, beatChannel)])
    options.onListening()
    for (;;) {
      await Promise.race([lost, delay(beatEveryMs, undefined, { ref: false, signal: stop })])
      await Promise.race([lost, hearOwnBeat(client, beatChannel)])
    }
  } finally {
    options.onSilent()
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
const hearOwnBeat = async (client: pg.Client, channel: string): Promise<void> => {
  const payload = `${beat}${randomUUID()}`
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  const hear = (notification: pg.Notification) => {
    if (notification.payload === payload) resolve()
  }
  client.on('notification', hear)
  const tell = sql`SELECT pg_notify(${bound(channel, 'text')}, ${bound(payload, 'text')})`
  try {
    await within(answerWithinMs, Promise.all([client.query(toStatement(tell)), heard]))
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
