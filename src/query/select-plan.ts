/** The plan of a SELECT: names resolved to columns, values checked; plain data without open questions. */
import type { Sql } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import type { Operator } from '../definitions/values/rules/operators.ts'
import type { RecordScope } from './access.ts'
import type { AggregateName } from './criteria/aggregates.ts'
import type { WordPattern } from './search/word-pattern.ts'

/** A column of the entity itself (`alias` t), of a joined one (j1, j2 …), or of the records of a `$some` (s1, s1j1 …). */
export type ColumnRef = {
  readonly alias: string
  readonly column: Column
  /** Stands for the column, where that is of a record that is not joined. */
  readonly value?: Sql
}

/** A left join along a many-to-one; a record that may not be read joins as null. */
export type Join = {
  readonly alias: string
  readonly from: ColumnRef
  readonly entity: Entity
  readonly scope: RecordScope
  /** Whether it is for the names of users alone, which are seen beyond the scope of the caller. */
  readonly isName: boolean
  /** Whether conditions or the order need it, so that it must happen before the page is cut. */
  readonly isDecisive: boolean
}

/** A value to bind, or one that the statement reads from its clock. */
export type PlannedValue = SqlValue | Sql

export type PlannedCondition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly PlannedCondition[] }
  | { readonly kind: 'not'; readonly condition: PlannedCondition }
  | { readonly kind: 'never' }
  | {
      /** Whether the linked record is in the scope and meets a condition, in which it has the alias. */
      readonly kind: 'linked'
      readonly alias: string
      readonly link: ColumnRef
      readonly entity: Entity
      readonly scope: RecordScope
      readonly condition: PlannedCondition
    }
  | {
      /** Whether at least one record in the scope links to the owner and meets a condition. */
      readonly kind: 'some'
      /** The id of the record that has the one-to-many field. */
      readonly owner: ColumnRef
      /** The link back, of the records, whose alias is that of all their columns. */
      readonly link: ColumnRef
      readonly entity: Entity
      readonly scope: RecordScope
      readonly joins: readonly Join[]
      readonly withRemoved: boolean
      /** Whether it is asked for each record, and not planned as a join. */
      readonly isApart: boolean
      readonly condition: PlannedCondition
    }
  | {
      readonly kind: 'compare'
      readonly ref: ColumnRef
      readonly operator: Operator
      /** One, unless the operator takes a list. */
      readonly values: readonly PlannedValue[]
    }
  | {
      /** Compares two columns. */
      readonly kind: 'relate'
      readonly ref: ColumnRef
      readonly operator: Operator
      readonly other: ColumnRef
      /** Where one of these is empty, it does not hold. */
      readonly filled: readonly ColumnRef[]
    }
  | {
      /** Whether a column has one of the values that a select returns. */
      readonly kind: 'among'
      readonly ref: ColumnRef
      readonly values: Sql
    }
  | {
      readonly kind: 'occurs'
      readonly ref: ColumnRef
      readonly pattern: WordPattern
      /** Whether the column may have an index of its folded texts. */
      readonly isIndexed: boolean
    }

export type PlannedOrdering = { readonly ref: ColumnRef; readonly descending: boolean }

export type PlannedAggregation = {
  readonly name: AggregateName
  readonly path: string
  readonly ref: ColumnRef
}

export type PlannedTotals = {
  readonly aggregations: readonly PlannedAggregation[] | undefined
  readonly group: readonly PlannedColumn[] | undefined
}

export type PlannedCursor = {
  /** What the cursors of the page belong to. */
  readonly fingerprint: string
  /** The values of the order in the record that the page follows; undefined: it begins at the end of the order. */
  readonly values: readonly SqlValue[] | undefined
  /** Whether the order of the plan is the reverse of the requested one. */
  readonly isReversed: boolean
}

/** A column of the select list, with its path in the request. */
export type PlannedColumn = { readonly path: string; readonly ref: ColumnRef }

/** A path of the select list, and its place in the request. */
export type ColumnPath = { readonly path: string; readonly at: string }

/** The columns of a select list with the joins that they need, by path. */
export type PlannedColumns = {
  readonly columns: readonly PlannedColumn[]
  readonly joins: ReadonlyMap<string, Join>
}

export type Page = { readonly limit: number; readonly offset: number }

export type SelectPlan = {
  readonly entity: Entity
  readonly scope: RecordScope
  readonly columns: readonly PlannedColumn[]
  readonly joins: readonly Join[]
  readonly where: PlannedCondition | undefined
  /** Soft-deleted records are left out unless the criteria ask for them. */
  readonly withRemoved: boolean
  /** Ends with the id, so that pages never overlap. */
  readonly orderBy: readonly PlannedOrdering[]
  /** Only for a page whose ends are given as cursors. */
  readonly cursor: PlannedCursor | undefined
  /** What to add up of all records that match, whatever the page. */
  readonly totals: PlannedTotals | undefined
  readonly page: Page | undefined
}
