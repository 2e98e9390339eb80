/** Which records of a list are selected: some, by their ids, or all that match its criteria, with exceptions. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { countQuery, type ListRequest } from '../../api/queries.ts'
import { rowsPerWindow, windowQuery } from '../../api/rows/rows.ts'
import type { Condition, Criteria } from '../../api/types.ts'
import type { GridSelection } from './grid-selection.tsx'
import type { ListSearch } from './list-state.ts'

export type Selection =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<number> }
  | { readonly kind: 'all'; readonly except: ReadonlySet<number> }

/** The largest number of ids in one search. */
export const maxIds = 10_000

export const nothing: Selection = { kind: 'some', ids: new Set() }
export const everything: Selection = { kind: 'all', except: new Set() }

export const isEmpty = (selection: Selection): boolean =>
  selection.kind === 'some' && selection.ids.size === 0

const isSelected = (selection: Selection, id: number): boolean =>
  selection.kind === 'some' ? selection.ids.has(id) : !selection.except.has(id)

/** The selection with these records. */
const withRecords = (selection: Selection, ids: Iterable<number>): Selection => {
  const added = new Set(ids)
  return selection.kind === 'some'
    ? { kind: 'some', ids: selection.ids.union(added) }
    : { kind: 'all', except: selection.except.difference(added) }
}

/** The selection with a record if it was not selected, else without it. */
const toggled = (selection: Selection, id: number): Selection => {
  const one = new Set([id])
  return selection.kind === 'some'
    ? { kind: 'some', ids: selection.ids.symmetricDifference(one) }
    : { kind: 'all', except: selection.except.symmetricDifference(one) }
}

/** Whether it lists more records than a search takes. */
const isTooLarge = (selection: Selection): boolean =>
  (selection.kind === 'some' ? selection.ids : selection.except).size > maxIds

type Matching = Pick<Criteria, '$where' | '$search'>

/** The criteria that exactly the selected records of a list match. */
export const matching = (selection: Selection, { w, q }: ListSearch): Matching => {
  if (selection.kind === 'some')
    return { $where: { ...removedOf(w), id: { $in: [...selection.ids] } } }
  const words = q === undefined ? {} : { $search: q }
  if (selection.except.size === 0) return { ...(w && { $where: w }), ...words }
  const others = { id: { $nin: [...selection.except] } }
  return { $where: w ? { $and: [w, others] } : others, ...words }
}

/** Criteria find removed records only if they contain this field. */
const removedOf = (where: Condition = {}): Condition =>
  '_is_deleted' in where ? { _is_deleted: where._is_deleted } : {}

/** Shift selects the rows from the one that was chosen last, in addition to what was selected then. */
type Range = { readonly from: number; readonly to: number; readonly base: Selection }

type State = {
  /** The filter and the words to which the selection belongs. */
  readonly of: string
  readonly order: string
  readonly selection: Selection
  readonly range?: Range | undefined
  readonly error?: Error | 'tooMany' | undefined
  /** By record: why it could not be changed and stays selected. */
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
    const own = latest.current
    if (Math.abs(range.to - range.from) >= maxIds) return setStored({ ...state, error: 'tooMany' })
    // The next key extends this range, even while its rows are being read.
    setStored({ ...state, order, range })
    try {
      const ids = await readIds(client, list, range.from, range.to)
      // Another key or click came first.
      if (own === latest.current) set(withRecords(range.base, ids), range)
    } catch (error) {
      if (own === latest.current && error instanceof Error) setStored({ ...state, error })
    }
  }
  /** Leaves only these records selected; if they are more than a search takes, nothing changes. */
  const keep = (ids: readonly number[], why: ReadonlyMap<number, string>) => {
    latest.current += 1
    const rest = withRecords(nothing, ids)
    setStored({ of, order, selection: isTooLarge(rest) ? selection : rest, reasons: why })
  }
  // In another order, the range contains other rows.
  return { state, set, selectTo, keep, last: state.order === order ? state.range : undefined }
}

/** The selection of a list. It belongs to the filter and the words with which it was made. */
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
    /** The criteria of the selected records, and their number; undefined if none is selected. */
    matching: isEmpty(selection) ? undefined : { criteria: matching(selection, search), count },
  }
}

/** How many records are selected; those that match criteria are counted by the service. */
const useSelectedCount = ({ entity }: ListRequest, selection: Selection, search: ListSearch) => {
  const criteria = matching(selection, search)
  const counted = useQuery({
    ...countQuery({ entity, criteria }),
    enabled: selection.kind === 'all',
  })
  return selection.kind === 'some' ? selection.ids.size : counted.data
}

export type ListSelection = ReturnType<typeof useSelection>
