/**
 * Receives notifications of PostgreSQL (LISTEN) on one connection for all subscribers of a process, and
 * reconnects when it is lost. Notifications sent meanwhile are lost: catch up in `onListening`. The same
 * connection sends the signals of the process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { errorText } from '../../errors.ts'
import { connectionRetries, pauseAfter } from '../../retry-policy.ts'
import { settledWithin } from '../../within.ts'
import { createSignaller, type Signaller } from '../signals.ts'
import type { Sql } from '../sql.ts'
import {
  type ListeningConnection,
  type ListeningOptions,
  listenUntilLost,
  type Subscription,
} from './listening-connection.ts'

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
