/** Which records of a list are selected: some, by their ids, or all that match its criteria, but for some. */
import type { Condition, Criteria } from '../../api/types.ts'
import type { ListSearch } from './list-state.ts'

export type Selection =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<number> }
  | { readonly kind: 'all'; readonly except: ReadonlySet<number> }

/** The most ids that one search takes. */
export const maxIds = 10_000

export const nothing: Selection = { kind: 'some', ids: new Set() }
export const everything: Selection = { kind: 'all', except: new Set() }

export const isEmpty = (selection: Selection): boolean =>
  selection.kind === 'some' && selection.ids.size === 0

export const isSelected = (selection: Selection, id: number): boolean =>
  selection.kind === 'some' ? selection.ids.has(id) : !selection.except.has(id)

/** The selection with these records. */
export const withRecords = (selection: Selection, ids: Iterable<number>): Selection => {
  const given = new Set(ids)
  return selection.kind === 'some'
    ? { kind: 'some', ids: selection.ids.union(given) }
    : { kind: 'all', except: selection.except.difference(given) }
}

/** The selection with or without a record, the other way than it was. */
export const toggled = (selection: Selection, id: number): Selection => {
  const one = new Set([id])
  return selection.kind === 'some'
    ? { kind: 'some', ids: selection.ids.symmetricDifference(one) }
    : { kind: 'all', except: selection.except.symmetricDifference(one) }
}

/** Whether it names more records than a search takes. */
export const isTooLarge = (selection: Selection): boolean =>
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

/** Criteria find removed records only where they name this field. */
const removedOf = (where: Condition = {}): Condition =>
  '_is_deleted' in where ? { _is_deleted: where._is_deleted } : {}
