/** Who writes records of which entity, and with which permissions. */
import type { Author } from '../../auth/caller.ts'
import type { RightConditions } from '../../auth/permissions.ts'
import type { RightMessages } from '../../auth/role-messages.ts'
import type { Rollup } from '../../definitions/calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import type { Access, RecordScope } from '../../query/access.ts'
import { recordList } from '../../query/record-list.ts'
import type { ReferenceCheck } from '../references.ts'

/** Records whose rollups are to be calculated, by rollup: their ids. */
export type Wholes = Map<Rollup, Set<number>>

export type WriteContext = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly userId: number
  readonly author: Author
  readonly access: Access
  /** The records that the permission covers. */
  readonly scope: RecordScope
  readonly references: ReferenceCheck
  /** Columns that the writer's role hides. */
  readonly isHidden: (column: Column) => boolean
  /** Conditions of the role on the records that it may write. */
  readonly conditions: RightConditions
  /** What the role says of those that do not hold. */
  readonly messages: RightMessages
  readonly isAdministrator: boolean
  /** Whether the role may change every record of the entity. */
  readonly changesAll: boolean
  /** The zone of times without an offset. */
  readonly timeZone: string
  /** Filled by writes of several records, whose rollups are calculated once, at the end. */
  readonly laterRollups?: Wholes
  /** Of writes of several records: those that are locked already. The others are refused, so they are not locked. */
  readonly lockedAhead?: ReadonlySet<number>
}

/** The record `t` as its writer may see it; an empty object if the role may create but not read. */
export const selectVisibleJson = ({ catalog, entity, access, timeZone }: WriteContext): string =>
  recordList({ catalog, entity, access, timeZone, includes: [] }).json
