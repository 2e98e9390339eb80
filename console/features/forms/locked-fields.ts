/**
 * Which fields a step locks by the definition, without asking the service: for bulk changes and for undoing. What a form of one record
 * locks, the service says (`api/open-actions.ts`): other records may lock it, too.
 */
import type { Entity } from '../../api/types.ts'

/** Whether a step locks a field for the roles of the user. */
export const isLockedIn = (
  workflow: Entity['workflow'],
  step: unknown,
  fieldKey: string,
): boolean => {
  const locks = workflow?.steps.find(({ key }) => key === step)?.locks
  return locks !== undefined && (locks.fields === 'all' || locks.fields.includes(fieldKey))
}
