/** Which records the parts of this page show: the stream tells of their changes. */
import { useEffect, useRef } from 'react'
import type { LiveEvent } from './stream.ts'

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
  readonly tell: (change: WatchedChange) => void
}

const watchers = new Set<Watcher>()
let onChange: () => void = () => undefined

/** Called whenever other records are watched than before. */
export const setOnWatched = (listener: () => void): void => {
  onChange = listener
}

/** What is watched: entities (`order`) and single records (`order/12`). */
export const watchedNames = (): readonly string[] => [
  ...new Set([...watchers].map(({ name }) => name)),
]

const isRecordEvent = (data: unknown): data is RecordEvent =>
  typeof data === 'object' && data !== null && 'entity' in data && 'id' in data

/** Tells the parts that show the record of an event. */
export const tellWatchers = ({ kind, data }: LiveEvent): void => {
  for (const { name, tell } of watchers) {
    if (kind === 'opened' || kind === 'reset') tell('missed')
    else if (kind === 'record' && isRecordEvent(data)) {
      if (name === data.entity || name === `${data.entity}/${data.id}`) tell(data)
    }
  }
}

/** Hears of changes of an entity's records, or of one record, as long as the component is shown. */
export const useWatch = (name: string, tell: (change: WatchedChange) => void): void => {
  const latest = useRef(tell)
  useEffect(() => {
    latest.current = tell
  }, [tell])
  useEffect(() => {
    const watcher: Watcher = { name, tell: (change) => latest.current(change) }
    watchers.add(watcher)
    onChange()
    return () => {
      watchers.delete(watcher)
      onChange()
    }
  }, [name])
}
