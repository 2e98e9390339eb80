/**
 * Events of the service in every tab over one connection: browsers open six to a host over HTTP/1.1. The tab that
 * holds a lock has the stream and hands on what comes; when it closes, another one gets the lock.
 */
import { urlOf } from '../../api/client.ts'

const kinds = ['count', 'notification', 'approvals', 'tasks', 'reset'] as const
type Kind = (typeof kinds)[number]

export type LiveEvent = {
  readonly kind: Kind | 'opened' | 'lost' | 'refused'
  readonly data: unknown
}
export type Listener = (event: LiveEvent) => void

// After the service has refused the stream: too many, or nobody is signed in any more.
const reopenMs = 10_000

/** Calls the listener in this tab; ends with the signal. */
export const listenLive = (userId: number, listener: Listener, signal: AbortSignal): void => {
  const name = `docket-live-${userId}`
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }) => listener(data as LiveEvent))
  signal.addEventListener('abort', () => channel.close())
  const publish = (event: LiveEvent) => {
    if (signal.aborted) return
    channel.postMessage(event)
    listener(event)
  }
  const lead = () => keepStream(publish, signal)
  // Without locks every tab has a stream of its own.
  if (!('locks' in navigator)) return void lead()
  navigator.locks.request(name, { signal }, lead).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Holds a stream, opened again whenever the service ends it; resolves when the signal is aborted. */
const keepStream = async (publish: Listener, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await streamOnce(publish, signal)
    if (signal.aborted) return
    publish({ kind: 'refused', data: undefined })
    await new Promise((resolve) => setTimeout(resolve, reopenMs))
  }
}

/** One stream, which the browser resumes by itself; resolves when it gives up. */
const streamOnce = (publish: Listener, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const source = new EventSource(
      urlOf('/api/notifications/stream', { counts: 'approvals,tasks' }),
    )
    const end = () => {
      source.close()
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    source.addEventListener('open', () => publish({ kind: 'opened', data: undefined }))
    for (const kind of kinds)
      source.addEventListener(kind, ({ data }) => publish({ kind, data: JSON.parse(data) }))
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) end()
      else publish({ kind: 'lost', data: undefined })
    })
  })
