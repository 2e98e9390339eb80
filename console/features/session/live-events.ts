/**
 * Events of the service in every tab over one connection: browsers open six to a host over HTTP/1.1. The tab that
 * holds a lock has the stream and hands on what comes; when it closes, another one gets the lock. Every tab says which
 * records it shows, so that the stream watches those of all of them.
 */
import { type HeldStream, holdStream, type LiveEvent, maxNames } from './stream.ts'

type Message =
  | { readonly event: LiveEvent }
  /** What a tab shows; asked for by tabs that were opened later. */
  | { readonly tab: string; readonly names: readonly string[] }
  | { readonly asks: true }

/** What all tabs show; the latest first, because of the limit. */
const joined = (shown: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const names = new Set([...shown.values()].reverse().flat())
  const needed = [...names].filter((name) => {
    const [entity = '', id] = name.split('/')
    return id === undefined || !names.has(entity)
  })
  return needed.slice(0, maxNames)
}

export type Listener = (event: LiveEvent) => void

export type Live = {
  /** Says which records this tab shows. */
  readonly show: (names: readonly string[]) => void
}

/** Calls the listener in this tab; ends with the signal. */
export const listenLive = (userId: number, listener: Listener, signal: AbortSignal): Live => {
  const name = `docket-live-${userId}`
  const tab = crypto.getRandomValues(new Uint32Array(2)).join('-')
  const shown = new Map<string, readonly string[]>()
  const channel = new BroadcastChannel(name)
  let stream: HeldStream | undefined
  const post = (message: Message) => channel.postMessage(message)
  const setShown = (of: string, names: readonly string[]) => {
    shown.delete(of)
    if (names.length > 0) shown.set(of, names)
    stream?.watch()
  }
  const show = (names: readonly string[]) => {
    if (signal.aborted) return
    setShown(tab, names)
    post({ tab, names })
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('event' in data) listener(data.event)
    else if ('asks' in data) post({ tab, names: shown.get(tab) ?? [] })
    else setShown(data.tab, data.names)
  })
  post({ asks: true })
  const leave = () => post({ tab, names: [] })
  window.addEventListener('pagehide', leave, { signal })
  // A page that comes back from the memory of the browser shows what it showed.
  window.addEventListener('pageshow', () => post({ tab, names: shown.get(tab) ?? [] }), { signal })
  signal.addEventListener('abort', () => {
    leave()
    channel.close()
  })
  const publish = (event: LiveEvent) => {
    if (signal.aborted) return
    post({ event })
    listener(event)
  }
  lead(name, signal, () => {
    stream = holdStream({ names: () => joined(shown), publish, signal })
  })
  return { show }
}

/** Begins when no other tab leads, and leads until the signal is aborted. */
const lead = (name: string, signal: AbortSignal, begin: () => void): void => {
  // Without locks every tab has a stream of its own.
  if (!('locks' in navigator)) {
    begin()
    return
  }
  const held = () => {
    begin()
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  navigator.locks.request(name, { signal }, held).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
