/** What may happen to a record: declared here; types, schemas, checks and texts derive from it. */

/** Operations by their names in the history and in messages. */
export const recordOperations = [
  'create',
  'change',
  'remove',
  'restore',
  'takeOwnership',
  'proceedToStep',
  'anonymise',
] as const
export type RecordOperation = (typeof recordOperations)[number]

export const notifiedOperations = [
  'create',
  'takeOwnership',
  'proceedToStep',
] as const satisfies readonly RecordOperation[]
export type NotifiedOperation = (typeof notifiedOperations)[number]
