/** What the service answers, as the console reads it. */
import type { AdministrationPart } from '../../src/api/definition-schemas.ts'
import type { ActionKind } from '../../src/definitions/action-kinds.ts'
import type { FieldTypeName } from '../../src/definitions/field-types.ts'
import type { NotificationRule } from '../../src/definitions/notification-matching.ts'
import type { NotifiedOperation } from '../../src/definitions/operations.ts'

export type { AdministrationPart }

/** What the page may know before a sign-in. */
export type ServiceConfig = {
  readonly name: string
  readonly locale: string
  readonly timeZone: string
  readonly version: string
  readonly signIn: 'issuer' | 'development' | 'keys'
}

/** A field of an entity as this caller may see it. */
export type Field = {
  readonly key: string
  readonly name?: string
  readonly description?: string
  readonly type: FieldTypeName
  readonly required?: boolean
  readonly unique?: boolean
  /** The value of a new record that gives none. */
  readonly default?: unknown
  /** Its name in a record; null for a one-to-many. */
  readonly column: string | null
  readonly isSystem: boolean
  /** Calculated by the service: nobody enters it. */
  readonly isCalculated: boolean
  /** Actions that fill it with whoever takes them: nobody enters it. */
  readonly writtenBy?: readonly string[]
  /** Of a calculated field: the columns of the record that it follows from, as far as the caller may see them. */
  readonly calculatedFrom?: readonly string[]
  /** How, if the caller may see all that it reads. */
  readonly formula?: string | null
  readonly rollup?: Readonly<Record<string, string>> | null
  /** The entity that it links to; null where the caller may not know it. */
  readonly entity?: string | null
  /** Of a link to users whom the user of the console may name, but not read: the field with their name. */
  readonly linkName?: string
  /** Of a one-to-many: the link of the other entity that leads here. */
  readonly mappedBy?: string
  /** Of an enum. */
  readonly values?: readonly string[]
  /** Of an enum: what people call its values, as far as the definition says. */
  readonly valueNames?: Readonly<Record<string, string>>
  readonly maxLength?: number
  readonly precision?: number
  readonly scale?: number
  readonly min?: string | number
  readonly max?: string | number
  /** Of a whole number: false where no marks divide its thousands. */
  readonly grouping?: boolean
  /** Of a number: the same for all records, or the path to the text that names it, null if that is hidden. */
  readonly unit?: string | { readonly field: string } | null
  /** Of a url: what it may begin with. */
  readonly schemes?: readonly string[]
  /** Of a string: what the whole of it matches. */
  readonly pattern?: string
  /** What the definition says of a text that does not match it. */
  readonly message?: string
}

export type Scope = boolean | 'own'

type Rights = {
  readonly create: boolean
  readonly read: Scope
  readonly update: Scope
  readonly delete: Scope
  readonly export: Scope
  readonly takeOwnership: Scope
  readonly tasks: Scope
  readonly actions: readonly string[]
  /** Those that have a condition on the record. */
  readonly conditional: readonly string[]
  /** Those of the actions that have one. */
  readonly conditionalActions: readonly string[]
}

/** What a role may do with an entity. */
export type RoleRights = Rights & {
  readonly key: string
  readonly name: string
  readonly hiddenFields: readonly string[]
  /** By right. */
  readonly conditions: Readonly<Record<string, Condition>>
}

/** An action as the definition has it; several steps may have one of the same key. */
export type WorkflowAction = {
  readonly key: string
  readonly name?: string
  readonly kind: ActionKind
  readonly to?: string
  readonly form?: string
  /** Only for administrators. */
  readonly condition?: Condition
}

export type WorkflowStep = {
  readonly key: string
  readonly name?: string
  readonly final?: boolean
  readonly actions?: readonly WorkflowAction[]
}

type WorkflowForm = {
  readonly key: string
  readonly fields: readonly string[]
  readonly required?: readonly string[]
  /** Filled by the service with whoever takes the action. */
  readonly callerFields?: readonly string[]
}

