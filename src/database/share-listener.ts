/**
 * Lets several threads listen on one connection: the thread that owns it serves a channel, another one
 * subscribes and signals through its end.
 */
import type { MessagePort } from 'node:worker_threads'
import { settledWithin } from '../within.ts'
import type { Listener, Subscription } from './listener.ts'
import { createSignaller } from './signals.ts'
import type { Sql } from './sql.ts'

type Request =
  | { readonly kind: 'subscribe'; readonly id: number; readonly channels: readonly string[] }
  | { readonly kind: 'unsubscribe'; readonly id: number }
  | { readonly kind: 'send'; readonly id: number; readonly statement: Sql }

/** What happened to the subscription or the statement of an id. */
type Report = { readonly id: number } & (
  | { readonly kind: 'notified'; readonly channel: string; readonly payload: string }
  | { readonly kind: 'listening' | 'silent' }
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'sent'; readonly isSent: boolean }
)

/** Serves the other end until it is closed, or its thread ends. */
export const serveListener = (listener: Listener, port: MessagePort): void => {
  const subscribed = new Map<number, () => void>()
  const report = (message: Report) => port.postMessage(message)
  const subscribe = (id: number, names: readonly string[]) => {
    const channels = names.map((channel) => {
      const onPayload = (payload: string) => report({ kind: 'notified', id, channel, payload })
      return [channel, onPayload] as const
    })
    const end = listener.subscribe({
      channels: Object.fromEntries(channels),
      onListening: () => report({ kind: 'listening', id }),
      onSilent: () => report({ kind: 'silent', id }),
      onLost: (reason) => report({ kind: 'lost', id, reason }),
    })
    subscribed.set(id, end)
  }
  port.on('message', (request: Request) => {
    const { id } = request
    if (request.kind === 'subscribe') subscribe(id, request.channels)
    else if (request.kind === 'unsubscribe') subscribed.get(id)?.()
    else
      listener.send(request.statement).then(
        () => report({ kind: 'sent', id, isSent: true }),
        () => report({ kind: 'sent', id, isSent: false }),
      )
  })
  port.on('close', () => {
    for (const end of subscribed.values()) end()
  })
}

const lastSignalsMs = 1_000

/** The listener behind the channel; closing it ends the channel, not the connection. */
export const connectListener = (port: MessagePort): Listener => {
  const subscriptions = new Map<number, Subscription>()
  const sending = new Map<number, PromiseWithResolvers<void>>()
  let isListening = false
  let lastId = 0
  const request = (message: Request) => port.postMessage(message)
  const send = (statement: Sql) => {
    lastId += 1
    const sent = Promise.withResolvers<void>()
    sending.set(lastId, sent)
    // Signals name functions, which cannot be posted; the statement that sends some has none.
    request({ kind: 'send', id: lastId, statement: { parts: statement.parts } })
    return sent.promise
  }
  const onSent = (id: number, isSent: boolean) => {
    if (isSent) sending.get(id)?.resolve()
    else sending.get(id)?.reject(new Error('The listener is not connected.'))
    sending.delete(id)
  }
  port.on('message', (message: Report) => {
    const subscription = subscriptions.get(message.id)
    switch (message.kind) {
      case 'sent':
        return onSent(message.id, message.isSent)
      case 'notified':
        return subscription?.channels[message.channel]?.(message.payload)
      case 'listening':
        isListening = true
        return subscription?.onListening()
      case 'silent':
        isListening = false
        return subscription?.onSilent?.()
      case 'lost':
        return subscription?.onLost?.(message.reason)
    }
  })
  port.on('close', () => {
    for (const id of sending.keys()) onSent(id, false)
  })
  const signaller = createSignaller(send)
  return {
    send,
    signaller,
    isListening: () => isListening,
    subscribe: (subscription) => {
      lastId += 1
      const id = lastId
      subscriptions.set(id, subscription)
      request({ kind: 'subscribe', id, channels: Object.keys(subscription.channels) })
      return () => {
        subscriptions.delete(id)
        request({ kind: 'unsubscribe', id })
      }
    },
    // The thread that owns the connection has started it.
    start: async () => undefined,
    close: async () => {
      await settledWithin(lastSignalsMs, signaller.settled())
      port.close()
    },
  }
}
