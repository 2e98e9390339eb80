/** What every path of records has in common: its parts, the caller, and the permission. */
import { authorOf, type Caller } from '../auth/caller.ts'
import { isHidden, type Permissions } from '../auth/permissions.ts'
import { messagesOf } from '../auth/role-messages.ts'
import type { Pool } from '../database/pool.ts'
import type { Read } from '../database/replicas/reads.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { id } from '../http/endpoint/parameters.ts'
import type { RecordScope } from '../query/access.ts'
import { type ReadContext, unknownRecord } from './read-records.ts'
import { createReferenceCheck } from './references.ts'
import type { WithRecord } from './write/change-record.ts'
import type { WriteContext } from './write/write-context.ts'

export type RecordDeps = {
  readonly pool: Pool
  /** Where a read is answered that changes nothing: a replica, or the same pool. */
  readonly read: Read
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly basePath: string
  readonly timeZone: string
  /** Called before the response of every write, so that caches of the record are cleared. */
  readonly onWritten: (entity: Entity, id: number) => void
  readonly onRemoved: WithRecord
  readonly onRestored: WithRecord
}

/** The caller, the entity, and the records that the permission covers. */
export type Entered = {
  readonly caller: Caller
  readonly entity: Entity
  readonly scope: RecordScope
}

/** `entityId` of a path below an entity. */
const entityId = id({
  description: 'Id of the record.',
  unknown: (text, { entity }) => unknownRecord(entity ?? { key: 'record' }, text),
  errors: ['record.unknown'],
})

/** An operation on the record of a path. */
export const recordParams = { entityId }

/** The context in which the caller reads the records of a scope. */
export const createReadContext = (
  { catalog, permissions, timeZone }: RecordDeps,
  { caller, entity, scope }: Entered,
  include: readonly string[] = [],
): ReadContext => ({
  catalog,
  entity,
  scope,
  timeZone,
  include,
  access: permissions.accessOf(caller),
})

/** The context in which the caller writes the records of a scope. */
export const createWriteContext = (
  { catalog, permissions, timeZone }: RecordDeps,
  { caller, entity, scope }: Entered,
): WriteContext => {
  const access = permissions.accessOf(caller)
  const rights = permissions.rightsOf(caller, entity)
  const isAdministrator = caller.roleKey === administratorRole
  return {
    catalog,
    entity,
    access,
    scope,
    isAdministrator,
    timeZone,
    changesAll: permissions.scopeOf(caller, 'update', entity) === 'all',
    userId: caller.userId,
    author: authorOf(caller),
    references: createReferenceCheck({ catalog, access, isAdministrator }),
    isHidden: (column) => isHidden(rights, column),
    conditions: rights.conditions,
    messages: messagesOf(catalog, caller, entity),
  }
}
