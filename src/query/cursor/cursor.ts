/**
 * Cursors and pages that begin at one, or at an end of the order. A cursor is the values of the order in one record, as text that callers send back unchanged. It contains
 * only values that the caller was shown or could sort by, and is checked like values of conditions, so a
 * changed cursor is at most another place in the same query.
 */
import { createHash } from 'node:crypto'
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { validationError } from '../../errors.ts'
import { addIssue, type Issue } from '../../issues.ts'
import type { Criteria } from '../criteria/criteria.ts'
import { criteriaLimits } from '../criteria/criteria-limits.ts'
import { jsonValue } from '../record-json.ts'
import type { PlannedOrdering, SelectPlan } from '../select-plan.ts'

/** What a cursor belongs to: the entity, which of its records, and their order. */
const fingerprintOf = (entity: Entity, { where, search, orderBy }: Criteria): string => {
  const order = orderBy.map(({ field, descending }) => [field, descending])
  const query = JSON.stringify([entity.key, where ?? null, search, order])
  return createHash('sha256').update(query).digest('base64url').slice(0, 16)
}

/** SQL: the values of the order in a row, as JSON text. */
export const cursorValues = (orderBy: readonly PlannedOrdering[]): string =>
  `'['||${orderBy.map(({ ref }) => jsonValue(ref)).join(`||','||`)}||']'`

/** The cursor of a record from its JSON text of those values. */
export const printCursor = (fingerprint: string, values: string): string => {
  const cursor = Buffer.from(`["${fingerprint}",${values}]`).toString('base64url')
  if (cursor.length <= criteriaLimits.cursor) return cursor
  throw validationError('criteria.invalid', [
    {
      path: '$orderBy',
      message: `sorts by texts that are too long for a cursor of ${criteriaLimits.cursor} characters; sort by shorter fields, or request pages with "page"`,
    },
  ])
}

/** The values of a cursor; undefined if it belongs to another query. */
const readCursor = (
  cursor: string,
  fingerprint: string,
  orderBy: readonly PlannedOrdering[],
): readonly SqlValue[] | undefined => {
  const content = parsed(cursor)
  if (!Array.isArray(content) || content.length !== 2 || content[0] !== fingerprint)
    return undefined
  const list: unknown = content[1]
  if (!Array.isArray(list) || list.length !== orderBy.length) return undefined
  const values = orderBy.map(({ ref }, index) => checked(list[index], ref.column))
  return values.every((value) => value !== undefined) ? values : undefined
}

const parsed = (cursor: string): unknown => {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Stored texts may break rules that the field got later, so any text that PostgreSQL takes is accepted. */
const checked = (value: unknown, { type, name }: Column): SqlValue | undefined => {
  if (value === null) return name === 'id' ? undefined : null
  if (type.comparison === 'text')
    return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
      ? value
      : undefined
  const result = type.checkSearched(value, 'UTC')
  return 'value' in result ? result.value : undefined
}

/** The order, reversed for a page before a cursor, and what its cursors need. */
export const planCursor = (
  entity: Entity,
  criteria: Criteria,
  orderBy: readonly PlannedOrdering[],
  issues: Issue[],
): Pick<SelectPlan, 'orderBy' | 'cursor'> => {
  const { turn } = criteria
  // Unresolved names are issues already, and leave an order that no cursor fits.
  if (!turn || issues.length > 0) return { orderBy, cursor: undefined }
  const most = criteriaLimits.cursorNames
  if (criteria.orderBy.length > most)
    addIssue(issues, {
      path: '$orderBy',
      message: `has ${criteria.orderBy.length} entries, at most ${most} are allowed with ${turn.at}`,
    })
  const fingerprint = fingerprintOf(entity, criteria)
  const values = turn.cursor === null ? undefined : readCursor(turn.cursor, fingerprint, orderBy)
  if (turn.cursor !== null && !values)
    addIssue(issues, {
      path: turn.at,
      message:
        'is not a cursor that a search with the same entity, $where and $orderBy returned; begin again with null',
    })
  const isReversed = turn.at === '$before'
  return {
    orderBy: isReversed ? orderBy.map(reversed) : orderBy,
    cursor: { fingerprint, values, isReversed },
  }
}

// PostgreSQL sorts null first in a descending order, so this is the exact reverse.
const reversed = ({ ref, descending }: PlannedOrdering): PlannedOrdering => ({
  ref,
  descending: !descending,
})
