/** What the caller may do now with a record, and which records wait for their decision, as the service answers. */
import type { NamedUser, WorkflowStep } from './types.ts'

/** An action that is open to the caller. */
export type OpenAction = {
  readonly key: string
  readonly name: string
  readonly kind: string
  readonly to: WorkflowStep
  /** What it asks for; null: nothing. */
  readonly form: {
    readonly fields: readonly { readonly key: string; readonly required: boolean }[]
    /** Filled by the service with the caller. */
    readonly callerFields: readonly { readonly key: string }[]
  } | null
}

/** Paths that a condition compares, of the record and of the user. */
export type ComparedPaths = {
  readonly fields: readonly string[]
  readonly callerFields: readonly string[]
}

/** A condition that does not hold. */
type Unmet = ComparedPaths & {
  /** What the definition says to it. */
  readonly message: string | null
}

export type UnmetAction = Unmet & { readonly key: string; readonly name: string }

export type UnmetRight = Unmet & { readonly right: 'update' | 'delete' }

export type OpenActions = {
  /** Null without a workflow. */
  readonly step: WorkflowStep | null
  readonly data: readonly OpenAction[]
  /** Those whose condition does not hold for this record and the user. */
  readonly unmet: readonly UnmetAction[]
  /** What the caller may do with this record, whatever its step. */
  readonly may: Readonly<Record<'update' | 'delete' | 'takeOwnership' | 'tasks', boolean>>
  /** Those whose condition does not hold for this record and the user. */
  readonly unmetRights: readonly UnmetRight[]
  /** By one-to-many field: whether a record can be created that links to this one. */
  readonly mayCreate: Readonly<Record<string, boolean>>
}

/** A record that waits for a decision. */
export type Approval = {
  readonly entity: string
  readonly id: number
  readonly version: number
  readonly display: string
  readonly step: WorkflowStep
  /** Those that decide. */
  readonly actions: readonly OpenAction[]
  readonly since: string | null
  readonly by: NamedUser | null
  /** Who really brought it there, as `by`. */
  readonly acting_user: NamedUser | null
}
