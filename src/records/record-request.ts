/** What every path of records has in common: its parts, the caller, the permission, and the answer with a record. */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { authorOf, type Caller, eachRoleOf, roleKeysOf } from '../auth/caller.ts'
import { isHidden, isReadOnly } from '../auth/entity-rights.ts'
import { messagesOf, type Permissions } from '../auth/permissions.ts'
import type { Pool } from '../database/pool.ts'
import type { Read } from '../database/replicas/reads.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import type { EntityPlace } from '../http/endpoint/body.ts'
import { id } from '../http/endpoint/parameters.ts'
import { schemaNames } from '../http/openapi/entity-schemas.ts'
import { type Answer, json, schemaRef } from '../http/openapi/operation.ts'
import { type Access, hasEvery, type RecordScope } from '../query/access.ts'
import { type ReadContext, type RecordText, unknownRecord } from './read-records.ts'
import type { WithRecord } from './write/change-record.ts'
import { etagOf, type Target } from './write/lock-record.ts'
import { createReferenceCheck, type WriteContext } from './write/write-context.ts'

/** Removes a record for good: one that the caller may remove, and that is among those that the permission `purge` covers. */
export type Purge = (
  pool: Pool,
  asked: { readonly context: WriteContext; readonly purgeable: RecordScope },
  target: Target,
) => Promise<void>

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
  readonly purge: Purge
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

export const recordParams = { entityId }

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

export const createWriteContext = (
  { catalog, permissions, timeZone }: Pick<RecordDeps, 'catalog' | 'permissions' | 'timeZone'>,
  { caller, entity, scope }: Entered,
): WriteContext => {
  const access = permissions.accessOf(caller)
  const rights = permissions.rightsOf(caller, entity)
  const isAdministrator = caller.roleKey === administratorRole
  const [, ...further] = roleKeysOf(caller)
  return {
    ...(further.length > 0 && {
      roles: eachRoleOf(caller).map((role) => ({
        rights: permissions.rightsOf(role, entity),
        scopeOf: (right) => permissions.scopeOf(role, right, entity),
        messages: messagesOf(catalog, role, entity),
      })),
    }),
    catalog,
    entity,
    access,
    scope,
    isAdministrator,
    roleKey: caller.roleKey,
    timeZone,
    changesAll: hasEvery(permissions.scopeOf(caller, 'update', entity)),
    userId: caller.userId,
    author: authorOf(caller),
    references: createReferenceCheck({ catalog, access, isAdministrator }),
    isHidden: (column) => isHidden(rights, column),
    isReadOnly: (column) => isReadOnly(rights, column),
    conditions: rights.conditions,
    messages: messagesOf(catalog, caller, entity),
  }
}

/** Who sees records of which entity. */
type Seen = { readonly entity: Entity; readonly access: Access }

/** The name of an entity in a summary. */
export const quoted = ({ name }: Entity): string => `“${name}”`

export const recordAnswer = (description: string, { catalog, entity }: EntityPlace): Answer =>
  json(description, schemaRef(schemaNames(catalog, entity).record), ['ETag'])

/** The record after a write, which its writer may not read any more where a role reads the records of the entity by a condition. */
export const writtenAnswer = (description: string, place: EntityPlace): Answer => {
  const { catalog, entity } = place
  const isReadByCondition = [...catalog.roles.values()].some(
    ({ permissions }) => permissions[entity.key]?.conditions?.read !== undefined,
  )
  if (!isReadByCondition) return recordAnswer(description, place)
  const record = schemaRef(schemaNames(catalog, entity).record)
  const more =
    'An empty object where the condition of the role does not let it read the record now.'
  return json(`${description} ${more}`, { anyOf: [record, nothingOfIt] }, ['ETag'])
}

/** Stands for a record that its writer may not read. */
export const nothingOfIt = { type: 'object', maxProperties: 0 } as const

const unseenBy = ({ entity, access }: Seen): readonly string[] =>
  entity.columns.filter((column) => !access.maySee(entity, column)).map(({ name }) => name)

/** Columns of which the caller sees something in a part of the records. */
const seenInPart = ({ entity, access }: Seen): readonly string[] => {
  const scope = access.readScope(entity)
  return typeof scope === 'string' ? [] : [...(scope.shown?.keys() ?? [])]
}

/** Columns of which an answer that is repeated later shows nothing: whether the caller sees them then is not asked. */
export const unseenLater = (seen: Seen): readonly string[] => [
  ...unseenBy(seen),
  ...seenInPart(seen),
]

/**
 * The entity tag of a record as the caller sees it. Of a caller who sees every field it is that of the version;
 * others have another one, so that what a browser has kept of one user is never taken for the other's. Where the record decides what
 * they see, it is that of the text.
 */
export const tagOf = ({ json: text, version }: RecordText, seen: Seen): string => {
  const unseen = unseenBy(seen)
  if (seenInPart(seen).length > 0) return etagOf(version, digestOf([...unseen, text]))
  return unseen.length === 0 ? etagOf(version) : etagOf(version, digestOf(unseen))
}

const digestOf = (names: readonly string[]): string =>
  hash('sha256', names.join(), 'base64url').slice(0, 12)

/** Sends a record that PostgreSQL printed, with its entity tag. */
export const sendRecord = (reply: FastifyReply, record: RecordText, seen: Seen) =>
  reply
    .header('ETag', tagOf(record, seen))
    .type('application/json; charset=utf-8')
    .send(record.json)
