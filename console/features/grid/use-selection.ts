/** The selection of a list: it belongs to the filter and the words that it was made with. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { countQuery, type ListRequest } from '../../api/queries.ts'
import { windowQuery } from '../../api/rows/rows.ts'
import { rowsPerWindow } from '../../api/rows/window-place.ts'
import type { GridSelection } from './grid-selection.tsx'
import type { ListSearch } from './list-state.ts'
import {
  everything,
  isEmpty,
  isSelected,
  isTooLarge,
  matching,
  maxIds,
  nothing,
  type Selection,
  toggled,
  withRecords,
} from './selection.ts'

/** Rows that Shift adds begin at the row that was chosen last, and are added to what was selected then. */
type Range = { readonly from: number; readonly to: number; readonly base: Selection }

type State = {
  /** The filter and the words. */
  readonly of: string
  readonly order: string
  readonly selection: Selection
  readonly range?: Range | undefined
  readonly error?: Error | 'tooMany' | undefined
  /** Why records are still selected after something was done with them. */
  readonly reasons?: ReadonlyMap<number, string> | undefined
}

/** The ids of the rows from one index to another, both included. */
const readIds = async (
  client: QueryClient,
  list: ListRequest,
  one: number,
  other: number,
): Promise<readonly number[]> => {
  const [first, last] = [Math.min(one, other), Math.max(one, other)]
  const from = Math.floor(first / rowsPerWindow)
  const to = Math.floor(last / rowsPerWindow)
  const windows = Array.from({ length: to - from + 1 }, (_, at) =>
    client.ensureQueryData(windowQuery(list, from + at)),
  )
  const rows = (await Promise.all(windows)).flatMap((window) => window.rows)
  const start = first - from * rowsPerWindow
  return rows.slice(start, start + last - first + 1).map(({ id }) => id)
}

/** What is selected, and how it changes. */
const useSelected = (list: ListRequest, search: ListSearch) => {
  const client = useQueryClient()
  const of = JSON.stringify([search.w, search.q])
  const order = JSON.stringify(search.s)
  const initial: State = { of, order, selection: nothing }
  const [stored, setStored] = useState(initial)
  const latest = useRef(0)
  const state = stored.of === of ? stored : initial
  const { selection, reasons } = state
  const set = (next: Selection, range?: Range) => {
    latest.current += 1
    if (isTooLarge(next)) setStored({ ...state, error: 'tooMany' })
    else setStored({ of, order, selection: next, range, reasons })
  }
  const selectTo = async (range: Range) => {
    latest.current += 1
    const asked = latest.current
    if (Math.abs(range.to - range.from) >= maxIds) return setStored({ ...state, error: 'tooMany' })
    // The next key goes on from here, also while the rows are read.
    setStored({ ...state, order, range })
    try {
      const ids = await readIds(client, list, range.from, range.to)
      // Another key or click came first.
      if (asked === latest.current) set(withRecords(range.base, ids), range)
    } catch (error) {
      if (asked === latest.current && error instanceof Error) setStored({ ...state, error })
    }
  }
  /** Leaves only these records selected; if they are more than a search takes, nothing changes. */
  const keep = (ids: readonly number[], why: ReadonlyMap<number, string>) => {
    latest.current += 1
    const rest = withRecords(nothing, ids)
    setStored({ of, order, selection: isTooLarge(rest) ? selection : rest, reasons: why })
  }
  // Where rows stand is only known for the order of now.
  return { state, set, selectTo, keep, last: state.order === order ? state.range : undefined }
}

export const useSelection = (list: ListRequest, search: ListSearch) => {
  const { state, last, set, selectTo, keep } = useSelected(list, search)
  const { selection, reasons, error } = state
  const grid: GridSelection = {
    isSelected: ({ id }) => isSelected(selection, id),
    noteOf: ({ id }) => reasons?.get(id),
    isEmpty: isEmpty(selection),
    isAll: selection.kind === 'all' && selection.except.size === 0,
    onToggle: (index, { id }) => {
      const next = toggled(selection, id)
      set(next, { from: index, to: index, base: next })
    },
    onRange: (index) => void selectTo({ base: selection, from: index, ...last, to: index }),
    onExtend: (from, to) =>
      void selectTo(last?.to === from ? { ...last, to } : { from, to, base: selection }),
    onAll: () => set(everything),
    onClear: () => set(nothing),
  }
  const count = useSelectedCount(list, selection, search)
  return {
    grid,
    selection,
    set,
    keep,
    error,
    count,
    /** The criteria of the selected records, and their number; undefined: none is. */
    matching: isEmpty(selection) ? undefined : { criteria: matching(selection, search), count },
  }
}

/** How many records are selected: their ids are known, and of criteria the service knows. */
const useSelectedCount = ({ entity }: ListRequest, selection: Selection, search: ListSearch) => {
  const criteria = matching(selection, search)
  const counted = useQuery({
    ...countQuery({ entity, criteria }),
    enabled: selection.kind === 'all',
  })
  return selection.kind === 'some' ? selection.ids.size : counted.data
}

export type ListSelection = ReturnType<typeof useSelection>
