/**
 * Query criteria as parsed from a request: names and values are not resolved yet, but the shape is valid
 * (docs/criteria.md).
 */

import type { Operator } from '../../definitions/values/rules/operators.ts'
import type { AggregateName } from './aggregates.ts'

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | Compare
  | Readable

type Compare = {
  readonly kind: 'compare'
  /** Field or many-to-one path, as written. */
  readonly field: string
  readonly operator: Operator
  readonly value: unknown
  /** What the value stands for, if it names a field. */
  readonly reference?: Reference
  /** The place in the body, for messages: `$where.supplier.$in`. */
  readonly at: string
}

/** Whether the record behind a many-to-one field or path is one that the user may read. */
type Readable = { readonly kind: 'readable'; readonly field: string; readonly at: string }

/** The value of a field, or of a path: of the same record, or of the user record of the acting user. */
export type Reference = { readonly of: 'record' | 'caller'; readonly path: string }

/** Its comparisons, in all groups. */
export const comparesIn = (condition: Condition): readonly Compare[] => {
  if (condition.kind === 'compare') return [condition]
  if (condition.kind === 'readable') return []
  return condition.kind === 'not'
    ? comparesIn(condition.condition)
    : condition.conditions.flatMap(comparesIn)
}

/** The fields and paths that a condition compares with, as written. */
export const referencesIn = (condition: Condition): readonly Reference[] =>
  comparesIn(condition).flatMap(({ reference }) => reference ?? [])

const pathsOf = (of: Reference['of'], condition: Condition): readonly string[] =>
  referencesIn(condition).flatMap((one) => (one.of === of ? [one.path] : []))

/** The fields and paths of the caller that a condition names, as written. */
export const callerPathsIn = (condition: Condition): readonly string[] =>
  pathsOf('caller', condition)

/** The links of which a condition asks whether their records are readable, as written. */
export const readableIn = (condition: Condition): readonly Readable[] => {
  if (condition.kind === 'readable') return [condition]
  if (condition.kind === 'compare') return []
  return condition.kind === 'not'
    ? readableIn(condition.condition)
    : condition.conditions.flatMap(readableIn)
}

/** The fields and paths of the record that a condition names, as written. */
export const fieldsIn = (condition: Condition | undefined): readonly string[] =>
  condition === undefined
    ? []
    : [
        ...comparesIn(condition).map(({ field }) => field),
        ...readableIn(condition).map(({ field }) => field),
        ...pathsOf('record', condition),
      ]

export type Ordering = { readonly field: string; readonly descending: boolean; readonly at: string }

/** A page that begins after or before a cursor, or with null at an end of the order. */
export type Turn = { readonly at: '$after' | '$before'; readonly cursor: string | null }

/** A function of a field or path over all records that match. */
export type Aggregation = {
  readonly name: AggregateName
  readonly path: string
  readonly at: string
}

/** What to add up of all records that match: together, and by the values of fields. */
export type Totals = {
  readonly aggregations: readonly Aggregation[] | undefined
  readonly group: readonly { readonly path: string; readonly at: string }[] | undefined
}

export type Criteria = {
  readonly where: Condition | undefined
  /** The words of `$search`; none: every record matches. */
  readonly search: readonly string[]
  readonly orderBy: readonly Ordering[]
  /** Fields to return, as written; undefined: the default ones. */
  readonly select: readonly string[] | undefined
  /** Whether to count all that match; a number: the count stops there. */
  readonly count: boolean | number
  readonly turn: Turn | undefined
  readonly totals: Totals | undefined
}

export const noCriteria: Criteria = {
  where: undefined,
  search: [],
  orderBy: [],
  select: undefined,
  count: false,
  turn: undefined,
  totals: undefined,
}
