/** A filter while it is edited: every part has a name of its own, and "not" is a property of what it negates. */
import type { Condition } from '../../api/types.ts'
import {
  type Filter,
  type FilterMany,
  type FilterRule,
  parseFilter,
  printFilter,
} from './filter.ts'

type Part = { readonly id: number; readonly isNegated: boolean }
export type DraftRule = Part & { readonly kind: 'rule'; readonly rule: FilterRule }
export type DraftGroup = Part & {
  readonly kind: 'group'
  readonly join: 'and' | 'or'
  readonly items: readonly Draft[]
}
/** What the form shows in words, and keeps as it is. */
export type DraftMany = Part & { readonly kind: 'many'; readonly filter: FilterMany }
export type Draft = DraftRule | DraftGroup | DraftMany

let lastId = 0

const part = (isNegated = false): Part => {
  lastId += 1
  return { id: lastId, isNegated }
}

const draft = (filter: Filter): Draft => {
  switch (filter.kind) {
    case 'rule':
      return { ...part(), kind: 'rule', rule: filter }
    case 'group':
      return { ...part(), kind: 'group', join: filter.join, items: filter.items.map(draft) }
    case 'many':
      return { ...part(), kind: 'many', filter }
    case 'not': {
      const item = draft(filter.item)
      // What is negated twice is a group of one.
      return item.isNegated
        ? { ...part(true), kind: 'group', join: 'and', items: [item] }
        : { ...item, isNegated: true }
    }
  }
}

export const filterOf = (item: Draft): Filter => {
  const plain = plainOf(item)
  return item.isNegated ? { kind: 'not', item: plain } : plain
}

const plainOf = (item: Draft): Filter => {
  switch (item.kind) {
    case 'rule':
      return item.rule
    case 'many':
      return item.filter
    case 'group':
      return { kind: 'group', join: item.join, items: item.items.map(filterOf) }
  }
}

/** What the form shows of a filter; what it cannot read begins empty. */
export const draftOf = (where: Condition | undefined): DraftGroup => {
  const group = where && parseFilter(where)
  const [only] = group?.items ?? []
  // A group alone is the form itself; an empty one matches nothing, which is more than no condition.
  const isWhole = group?.items.length === 1 && only?.kind === 'group' && only.items.length > 0
  const root = isWhole ? only : group
  const items = root?.items.map(draft) ?? []
  return { ...part(), kind: 'group', join: root?.join ?? 'and', items }
}

/** The `$where` of what the form shows; undefined for no condition. */
export const whereOf = (group: DraftGroup): Condition | undefined =>
  group.items.length === 0 && !group.isNegated ? undefined : printFilter(filterOf(group))

export const draftRule = (rule: FilterRule): DraftRule => ({ ...part(), kind: 'rule', rule })

type PlacedRule = { readonly rule: FilterRule; readonly isNegated: boolean }

/** The conditions of a group, and of those inside of it; negated also by a group that they are in. */
export const rulesOf = (group: DraftGroup, isInside = false): readonly PlacedRule[] =>
  group.items.flatMap((item) => {
    const isNegated = isInside || group.isNegated
    if (item.kind === 'many') return []
    return item.kind === 'rule'
      ? [{ rule: item.rule, isNegated: isNegated || item.isNegated }]
      : rulesOf(item, isNegated)
  })

export const newGroup = (items: readonly Draft[]): DraftGroup => ({
  ...part(),
  kind: 'group',
  join: 'or',
  items,
})
