/**
 * The limits of one query: far more than a person writes, far less than what would overload the parser or
 * PostgreSQL. docs/criteria.md shows them.
 */
export const criteriaLimits = {
  /** Nesting of groups. */
  levels: 20,
  /** Conditions; an empty group counts as one, and so do `$some` and `$none`. */
  conditions: 1000,
  /** `$some` and `$none` within each other. */
  lists: 3,
  /** Values in all lists together. */
  listed: 10_000,
  /** Names in `$orderBy`, and in `$select`. */
  names: 500,
  /** Characters of a field or path. */
  name: 10_000,
  /** Characters of a value. */
  value: 10_000,
  /** Times that move, with which each record is compared; and in one list days that a timestamp is compared with. */
  movingTimes: 100,
  /** Operators that look into a text. */
  searches: 50,
  /** Characters of the value of such an operator. */
  search: 1000,
  /** Comparisons that all of them may cost in one record: PostgreSQL ends no statement inside one (operators.ts). */
  effort: 200_000_000,
  /** `%` in one pattern. */
  wildcards: 20,
  /** Characters, words, and characters of a word of `$search`. */
  searchText: 2000,
  words: 10,
  word: 100,
  /** The largest limit of `$count`. */
  counted: 1_000_000_000,
  /** Characters of a cursor. */
  cursor: 20_000,
  /** Names in `$orderBy` of a search with a cursor. */
  cursorNames: 20,
  /** Fields in `$aggregate`. */
  aggregations: 20,
  /** Fields in `$group`. */
  groupedBy: 5,
  /** Groups of an answer. */
  groups: 1000,
} as const
