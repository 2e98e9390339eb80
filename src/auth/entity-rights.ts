/** What a role may do with the records of one entity. */
import type { Column } from '../definitions/catalog.ts'
import type { ConditionalRight } from '../definitions/schemas/role-definition.ts'

export const recordRights = [
  'read',
  'update',
  'delete',
  'export',
  'tasks',
  'comments',
  'internalComments',
  'takeOwnership',
  'anonymise',
  'purge',
] as const
export type RecordRight = (typeof recordRights)[number]

/** None of them. */
export const noRecordRights: Readonly<Record<RecordRight, false>> = {
  read: false,
  update: false,
  delete: false,
  export: false,
  tasks: false,
  comments: false,
  internalComments: false,
  takeOwnership: false,
  anonymise: false,
  purge: false,
}

/** Of the records that a role may create or change; `history` with what the service writes itself. */
export type ImportRight = boolean | 'history'

/** A role's permissions on one entity. */
export type EntityRights = {
  readonly create: boolean
  /** Whether it imports files, and what only the service writes too: who created a record, when, and its step. */
  readonly import: ImportRight
  readonly scopes: Readonly<Record<RecordRight, boolean | 'own'>>
  readonly actions: ReadonlySet<string>
  readonly hiddenFields: ReadonlySet<string>
  readonly readOnlyFields: ReadonlySet<string>
  /** Criteria of the role definition on the records that it may read and write. */
  readonly conditions: RightConditions
}

/** By permission; none: only its scope counts. */
export type RightConditions = Readonly<Partial<Record<ConditionalRight | 'read', object>>>

/** Whether a role hides a column, by its field's key or its own name. */
export const isHidden = ({ hiddenFields }: EntityRights, column: Column): boolean =>
  hiddenFields.has(column.field.key) || hiddenFields.has(column.name)

/** Whether a role may not write a column that it sees. The forms of its actions write it all the same. */
export const isReadOnly = ({ readOnlyFields }: EntityRights, column: Column): boolean =>
  readOnlyFields.has(column.field.key) || readOnlyFields.has(column.name)
