/** Plans a page that begins at a cursor or at an end of the order. */
import type { Entity } from '../../definitions/catalog.ts'
import { addIssue, type Issue } from '../../issues.ts'
import type { Criteria } from '../criteria/criteria.ts'
import { criteriaLimits } from '../criteria/criteria-limits.ts'
import type { PlannedOrdering, SelectPlan } from '../select-plan.ts'
import { fingerprintOf, readCursor } from './cursor.ts'

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