/** A user, whose name the user of the console may not be allowed to know. */
export type NamedUser = { readonly id: number; readonly full_name: string | null }

export type HistoryEntry = {
  readonly id: number
  readonly operation: string
  /** Of a task of the record. */
  readonly task_id: number | null
  readonly at: string
  /** Null: the service itself. */
  readonly user: NamedUser | null
  /** Who really acted, as `user`; null: `user` themselves. */
  readonly acting_user: NamedUser | null
  readonly changes: Readonly<Record<string, { readonly before?: unknown; readonly after: unknown }>>
  readonly action: { readonly key: string; readonly from: string; readonly to: string } | null
  readonly comment: string | null
}

export type Entity = {
  readonly key: string
  readonly name: string
  /** What several records are called. */
  readonly pluralName: string
  readonly description: string | null
  readonly isNative: boolean
  /** Its records are part of another record and written below it. */
  readonly isPartOfRecord: boolean
  /** Its group in the menu; without a name, one without a title. */
  readonly menuGroup: { readonly key: string; readonly name: string | null } | null
  readonly isHiddenInMenu: boolean
  readonly displayField: string
  readonly ownership: boolean
  readonly fields: readonly Field[]
  /** What a record must match once it is written; without a condition where that reads what is hidden. */
  readonly validations?: readonly {
    readonly key: string
    readonly message: string
    readonly field: string | null
    readonly condition: Readonly<Record<string, unknown>> | null
  }[]
  readonly workflow: {
    readonly initialStep?: string
    readonly steps: readonly WorkflowStep[]
    readonly forms?: readonly WorkflowForm[]
  } | null
  readonly permissions: Rights
  /** The operations that some rule notifies users of. */
  readonly notifiedOperations: readonly NotifiedOperation[]
  /** The entries of its notifications; only for administrators. */
  readonly notifications?: readonly NotificationRule[]
  /** Functions that follow a change; only for administrators. */
  readonly hooks?: readonly { readonly functionName: string }[]
  /** The roles that may do something with it; only for administrators. */
  readonly roles?: readonly RoleRights[]
  /** The columns of an export without `$select`. */
  readonly exportSettings: {
    readonly columnDefs: readonly { readonly field: string; readonly label: string }[]
  }
}

export type Me = {
  readonly id: number
  readonly full_name?: string
  readonly email?: string
  /** Who signed in, where the session acts as this user. */
  readonly acting_user: NamedUser | null
  /** The key of the role. */
  readonly role: string
  readonly role_name: string
  readonly security_role_id?: number
  /** The parts of the administration that answer this user. */
  readonly administration: readonly AdministrationPart[]
}

/** A record: its columns by name, and linked records by the key of the field. */
export type RecordRow = { readonly id: number; readonly [column: string]: unknown }

export type Condition = { readonly [key: string]: unknown }

export type Criteria = {
  readonly $where?: Condition
  readonly $search?: string
  readonly $orderBy?: readonly string[]
  readonly $select?: readonly string[]
  readonly $count?: boolean
}

export type RecordPage = { readonly data: readonly RecordRow[]; readonly total?: number }

/** How an export went; only `ended` is a whole file. */
export type ExportRun = {
  readonly state: 'running' | 'ended' | 'failed' | 'cancelled'
  readonly rows: number
  /** `sha-256=…` of the file; null before its end. */
  readonly digest: string | null
}

/** A stored notification; its content has been rendered for this user. */
export type Notification = {
  readonly _id: string
  readonly entity_key: string
  readonly entity_id: number
  readonly content: {
    readonly icon?: string | null
    readonly title?: string | null
    readonly message?: string | null
    readonly due_date?: string | null
    readonly url?: string | null
  }
  readonly timestamp: string
  readonly seen: boolean
}

/** A record that fits words. */
export type Found = {
  readonly entity: string
  readonly id: number
  readonly display: string | null
  /** The one that has the words. */
  readonly field: string
  readonly match: string
  /** What the record is called to which the field links, if that has the words. */
  readonly linked?: string
}
