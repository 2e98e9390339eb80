/**
 * Receives notifications of PostgreSQL (LISTEN) on one connection for all subscribers of a process, and
 * reconnects when it is lost. Notifications sent meanwhile are lost: catch up in `onListening`. The same
 * connection sends the signals of the process.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { errorText } from '../errors.ts'
import { connectionRetries, pauseAfter } from '../retry-policy.ts'
import { settledWithin, within } from '../within.ts'
import { tcpSettings } from './connections/session-settings.ts'
import { createSignaller, type Signaller } from './signals.ts'
import { bound, identifier, type Sql, sql, toStatement } from './sql.ts'
import { joinUsers } from './users-of-database.ts'

type Options = Pick<ListeningOptions, 'connectionString' | 'applicationName'>

export type Listener = {
  /** Before the start or later; returns how to end the subscription. */
  readonly subscribe: (subscription: Subscription) => () => void
  /** Resolves after the first attempt to connect, whether it succeeded or not. Further calls start nothing. */
  readonly start: () => Promise<void>
  /** Whether signals are received now. */
  readonly isListening: () => boolean
  /** Runs a statement on this connection; throws while it is lost. */
  readonly send: (statement: Sql) => Promise<void>
  /** Sends on this connection; what is signalled while it is lost is lost too. */
  readonly signaller: Signaller
  /** Sends what is still to be signalled, and ends the connection. */
  readonly close: () => Promise<void>
}

const lastSignalsMs = 1_000

/** One connection for every subscription; a process needs no second one. */
export const createListener = (options: Options): Listener => {
  const stop = new AbortController()
  const subscriptions = new Set<Subscription>()
  let started: Promise<void> | undefined
  let ended: Promise<void> | undefined
  let connected: ListeningConnection | undefined
  const send = async (statement: Sql) => {
    if (!connected) throw new Error('The listener is not connected.')
    await connected.send(statement)
  }
  const signaller = createSignaller(send)
  const onConnection = (connection: ListeningConnection | undefined) => {
    connected = connection
  }
  return {
    send,
    signaller,
    isListening: () => connected !== undefined,
    subscribe: (subscription) => {
      subscriptions.add(subscription)
      connected?.listen(subscription)
      return () => void subscriptions.delete(subscription)
    },
    start: () => {
      started ??= new Promise((resolve) => {
        const listening = { ...options, subscriptions, onConnection }
        ended = listenForever(listening, stop.signal, resolve)
      })
      return started
    },
    close: async () => {
      await settledWithin(lastSignalsMs, signaller.settled())
      stop.abort()
      await ended
    },
  }
}

const listenForever = async (
  options: ListeningOptions,
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
      await listenUntilLost(options, onListening, stop)
    } catch (error) {
      if (stop.aborted) return
      if (failures === 0) for (const { onLost } of options.subscriptions) onLost?.(errorText(error))
      failures++
      onAttempt()
    }
    await delay(pauseAfter(connectionRetries, failures), undefined, {
      ref: false,
      signal: stop,
    }).catch(() => undefined)
  }
}

export type Subscription = {
  /** Handlers of payloads, by channel. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** Called when every notification is received from now on. */
  readonly onListening: () => void
  /** Called when no notification is received any more, after every attempt that ends. */
  readonly onSilent?: () => void
  /** Called once for a loss, not for failed attempts to reconnect. */
  readonly onLost?: (reason: string) => void
}

type ListeningOptions = {
  readonly connectionString: string
  /** Name of the connection in pg_stat_activity. */
  readonly applicationName: string
  /** Subscriptions may be added and removed while the connection listens. */
  readonly subscriptions: ReadonlySet<Subscription>
  /** The connection that listens, or undefined when it is lost. */
  readonly onConnection: (connection: ListeningConnection | undefined) => void
}

type ListeningConnection = {
  readonly send: (statement: Sql) => Promise<void>
  /** Listens for a later subscription too, and calls its `onListening`. */
  readonly listen: (subscription: Subscription) => void
}

const heartbeatMs = 10_000
const answerTimeoutMs = 5_000
const closeTimeoutMs = 1_000

