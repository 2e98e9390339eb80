/** What may happen to a record: declared here; types, schemas, checks and texts derive from it. */

/** Operations, as the history and messages name them. */
export const recordOperations = [
  'create',
  'change',
  'remove',
  'restore',
  'takeOwnership',
  'proceedToStep',
] as const
export type RecordOperation = (typeof recordOperations)[number]

/** Operations that a notification may be defined for. */
export const notifiedOperations = [
  'create',
  'takeOwnership',
  'proceedToStep',
] as const satisfies readonly RecordOperation[]
export type NotifiedOperation = (typeof notifiedOperations)[number]
