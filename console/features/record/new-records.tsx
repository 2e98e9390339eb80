/** Changes by others while a list is shown: rows are read again where they stand, new records are counted in a bar. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ListRequest } from '../../api/queries.ts'
import {
  countAmong,
  forgetOtherLists,
  knownRows,
  putRows,
  readRows,
} from '../../api/rows/changed-rows.ts'
import { type ListRow, refreshWindows } from '../../api/rows/rows.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type RecordEvent, useWatch, type WatchedChange } from '../session/live.ts'
import { useSession } from '../session/session.ts'
import './new-records.css'

/** Says how many records are new; they are shown when the user asks for them. */
export const NewRecordsBar = ({ count, load }: NewRecords): ReactNode => {
  const { changes } = useTexts()
  return (
    <div role="status" className="new-records">
      {count > 0 && (
        <>
          <span>{changes.newRecords(count)}</span>
          <Button
            look="quiet"
            onClick={({ currentTarget }) => {
              // The button disappears with the bar.
              currentTarget.closest('main')?.querySelector<HTMLElement>('[role=grid]')?.focus()
              load()
            }}
          >
            {changes.load}
          </Button>
        </>
      )}
    </div>
  )
}

type NewRecords = { readonly count: number; readonly load: () => void }

/** Keeps the rows of a list current, and counts new ones; `shown` gives the rows on the screen. */
export const useListChanges = (list: ListRequest, shown: () => readonly ListRow[]): NewRecords => {
  const client = useQueryClient()
  const userId = useSession().me.id
  const changes = useRef<ListChanges>(undefined)
  const latest = useRef(shown)
  const [state, setState] = useState({ list, count: 0 })
  useEffect(() => {
    latest.current = shown
  }, [shown])
  useEffect(() => {
    const own = createListChanges({
      client,
      list,
      userId,
      shown: () => latest.current(),
      onNew: (count) => setState({ list, count }),
    })
    changes.current = own
    return () => {
      own.stop()
      // The list is read again when it is shown.
      setState({ list, count: 0 })
    }
  }, [client, list, userId])
  useWatch(list.entity, (change) => changes.current?.add(change))
  return {
    count: state.list === list ? state.count : 0,
    load: () => void changes.current?.load(),
  }
}

// The rows of one search.
const maxRows = 200
// The ids in one search.
const maxNew = 5_000

type Options = {
  readonly client: QueryClient
  readonly list: ListRequest
  readonly userId: number
  /** The rows on the screen. */
  readonly shown: () => readonly ListRow[]
  /** Called with the number of new records. */
  readonly onNew: (count: number) => void
}

type ListChanges = {
  readonly add: (change: WatchedChange) => void
  /** Reads the list again, with the new records. */
  readonly load: () => Promise<void>
  readonly stop: () => void
}

// Changes that come together are read together.
const settleMs = 50

/** Reads soon, one reading after the other, so that no older answer comes last. */
const createReading = (read: () => Promise<void>) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = Promise.resolve()
  const begin = () => {
    const reading = running.then(() => {
      timer = undefined
      return read()
    })
    // A failed reading is repeated with the next change, or when the stream is back.
    running = reading.catch(() => undefined)
  }
  return {
    later: () => {
      timer ??= setTimeout(begin, settleMs)
    },
    stop: () => clearTimeout(timer),
  }
}

const createListChanges = (options: Options): ListChanges => {
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
    // Some are not new any more: they were read, or the next reading counts without them.
    if (isStopped || counted.some((id) => !fresh.has(id))) return
    // The list is empty, so nothing can move under the pointer.
    if (count > 0 && knownRows(client, list).size === 0) await load()
    else onNew(count)
  }
  const reading = createReading(run)
  const collect = (change: RecordEvent) => {
    const row = knownRows(client, list).get(change.id)
    // The row was read after this change.
    if (row && row._version === change.version && !row.$mark) return
    if (row) due.set(row.id, row)
    else if (change.gone) fresh.delete(change.id)
    else if (isNew(change, options.userId) && fresh.size < maxNew) fresh.add(change.id)
    reading.later()
  }
  return {
    load,
    add: (change) => {
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

/** Puts the current rows into their places. */
const readAgain = async ({ client, list }: Options, rows: readonly ListRow[]): Promise<void> => {
  for (let at = 0; at < rows.length; at += maxRows)
    putRows(client, list, await readRows(list, rows.slice(at, at + maxRows)))
}

/** The user's own new records are not counted. */
const isNew = ({ created, by }: RecordEvent, userId: number): boolean =>
  created === true && by !== userId
