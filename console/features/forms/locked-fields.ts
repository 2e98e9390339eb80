/** What the definition says of fields that steps lock. */
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
