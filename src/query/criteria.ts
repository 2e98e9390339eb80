/**
 * Query criteria as parsed from a request: names and values still unresolved, but the shape cannot
 * be wrong any more (docs/criteria.md).
 */

/**
 * One row per operator: what it takes, where `present` is any value but null, and which comparisons
 * of a field allow it.
 */
export const operators = {
  $eq: { takes: 'value', needs: 'equal' },
  $ne: { takes: 'value', needs: 'equal' },
  $gt: { takes: 'present', needs: 'ordered' },
  $gte: { takes: 'present', needs: 'ordered' },
  $lt: { takes: 'present', needs: 'ordered' },
  $lte: { takes: 'present', needs: 'ordered' },
  $in: { takes: 'list', needs: 'equal' },
  $nin: { takes: 'list', needs: 'equal' },
  $like: { takes: 'text', needs: 'text' },
  $ilike: { takes: 'text', needs: 'text' },
  $startsWith: { takes: 'text', needs: 'text' },
  $contains: { takes: 'text', needs: 'text' },
  $null: { takes: 'boolean', needs: 'none' },
} as const

export type Operator = keyof typeof operators

/**
 * The budgets of one query: far beyond what a person writes, far below what would tire the parser or
 * PostgreSQL. docs/criteria.md shows them.
 */
export const criteriaLimits = {
  /** Levels of groups inside each other. */
  levels: 20,
  /** Conditions; an empty group counts as one. */
  conditions: 1000,
  /** Values in all lists together. */
  listed: 10_000,
  /** Names in `$orderBy`, and in `$select`. */
  names: 500,
  /** Characters of a field or path. */
  name: 10_000,
  /** Characters of a value. */
  value: 10_000,
  /** Operators that look into a text. */
  searches: 50,
  /** Characters that one of those looks for. */
  search: 1000,
  /** `%` in one pattern. */
  wildcards: 20,
} as const

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | {
      readonly kind: 'compare'
      /** Field or many-to-one path, as written. */
      readonly field: string
      readonly operator: Operator
      readonly value: unknown
      /** Where it stands in the body, for messages: `$where.supplier.$in`. */
      readonly at: string
    }

export type Ordering = { readonly field: string; readonly descending: boolean; readonly at: string }

export type Criteria = {
  readonly where: Condition | undefined
  readonly orderBy: readonly Ordering[]
  /** Fields to give, as written; undefined: the ones that are usual. */
  readonly select: readonly string[] | undefined
  readonly count: boolean
}

export const noCriteria: Criteria = {
  where: undefined,
  orderBy: [],
  select: undefined,
  count: false,
}
