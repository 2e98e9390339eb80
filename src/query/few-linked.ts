/**
 * Pages of records whose links lead to few others: the ids of these are read first, and links are compared with them before anything is
 * looked up.
 */
import { join, nothing, raw, type Sql, sql } from '../database/sql.ts'
import type { SelectPlan } from './select-plan.ts'

// An index finds so many in 0.2 ms, which is what a page loses whose links lead to more.
const most = 500

type Few = {
  /** The parts of a `WITH` that have the ids. */
  readonly parts: readonly Sql[]
  readonly conditions: readonly Sql[]
}

/**
 * Of the page of a plan. Each condition lets through what the scope lets through, which is asked as well: it says only where a record need not
 * be looked up.
 */
export const fewLinkedOf = ({ scope, page }: SelectPlan): Few => {
  const isPart = page !== undefined && typeof scope !== 'string' && !scope.shown
  const linked = isPart ? (scope.few?.('t') ?? []) : []
  const names = linked.map((_, index) => raw(`few${index + 1}`))
  return {
    parts: linked.map(({ ids }, index) => partOf(ids, names[index] ?? nothing)),
    conditions: linked.map(({ link }, index) => leadsToOne(link, names[index] ?? nothing)),
  }
}

const partOf = (ids: Sql, name: Sql): Sql =>
  sql`${name} AS MATERIALIZED (${ids} LIMIT ${raw(`${most + 1}`)})`

/**
 * PostgreSQL asks the first condition once, and reads no record where it does not hold. It takes a test for null as one that almost all records
 * pass, and plans the rest as it would without it.
 */
const leadsToOne = (link: Sql, name: Sql): Sql => sql`EXISTS (SELECT FROM ${name}) AND (
    CASE WHEN (SELECT count(*) FROM ${name}) > ${raw(`${most}`)} OR ${link} IN (SELECT id FROM ${name}) THEN 1 END
  ) IS NOT NULL`

/** `WITH …`, if there are parts. */
export const withParts = (parts: readonly Sql[]): Sql =>
  parts.length === 0 ? nothing : sql`WITH ${join(parts, ', ')} `
