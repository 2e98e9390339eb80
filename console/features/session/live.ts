/** What the console shows follows the stream of the service: the inbox, its numbers, and the records on the page. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { meQuery, unseenQuery, userKey } from '../../api/queries.ts'
import {
  type Listener,
  type LiveEvent,
  listenLive,
  maxNames,
  withoutVersion,
} from './live-stream.ts'
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
  if (!isNames(opened) || opened.length >= maxNames) return true
  // The service compares the version in a name with the current one.
  if (opened.includes(sentName)) return sentName === name
  const [entity = ''] = name.split('/')
  // If this stream does not watch it, the next one does.
  return opened.some((one) => [name, entity].includes(withoutVersion(one)))
}

const isNames = (data: unknown): data is readonly string[] =>
  Array.isArray(data) && data.every((one) => typeof one === 'string')

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

/** Reads again what is shown. An answer that is on its way may have been read before. */
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
