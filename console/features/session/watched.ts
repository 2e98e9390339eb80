/** Which records the parts of this page show: the stream tells of their changes. */
import { useEffect, useRef } from 'react'
import { type LiveEvent, maxNames, withoutVersion } from './stream.ts'

/** A record that was created, changed, or is not readable any more. */
export type RecordEvent = {
  readonly entity: string
  readonly id: number
  readonly version?: number
  /** Who changed it last, where the user may know. */
  readonly by?: number | null
  readonly created?: true
  readonly gone?: true
}

/** A change, or that some may have been missed: what is shown is read again. */
export type WatchedChange = RecordEvent | 'missed'

type Watcher = {
  readonly name: string
  /** Of a single record, the version that is shown. */
  readonly version: () => string | undefined
  /** How the stream was asked for it last. */
  asked: string
  readonly tell: (change: WatchedChange) => void
}

const watchers = new Set<Watcher>()
let onChange: () => void = () => undefined

/** Called whenever other records are watched than before. */
export const setOnWatched = (listener: () => void): void => {
  onChange = listener
}

/** What is watched: entities (`order`) and single records, with the version that is shown (`order/12:3`). */
export const watchedNames = (): readonly string[] => {
  for (const watcher of watchers) {
    const version = watcher.version()
    watcher.asked = version === undefined ? watcher.name : `${watcher.name}:${version}`
  }
  return [...new Set([...watchers].map(({ asked }) => asked))]
}

/** Whether something may have been missed before a stream that watches these was opened. */
const hasMissed = ({ name, asked }: Watcher, opened: unknown): boolean => {
  if (!isNames(opened) || opened.length >= maxNames) return true
  // The service compares a version that it is told with that of now.
  if (opened.includes(asked)) return asked === name
  const [entity = ''] = name.split('/')
  // A stream that does not watch it yet is followed by one that does.
  return opened.some((one) => [name, entity].includes(withoutVersion(one)))
}

const isNames = (data: unknown): data is readonly string[] =>
  Array.isArray(data) && data.every((one) => typeof one === 'string')

const isRecordEvent = (data: unknown): data is RecordEvent =>
  typeof data === 'object' && data !== null && 'entity' in data && 'id' in data

/** Tells the parts that show the record of an event. */
export const tellWatchers = ({ kind, data }: LiveEvent): void => {
  for (const watcher of watchers) {
    const { name, tell } = watcher
    if (kind === 'reset' || (kind === 'opened' && hasMissed(watcher, data))) tell('missed')
    else if (kind === 'record' && isRecordEvent(data)) {
      if (name === data.entity || name === `${data.entity}/${data.id}`) tell(data)
    }
  }
}

/** Hears of changes of an entity's records, or of one record, as long as the component is shown. */
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
      asked: name,
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
