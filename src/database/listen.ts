/**
 * Receives notifications of PostgreSQL (LISTEN) on one connection for all subscribers, and reconnects
 * when it is lost. Notifications sent meanwhile are lost: catch up in `onListening`. The same connection
 * sends the signals of the process.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { errorText } from '../errors.ts'
import { connectionRetries, pauseAfter } from '../retry-policy.ts'
import { settledWithin, within } from '../within.ts'
import { tcpSettings } from './connections/session-settings.ts'
import { joinUsers } from './locks/users-of-database.ts'
import { createSignaller, type Signaller } from './signals.ts'
import { bound, identifier, type Sql, sql, toStatement } from './sql.ts'

type Options = {
  readonly connectionString: string
  /** Name of the connection in pg_stat_activity. */
  readonly applicationName: string
}

export type Subscription = {
  /** Handlers of payloads, by channel. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** Called when every notification is received from now on. */
  readonly onListening: () => void
  /** Called when no notification is received any more, after every attempt that ends. */
  readonly onSilent?: () => void
  /** Called once for a loss, not for failed attempts to reconnect. */
  readonly onLost: (reason: string) => void
}

export type Listener = {
  /** Call it before the start. */
  readonly subscribe: (subscription: Subscription) => void
  /** Resolves after the first attempt to connect, whether it succeeded or not. */
  readonly start: () => Promise<void>
  /** Whether signals are received now. */
  readonly isListening: () => boolean
  /** Sends on this connection; what is signalled while it is lost is lost too. */
  readonly signaller: Signaller
  /** Sends what is still to be signalled, and ends the connection. */
  readonly close: () => Promise<void>
}

const heartbeatMs = 10_000
const answerTimeoutMs = 5_000
const lastSignalsMs = 1_000

/** One connection for every subscription; a process or thread needs no second one. */
export const createListener = (options: Options): Listener => {
  const stop = new AbortController()
  const subscriptions: Subscription[] = []
  let ended: Promise<void> | undefined
  let connected: pg.Client | undefined
  const signaller = createSignaller(async (statement) => sendOn(connected, statement))
  const onClient = (client: pg.Client | undefined) => {
    connected = client
  }
  return {
    signaller,
    isListening: () => connected !== undefined,
    subscribe: (subscription) => {
      if (ended !== undefined) throw new Error('The listener has started: subscribe before.')
      subscriptions.push(subscription)
    },
    start: async () => {
      const attempted = Promise.withResolvers<void>()
      ended = listenForever({ ...options, subscriptions, onClient }, stop.signal, attempted.resolve)
      await attempted.promise
    },
    close: async () => {
      await settledWithin(lastSignalsMs, signaller.settled())
      stop.abort()
      await ended
    },
  }
}

type Listening = Options & {
  readonly subscriptions: readonly Subscription[]
  /** The connection that listens, or undefined while it is lost. */
  readonly onClient: (client: pg.Client | undefined) => void
}

const sendOn = async (client: pg.Client | undefined, statement: Sql): Promise<void> => {
  if (!client) throw new Error('The listener is not connected.')
  await client.query(toStatement(statement))
}

const listenForever = async (
  options: Listening,
  stop: AbortSignal,
  onAttempt: () => void,
): Promise<void> => {
  const { subscriptions } = options
  let failures = 0
  const onListening = () => {
    failures = 0
    for (const subscription of subscriptions) subscription.onListening()
    onAttempt()
  }
  while (!stop.aborted) {
    try {
      await listenUntilLost(options, onListening, stop)
    } catch (error) {
      if (stop.aborted) return
      if (failures === 0)
        for (const subscription of subscriptions) subscription.onLost(errorText(error))
      failures++
      onAttempt()
    }
    await delay(pauseAfter(connectionRetries, failures), undefined, {
      ref: false,
      signal: stop,
    }).catch(() => undefined)
  }
}

const listenUntilLost = async (
  options: Listening,
  onListening: () => void,
  stop: AbortSignal,
): Promise<never> => {
  const { subscriptions } = options
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    connectionTimeoutMillis: answerTimeoutMs,
    keepAlive: true,
  })
  const lost = whenLost(client, stop)
  client.on('notification', ({ channel, payload = '' }) => {
    for (const { channels } of subscriptions) channels[channel]?.(payload)
  })
  // Unique to this connection, so that others do not receive its heartbeats.
  const heartbeatChannel = `docket_heartbeat_${randomUUID()}`
  const names = subscriptions.flatMap(({ channels }) => Object.keys(channels))
  const statements = [...new Set([...names, heartbeatChannel])].map(
    (name) => `LISTEN ${identifier(name)}`,
  )
  try {
    await Promise.race([lost, client.connect()])
    await Promise.race([lost, client.query(tcpSettings())])
    await Promise.race([lost, joinUsers(client)])
    await Promise.race([lost, client.query(statements.join(';'))])
    await Promise.race([lost, receiveHeartbeat(client, heartbeatChannel)])
    options.onClient(client)
    onListening()
    for (;;) {
      await Promise.race([lost, delay(heartbeatMs, undefined, { ref: false, signal: stop })])
      await Promise.race([lost, receiveHeartbeat(client, heartbeatChannel)])
    }
  } finally {
    options.onClient(undefined)
    for (const { onSilent } of subscriptions) onSilent?.()
    await settledWithin(1_000, client.end())
  }
}

const whenLost = (client: pg.Client, stop: AbortSignal): Promise<never> => {
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

// A connection may be dead without an error, and a pooler may drop notifications: only a received one
// proves that it works.
const receiveHeartbeat = async (client: pg.Client, channel: string): Promise<void> => {
  const payload = randomUUID()
  const { promise: received, resolve } = Promise.withResolvers<void>()
  const onNotification = (notification: pg.Notification) => {
    if (notification.payload === payload) resolve()
  }
  client.on('notification', onNotification)
  const notify = sql`SELECT pg_notify(${bound(channel, 'text')}, ${bound(payload, 'text')})`
  try {
    const answered = Promise.all([client.query(toStatement(notify)), received])
    await within(
      answerTimeoutMs,
      answered,
      `PostgreSQL did not answer within ${answerTimeoutMs} ms.`,
    )
  } finally {
    client.off('notification', onNotification)
  }
}
