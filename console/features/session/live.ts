/** What the console shows follows the stream of the service: the inbox, its numbers, and the records on the page. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { urlOf } from '../../api/client.ts'
import { meQuery, unseenQuery, userKey } from '../../api/queries.ts'
import { isTexts } from './address-values.ts'
import { useSession } from './session.ts'

/** A record that was created, changed, or is not readable any more. */
export type RecordEvent = {
  readonly entity: string
  readonly id: number
  readonly version?: number
  /** Who changed it last, where the user may know. */
  readonly by?: number | null
  readonly created?: true
  readonly gone?: true
  /** The entity of a part of it that has changed, such as `comment`, and not the record itself. */
  readonly part?: string
}

/** A change, or that some may have been missed: what is shown is read again. */
export type WatchedChange = RecordEvent | 'missed'

type Watcher = {
  readonly name: string
  /** Of a single record, the version that is shown. */
  readonly version: () => string | undefined
  /** The name that was last sent to the stream. */
  sentName: string
  readonly tell: (change: WatchedChange) => void
}

const watchers = new Set<Watcher>()
let onChange: () => void = () => undefined

/** Called whenever other records are watched than before. */
const setOnWatched = (listener: () => void): void => {
  onChange = listener
}

/** What is watched: entities (`order`) and single records, with the version that is shown (`order/12:3`). */
const watchedNames = (): readonly string[] => {
  for (const watcher of watchers) {
    const version = watcher.version()
    watcher.sentName = version === undefined ? watcher.name : `${watcher.name}:${version}`
  }
  return [...new Set([...watchers].map(({ sentName }) => sentName))]
}

/** Whether something may have been missed before a stream that watches these was opened. */
const hasMissed = ({ name, sentName }: Watcher, opened: unknown): boolean => {
  if (!isTexts(opened) || opened.length >= maxNames) return true
  // The service compares the version in a name with the current one.
  if (opened.includes(sentName)) return sentName === name
  const [entity = ''] = name.split('/')
  // If this stream does not watch it, the next one does.
  return opened.some((one) => [name, entity].includes(withoutVersion(one)))
}

const isRecordEvent = (data: unknown): data is RecordEvent =>
  typeof data === 'object' && data !== null && 'entity' in data && 'id' in data

/** Notifies the parts that show the record of an event. */
const notifyWatchers = ({ kind, data }: LiveEvent): void => {
  for (const watcher of watchers) {
    const { name, tell } = watcher
    if (kind === 'reset' || (kind === 'opened' && hasMissed(watcher, data))) tell('missed')
    // Lists show no parts.
    else if (isRecordEvent(data)) {
      if ((name === data.entity && !data.part) || name === `${data.entity}/${data.id}`) tell(data)
    }
  }
}

/** Watches the records of an entity, or one record, as long as the component is shown. */
export const useWatch = (
  name: string,
  tell: (change: WatchedChange) => void,
  version?: string,
): void => {
  const latest = useRef({ tell, version })
  useEffect(() => {
    latest.current = { tell, version }
  }, [tell, version])
  useEffect(() => {
    const watcher: Watcher = {
      name,
      sentName: name,
      version: () => latest.current.version,
      tell: (change) => latest.current.tell(change),
    }
    watchers.add(watcher)
    onChange()
    return () => {
      watchers.delete(watcher)
      onChange()
    }
  }, [name])
}

const sleepAfterMs = 5 * 60_000

/**
 * Listens as long as the page is visible or was until a few minutes ago; ends with the signal. A page that becomes visible
 * after that reads its data again.
 */
const listenWhileAwake = (userId: number, listener: Listener, signal: AbortSignal): void => {
  let awake: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    awake = new AbortController()
    const live = listenLive(userId, listener, AbortSignal.any([signal, awake.signal]))
    const show = () => live.show(watchedNames())
    setOnWatched(show)
    show()
  }
  const sleep = () => {
    awake?.abort()
    awake = undefined
  }
  const onVisibility = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(sleep, sleepAfterMs)
    else if (!awake) {
      listen()
      listener({ kind: 'reset', data: undefined })
    }
  }
  document.addEventListener('visibilitychange', onVisibility, { signal })
  signal.addEventListener('abort', () => clearTimeout(timer))
  listen()
}

/** Reads again what is shown. An answer that has not arrived yet may have been read before. */
const readAgain = (client: QueryClient, parts: readonly (readonly string[])[]): void => {
  for (const part of parts) {
    const queryKey = [userKey, ...part]
    const asked = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })
    // Without data, the library waits for the answer instead of asking again.
    for (const { queryKey: exactKey, state, promise } of asked)
      if (state.data === undefined)
        promise?.then(
          () => client.invalidateQueries({ queryKey: exactKey, exact: true }),
          () => undefined,
        )
    void client.invalidateQueries({ queryKey })
  }
}

const handle = (client: QueryClient, { kind, data }: LiveEvent): void => {
  // The number of the service is the only one; none is counted here.
  if (kind === 'count')
    client.setQueryData(unseenQuery.queryKey, (data as { readonly unseen: number }).unseen)
  // A request finds out whether the service is away or the session has ended.
  else if (kind === 'refused' || kind === 'lost') void client.invalidateQueries(meQuery)
  else if (kind === 'approvals' || kind === 'tasks') readAgain(client, [[kind]])
  else if (kind === 'reset') readAgain(client, [['inbox'], ['approvals'], ['tasks']])
  // The stream begins with the number of unseen notifications.
  else if (kind === 'begun') readAgain(client, [['inbox', 'list'], ['approvals'], ['tasks']])
  else if (kind === 'notification') readAgain(client, [['inbox', 'list']])
}

/** Listens to the stream as long as the page is open. */
export const useLive = (): void => {
  const client = useQueryClient()
  const { me } = useSession()
  useEffect(() => {
    const ended = new AbortController()
    const onEvent = (event: LiveEvent) => {
      handle(client, event)
      notifyWatchers(event)
    }
    listenWhileAwake(me.id, onEvent, ended.signal)
    return () => ended.abort()
  }, [client, me.id])
}

// Events of the service in every tab over one connection: browsers open six to a host over HTTP/1.1. The tab that
// holds a lock has the stream and hands on what comes; when it closes, another one gets the lock. Every tab says which
// records it shows, so that the stream watches those of all of them.

const kinds = ['count', 'notification', 'approvals', 'tasks', 'record', 'part', 'reset'] as const
type Kind = (typeof kinds)[number]

type LiveEvent = {
  /** `begun`: there was no stream before, so what was read may have changed since. */
  readonly kind: Kind | 'begun' | 'opened' | 'lost' | 'refused'
  readonly data: unknown
}

type HeldStream = {
  /** Opens a new stream if the current one does not watch all of the names. */
  readonly watch: () => void
}

/** As many as the service watches in one stream. */
const maxNames = 20

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
const withoutVersion = (name: string): string => name.split(':', 1)[0] ?? name

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

type Listener = (event: LiveEvent) => void

type Live = {
  /** Sets the records that this tab shows. */
  readonly show: (names: readonly string[]) => void
}

/** Calls the listener in this tab; ends with the signal. */
const listenLive = (userId: number, listener: Listener, signal: AbortSignal): Live => {
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
