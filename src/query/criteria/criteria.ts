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
  | Some

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
/** Whether at least one record of a one-to-many field meets a condition, whose names are those of that record. */
type Some = {
  readonly kind: 'some'
  /** One-to-many field, or a path to one over many-to-one fields, as written. */
  readonly list: string
  readonly condition: Condition
  readonly at: string
}

/** The value of a field, or of a path: of the same record, or of the user record of the acting user. */
export type Reference = { readonly of: 'record' | 'caller'; readonly path: string }

/** What it demands of the record itself, in all groups: without what it demands of records of one-to-many fields. */
const partsIn = (condition: Condition): readonly (Compare | Readable | Some)[] => {
  const { kind } = condition
  if (kind === 'compare' || kind === 'readable' || kind === 'some') return [condition]
  return condition.kind === 'not'
    ? partsIn(condition.condition)
    : condition.conditions.flatMap(partsIn)
}

/** Its comparisons of the record itself, in all groups. */
export const comparesIn = (condition: Condition): readonly Compare[] =>
  partsIn(condition).filter((part) => part.kind === 'compare')

/** The one-to-many fields that it asks, in all groups. */
export const listsIn = (condition: Condition): readonly Some[] =>
  partsIn(condition).filter((part) => part.kind === 'some')

/** The fields and paths of the record, and of the caller, that a condition compares with, as written. */
export const referencesIn = (condition: Condition): readonly Reference[] => [
  ...comparesIn(condition).flatMap(({ reference }) => reference ?? []),
  ...listsIn(condition).flatMap((list) =>
    referencesIn(list.condition).filter(({ of }) => of === 'caller'),
  ),
]

const pathsOf = (of: Reference['of'], condition: Condition): readonly string[] =>
  referencesIn(condition).flatMap((one) => (one.of === of ? [one.path] : []))

/** The fields and paths of the caller that a condition names, as written. */
export const callerPathsIn = (condition: Condition): readonly string[] =>
  pathsOf('caller', condition)

/** The links of which a condition asks whether their records are readable, as written. */
export const readableIn = (condition: Condition): readonly Readable[] =>
  partsIn(condition).filter((part) => part.kind === 'readable')

/**
 * The fields and paths of the record that a condition names, as written; those of a one-to-many field begin with it:
 * `lines.amount`.
 */
export const fieldsIn = (condition: Condition | undefined): readonly string[] =>
  condition === undefined
    ? []
    : [
        ...comparesIn(condition).map(({ field }) => field),
        ...readableIn(condition).map(({ field }) => field),
        ...pathsOf('record', condition),
        ...listsIn(condition).flatMap(fieldsOfList),
      ]

const fieldsOfList = ({ list, condition }: Some): readonly string[] => {
  const names = fieldsIn(condition)
  return (names.length === 0 ? ['id'] : names).map((name) => `${list}.${name}`)
}

const referenceKeys = { record: '$field', caller: '$caller' } as const

/** A condition as `$where`. */
export const printWhere = (condition: Condition): Readonly<Record<string, unknown>> => {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const { kind, conditions } = condition
      return conditions.length === 0 ? {} : { [`$${kind}`]: conditions.map(printWhere) }
    }
    case 'not':
      return condition.condition.kind === 'some'
        ? { [condition.condition.list]: { $none: printWhere(condition.condition.condition) } }
        : { $not: printWhere(condition.condition) }
    case 'readable':
      return { [condition.field]: { $readable: true } }
    case 'some':
      return { [condition.list]: { $some: printWhere(condition.condition) } }
    case 'compare': {
      const { field, operator, value, reference } = condition
      const operand = reference ? { [referenceKeys[reference.of]]: reference.path } : value
      return { [field]: { [operator]: operand } }
    }
  }
}

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

/**
 * What a condition demands of the record of an association. It is less than the whole condition if that compares other
 * fields too; undefined if nothing is certain.
 */
export const conditionThrough = (
  condition: Condition,
  association: string,
): Condition | undefined => {
  const start = `${association}.`
  if (fieldsIn(condition).every((field) => field.startsWith(start)))
    return withFields(condition, (field) => field.slice(start.length))
  if (condition.kind !== 'and') return undefined
  const certain = condition.conditions.flatMap((one) => conditionThrough(one, association) ?? [])
  return certain.length === 0 ? undefined : { kind: 'and', conditions: certain }
}

/** All that a condition compares of the record of an association, whether or not it demands it; undefined if it is nothing. */
export const askedThrough = (condition: Condition, association: string): Condition | undefined => {
  if (condition.kind === 'not') return askedThrough(condition.condition, association)
  if (condition.kind !== 'and' && condition.kind !== 'or')
    return conditionThrough(condition, association)
  const asked = condition.conditions.flatMap((one) => askedThrough(one, association) ?? [])
  return asked.length === 0 ? undefined : { kind: 'and', conditions: asked }
}

const withFields = (condition: Condition, nameOf: (field: string) => string): Condition => {
  if (condition.kind === 'compare') {
    const { field, reference } = condition
    const named = { ...condition, field: nameOf(field) }
    return reference?.of === 'record'
      ? { ...named, reference: { ...reference, path: nameOf(reference.path) } }
      : named
  }
  if (condition.kind === 'readable') return { ...condition, field: nameOf(condition.field) }
  // What its condition names are fields of other records.
  if (condition.kind === 'some') return { ...condition, list: nameOf(condition.list) }
  if (condition.kind === 'not')
    return { kind: 'not', condition: withFields(condition.condition, nameOf) }
  return { ...condition, conditions: condition.conditions.map((one) => withFields(one, nameOf)) }
}
