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

/** What users do on a record besides, of which rules notify. */
export const commentOperations = ['comment', 'mention'] as const
export type CommentOperation = (typeof commentOperations)[number]

/** What a rule of notifications is about. That a date is due is in no history: nobody does it. */
export const notifiedOperations = [
  'create',
  'change',
  'remove',
  'restore',
  'takeOwnership',
  'proceedToStep',
  'date',
  ...commentOperations,
] as const satisfies readonly (RecordOperation | 'date' | CommentOperation)[]
export type NotifiedOperation = (typeof notifiedOperations)[number]

/** Those that change fields of a record: each of them is a change for the rules of `change`. */
export const changingOperations = [
  'change',
  'takeOwnership',
  'proceedToStep',
] as const satisfies readonly RecordOperation[]

/** Those of which callers see beforehand whom they would notify. */
export const previewedOperations = [
  'create',
  'takeOwnership',
  'proceedToStep',
  ...commentOperations,
] as const satisfies readonly NotifiedOperation[]
export type PreviewedOperation = (typeof previewedOperations)[number]
