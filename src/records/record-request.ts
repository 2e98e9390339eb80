/** What every path of records has in common: its parts, who asks for what, and by which right. */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { isHidden, type Permissions, type RecordRight } from '../auth/permissions.ts'
import type { Pool } from '../database/pool.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { kindOf } from '../definitions/values/check-value.ts'
import { validationError } from '../errors.ts'
import { callerOf } from '../http/caller-of.ts'
import { readIfMatch } from '../http/preconditions.ts'
import { readId, readQuery, wholeNumber } from '../http/query-parameters.ts'
import { addIssue, type Issue, isFull, shorten } from '../issues.ts'
import type { RecordScope } from '../query/access.ts'
import type { Page } from '../query/select-plan.ts'
import { type Reading, unknownRecord } from './read-records.ts'
import { createReferenceCheck } from './references.ts'
import type { WithRecord } from './write/change-record.ts'
import type { Writing } from './write/writing.ts'

export type RecordDeps = {
  readonly pool: Pool
  /** Where searches are read: a replica, or the same pool. */
  readonly readPool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly basePath: string
  readonly timeZone: string
  /** Told before the answer of every write, so that what is remembered of a record is forgotten. */
  readonly onWritten: (entity: Entity, id: number) => void
  readonly onRemoved: WithRecord
  readonly onRestored: WithRecord
}

export type EntityParams = { Params: { entityKey: string } }
export type RecordParams = { Params: { entityKey: string; entityId: string } }

// Decisions, "Paging": 20 by default, at most 1,000.
/** The parameters of a page. */
export const pageReaders = { limit: wholeNumber(1, 1000), page: wholeNumber(1, 1_000_000_000) }
/** The caller and the entity of a path. */
export const enter = async (deps: RecordDeps, request: FastifyRequest<EntityParams>) => {
  const caller = callerOf(request)
  return { caller, entity: deps.permissions.entityFor(caller, request.params.entityKey) }
}

/** The id of a path; 404 where no record can have it. */
export const idOf = (entity: Entity, request: FastifyRequest<RecordParams>): number => {
  const id = readId(request.params.entityId, 'entityId')
  if (id === undefined) throw unknownRecord(entity, shorten(request.params.entityId, 30))
  return id
}

/** A reading by the caller's right to read. */
export const readingOf = (
  { catalog, permissions, timeZone }: RecordDeps,
  caller: Caller,
  entity: Entity,
  include: readonly string[] = [],
): Reading => ({
  catalog,
  entity,
  access: permissions.accessOf(caller),
  scope: permissions.permit(caller, 'read', entity),
  timeZone,
  include,
})

/** A write by the caller, on the records in a scope. */
export const writingOf = (
  { catalog, permissions, timeZone }: RecordDeps,
  caller: Caller,
  entity: Entity,
  scope: RecordScope,
): Writing => {
  const access = permissions.accessOf(caller)
  const rights = permissions.rightsOf(caller, entity)
  const isAdministrator = caller.roleKey === administratorRole
  return {
    catalog,
    entity,
    userId: caller.userId,
    access,
    scope,
    references: createReferenceCheck({ catalog, access, isAdministrator }),
    isHidden: (column) => isHidden(rights, column),
    isAdministrator,
    timeZone,
  }
}

/** Everything that a write of one record is refused for before the database is asked. */
export const writeRequest = async (
  deps: RecordDeps,
  request: FastifyRequest<RecordParams>,
  right: RecordRight,
) => {
  const { caller, entity } = await enter(deps, request)
  readQuery(request.query, {})
  const scope = deps.permissions.permit(caller, right, entity)
  const precondition = readIfMatch(request.headers['if-match'])
  const writing = writingOf(deps, caller, entity, scope)
  return { writing, target: { id: idOf(entity, request), precondition } }
}

/** Refuses what stands in the body of a request that takes none; an empty object is nothing. */
export const takeNoBody = ({ body }: FastifyRequest): void => {
  if (body === undefined) return
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw validationError('request.invalid', [
      { path: '', message: `must be empty, not ${kindOf(body)}` },
    ])
  const issues: Issue[] = []
  for (const path of Object.keys(body)) {
    if (isFull(issues)) break
    addIssue(issues, { path, message: 'is not taken here' })
  }
  if (issues.length > 0) throw validationError('request.invalid', issues)
}

/** The page that the parameters ask for. */
export const pageOf = ({
  limit = 20,
  page = 1,
}: {
  limit?: number | undefined
  page?: number | undefined
}): Page => ({
  limit,
  offset: (page - 1) * limit,
})
