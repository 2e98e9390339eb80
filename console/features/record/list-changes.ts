/** What others change while a list is shown: its rows are read again in their places, new ones are counted. */
import type { QueryClient } from '@tanstack/react-query'
import type { ListRequest } from '../../api/queries.ts'
import {
  countAmong,
  forgetOtherLists,
  knownRows,
  putRows,
  readRows,
} from '../../api/rows/changed-rows.ts'
import { type ListRow, refreshWindows } from '../../api/rows/rows.ts'
import type { RecordEvent, WatchedChange } from '../session/watched.ts'

// Of one search.
const maxRows = 200
// Values in the lists of one search.
const maxNew = 5_000

type Options = {
  readonly client: QueryClient
  readonly list: ListRequest
  readonly userId: number
  /** The rows on the screen. */
  readonly shown: () => readonly ListRow[]
  /** Hears of the number of new records. */
  readonly onNew: (count: number) => void
}

export type ListChanges = {
  readonly tell: (change: WatchedChange) => void
  /** Reads the list anew, with what is new. */
  readonly load: () => Promise<void>
  readonly stop: () => void
}

// Changes that are told together are read together.
const settleMs = 50

/** Reads soon, and one after the other, so that no older answer comes last. */
const createReading = (read: () => Promise<void>) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = Promise.resolve()
  const begin = () => {
    const reading = running.then(() => {
      timer = undefined
      return read()
    })
    // What could not be read is read with the next change, or when the stream is back.
    running = reading.catch(() => undefined)
  }
  return {
    later: () => {
      timer ??= setTimeout(begin, settleMs)
    },
    stop: () => clearTimeout(timer),
  }
}

export const createListChanges = (options: Options): ListChanges => {
  const { client, list, onNew } = options
  const due = new Map<number, ListRow>()
  const fresh = new Set<number>()
  let isStopped = false
  const load = async () => {
    due.clear()
    fresh.clear()
    onNew(0)
    await refreshWindows(client, list, 0)
  }
  const run = async () => {
    const rows = [...due.values()]
    due.clear()
    void forgetOtherLists(client, list)
    await readAgain(options, rows)
    if (fresh.size === 0) return onNew(0)
    const counted = [...fresh]
    const count = await countAmong(list, counted)
    // What is not new any more was read meanwhile, or is counted without it next.
    if (isStopped || counted.some((id) => !fresh.has(id))) return
    // Nothing is on the screen that could move.
    if (count > 0 && knownRows(client, list).size === 0) await load()
    else onNew(count)
  }
  const reading = createReading(run)
  const collect = (change: RecordEvent) => {
    const row = knownRows(client, list).get(change.id)
    // It was read after this change.
    if (row && row._version === change.version && !row.$mark) return
    if (row) due.set(row.id, row)
    else if (change.gone) fresh.delete(change.id)
    else if (isNew(change, options.userId) && fresh.size < maxNew) fresh.add(change.id)
    reading.later()
  }
  return {
    load,
    tell: (change) => {
      if (change !== 'missed') return collect(change)
      for (const row of options.shown()) due.set(row.id, row)
      reading.later()
    },
    stop: () => {
      isStopped = true
      reading.stop()
    },
  }
}

/** Puts the rows as they are now into their places. */
const readAgain = async ({ client, list }: Options, rows: readonly ListRow[]): Promise<void> => {
  for (let at = 0; at < rows.length; at += maxRows)
    putRows(client, list, await readRows(list, rows.slice(at, at + maxRows)))
}

/** Whoever has created a record knows of it. */
const isNew = ({ created, by }: RecordEvent, userId: number): boolean =>
  created === true && by !== userId