/**
 * Listens on one connection, and proves by heartbeats that it still receives. Throws when the connection is lost, could
 * not be opened, or is stopped.
 */
const listenUntilLost = async (
  options: ListeningOptions,
  onListening: () => void,
  stop: AbortSignal,
): Promise<never> => {
  const { subscriptions, onConnection } = options
  const client = newClient(options)
  const lost = whenLost(client, stop)
  // Unique to this connection, so that others do not receive its heartbeats.
  const heartbeatChannel = `docket_heartbeat_${randomUUID()}`
  try {
    await Promise.race([lost, client.connect()])
    await Promise.race([lost, client.query(tcpSettings())])
    await Promise.race([lost, joinUsers(client)])
    await Promise.race([lost, client.query(`LISTEN ${identifier(heartbeatChannel)}`)])
    const ask = askInTurn(client)
    await Promise.race([lost, receiveHeartbeat(client, ask, heartbeatChannel)])
    await Promise.race([lost, listenForAll(ask, subscriptions)])
    onConnection({
      send: async (statement) => void (await ask(toStatement(statement))),
      listen: (subscription) => void listenLater(ask, subscription),
    })
    for (const subscription of subscriptions) subscription.onListening()
    onListening()
    for (;;) {
      await Promise.race([lost, delay(heartbeatMs, undefined, { ref: false, signal: stop })])
      await Promise.race([lost, receiveHeartbeat(client, ask, heartbeatChannel)])
    }
  } finally {
    onConnection(undefined)
    for (const { onSilent } of subscriptions) onSilent?.()
    await settledWithin(closeTimeoutMs, client.end())
  }
}

const newClient = ({ connectionString, applicationName, subscriptions }: ListeningOptions) => {
  const client = new pg.Client({
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: answerTimeoutMs,
    keepAlive: true,
  })
  client.on('notification', ({ channel, payload = '' }) => {
    for (const { channels } of subscriptions) channels[channel]?.(payload)
  })
  return client
}

type Ask = (statement: string | pg.QueryConfig) => Promise<unknown>

/** Subscribers and heartbeats share the connection: a client of `pg` takes a statement when the former one is answered. */
const askInTurn = (client: pg.Client): Ask => {
  let former: Promise<unknown> = Promise.resolve()
  return (statement) => {
    const answer = former.then(() => client.query(statement))
    former = answer.catch(() => undefined)
    return answer
  }
}

/** Also for subscriptions that are added while PostgreSQL answers. */
const listenForAll = async (ask: Ask, subscriptions: ReadonlySet<Subscription>): Promise<void> => {
  const done = new Set<Subscription>()
  for (;;) {
    const missing = [...subscriptions].filter((one) => !done.has(one))
    if (missing.length === 0) return
    await listenFor(ask, missing)
    for (const one of missing) done.add(one)
  }
}

const listenFor = async (ask: Ask, subscriptions: readonly Subscription[]) => {
  const names = subscriptions.flatMap(({ channels }) => Object.keys(channels))
  const statements = [...new Set(names)].map((name) => `LISTEN ${identifier(name)}`)
  await ask(statements.join(';'))
}

// If it fails, the connection is lost, and the next one listens for all.
const listenLater = (ask: Ask, subscription: Subscription): Promise<void> =>
  listenFor(ask, [subscription]).then(subscription.onListening, () => undefined)

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
const receiveHeartbeat = async (client: pg.Client, ask: Ask, channel: string) => {
  const payload = randomUUID()
  const { promise: received, resolve } = Promise.withResolvers<void>()
  const onNotification = (notification: pg.Notification) => {
    if (notification.payload === payload) resolve()
  }
  client.on('notification', onNotification)
  const notify = sql`SELECT pg_notify(${bound(channel, 'text')}, ${bound(payload, 'text')})`
  try {
    const answered = Promise.all([ask(toStatement(notify)), received])
    await within(
      answerTimeoutMs,
      answered,
      `PostgreSQL did not answer within ${answerTimeoutMs} ms.`,
    )
  } finally {
    client.off('notification', onNotification)
  }
}
