/**
 * Events of the service in every tab over one connection: browsers open six to a host over HTTP/1.1. The tab that
 * holds a lock has the stream and hands on what comes; when it closes, another one gets the lock. Every tab says which
 * records it shows, so that the stream watches those of all of them.
 */
import { urlOf } from '../../api/client.ts'

const kinds = ['count', 'notification', 'approvals', 'tasks', 'record', 'part', 'reset'] as const
type Kind = (typeof kinds)[number]

export type LiveEvent = {
  /** `begun`: there was no stream before, so what was read may have changed since. */
  readonly kind: Kind | 'begun' | 'opened' | 'lost' | 'refused'
  readonly data: unknown
}

type HeldStream = {
  /** Opens a new stream if the current one does not watch all of the names. */
  readonly watch: () => void
}

/** As many as the service watches in one stream. */
export const maxNames = 20

type Options = {
  readonly names: () => readonly string[]
  readonly publish: (event: LiveEvent) => void
  readonly signal: AbortSignal
}

// After the service has refused the stream: too many, or nobody is signed in any more.
const reopenMs = 10_000
// Parts of a page begin and end to watch together.
const settleMs = 50

/** Holds a stream until the signal is aborted. */
const holdStream = ({ names, publish, signal }: Options): HeldStream => {
  /** The last one is the current one; those before it stay until a later one is there. */
  let sources: readonly EventSource[] = []
  let watched: ReadonlySet<string> = new Set()
  let hasMissed = false
  let hasBegun = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(open, ms)
  }
  const closeBefore = (source: EventSource) => {
    const at = sources.indexOf(source)
    for (const before of sources.slice(0, at)) before.close()
    sources = sources.slice(at)
  }
  const open = () => {
    if (signal.aborted) return
    const wanted = names()
    watched = new Set(wanted.map(withoutVersion))
    const source = new EventSource(addressOf(wanted))
    sources = [...sources, source]
    source.addEventListener('open', () => {
      if (!hasBegun) publish({ kind: 'begun', data: undefined })
      hasBegun = true
      // Nothing is missed in between: the new one is there before the old one ends.
      closeBefore(source)
      publish({ kind: hasMissed ? 'reset' : 'opened', data: wanted })
      hasMissed = false
    })
    for (const kind of kinds)
      source.addEventListener(kind, ({ data }) => publish({ kind, data: JSON.parse(data) }))
    source.addEventListener('error', () => {
      if (source !== sources.at(-1) || signal.aborted) return
      // The browser opens it again by itself.
      if (source.readyState !== EventSource.CLOSED)
        return publish({ kind: 'lost', data: undefined })
      sources = sources.filter((one) => one !== source)
      hasMissed = true
      publish({ kind: 'refused', data: undefined })
      later(reopenMs)
    })
  }
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    for (const source of sources) source.close()
  })
  open()
  return {
    watch: () => !names().every((name) => watched.has(withoutVersion(name))) && later(settleMs),
  }
}

/** Of a watched record: a version that is shown later needs no other stream. */
export const withoutVersion = (name: string): string => name.split(':', 1)[0] ?? name

const addressOf = (names: readonly string[]): string => {
  const watch = names.length > 0 ? names.join(',') : undefined
  return urlOf('/api/notifications/stream', { counts: 'approvals,tasks', watch })
}

type Message =
  | { readonly event: LiveEvent }
  /** What a tab shows; tabs that open later request it. */
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

type Live = {
  /** Sets the records that this tab shows. */
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
