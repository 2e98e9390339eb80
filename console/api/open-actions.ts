/** What the caller may do now with a record, and which records wait for their decision, as the service answers. */
import type { OpenActions } from '../../src/workflow/workflow-schemas.ts'

export type { Approval } from '../../src/workflow/approval-endpoints.ts'
export type { OpenActions }

/** An action that is open to the caller. */
export type OpenAction = OpenActions['data'][number]
/** An action or a right whose condition does not hold for this record and the user. */
export type UnmetAction = OpenActions['unmet'][number]
export type LockedField = OpenActions['lockedFields'][number]
export type UnmetRight = OpenActions['unmetRights'][number]
/** Whether the user may change a field of a record. */
export const isOpenTo = ({ may, lockedFields }: OpenActions, fieldKey: string): boolean =>
  may.update && lockedFields.every(({ key }) => key !== fieldKey)

/** Paths that a condition compares, of the record and of the user. */
export type ComparedPaths = Pick<UnmetAction, 'fields' | 'callerFields'>
