/** The types of what the service answers: those of its own schemas, and records, whose columns the project defines. */
import type { EntityDescription, MeProperties } from '../../src/api/definition-schemas.ts'
import type { FoundPage } from '../../src/records/read-endpoints.ts'

export type { ServiceConfig } from '../../src/api/console/console-endpoints.ts'
export type { AdministrationPart, Field, RoleRights } from '../../src/api/definition-schemas.ts'
export type { DescribedRun as ExportRun } from '../../src/export/export-runs.ts'
export type { StoredNotification as Notification } from '../../src/inbox/inbox-endpoints.ts'
export type { FoundRecord as Found } from '../../src/records/find-in-entities.ts'
export type { NamedUser, ShownEntry as HistoryEntry } from '../../src/records/history.ts'

export type Entity = EntityDescription

export type Scope = RightsOf['read']
type RightsOf = Entity['permissions']

export type WorkflowStep = NonNullable<Entity['workflow']>['steps'][number]

/** An action as the definition has it; several steps may have one of the same key. */
export type WorkflowAction = NonNullable<WorkflowStep['actions']>[number]

/** The user record of the caller, as far as the page reads it. */
export type Me = MeProperties & {
  readonly id: number
  readonly full_name?: string
  readonly email?: string
  readonly security_role_id?: number
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

export type RecordPage = FoundPage & { readonly data: readonly RecordRow[] }
