/** What a console or a client generator reads: who the caller is, what they may do, and the definitions. */
import { type Caller, keyScopeOf } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { Pool } from '../database/pool.ts'
import { type Catalog, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { answerIn, type LanguageDeps, namesLanguage } from '../http/endpoint/answer-language.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { text } from '../http/endpoint/parameters.ts'
import { dataOf, json } from '../http/openapi/operation.ts'
import { accessToSelf } from '../query/user-visibility.ts'
import { namedUser } from '../records/history.ts'
import { readRecord } from '../records/read-records.ts'
import { findUserById } from '../users/user-store.ts'
import {
  type AdministrationPart,
  administrationParts,
  entityDescription,
  me,
} from './definition-schemas.ts'
import { describeEntities, describeEntity, permissionsOf } from './describe-entity.ts'
import { printRoles } from './roles-of-user.ts'

export type DefinitionDeps = LanguageDeps & {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly timeZone: string
  /** Of caught e-mails; undefined if they are sent. */
  readonly mailFolder: string | undefined
}

/** The parts of the administration that the caller may use. */
const administrationOf = (
  caller: Caller,
  { mailFolder, permissions }: DefinitionDeps,
): readonly AdministrationPart[] => {
  if (caller.roleKey !== administratorRole) return permissions.mayAudit(caller) ? ['audit'] : []
  return administrationParts.filter((part) => part !== 'mail' || mailFolder !== undefined)
}

const common = { tag: 'Definitions', who: 'caller', isByRights: true, method: 'get' } as const

/** A caller who is an administrator has that role alone, whatever the others of the user are. */
const allRolesOf = async (pool: Pool, { roleKey, userId }: Caller): Promise<string> =>
  roleKey === administratorRole
    ? ((await findUserById(pool, userId))?.role_key ?? roleKey)
    : roleKey

/** /api/me, /api/entities and /api/entities/{entityKey}. */
export const definitionEndpoints = [
  endpoint({
    ...common,
    path: '/api/me',
    id: 'getMe',
    summary: 'Who the caller is, and what they may do',
    headers: { acceptLanguage: namesLanguage },
    answers: { 200: json('The caller.', me, ['Content-Language']) },
    handle: async ({ caller, headers, reply }, deps: DefinitionDeps) => {
      const { catalog, permissions, pool, timeZone } = deps
      const { json: record } = await readRecord(
        pool,
        {
          catalog,
          timeZone,
          entity: getEntity(catalog, 'user'),
          scope: 'all',
          include: [],
          access: accessToSelf(permissions.accessOf(caller)),
        },
        caller.userId,
      )
      const { catalog: named } = answerIn(deps, headers.acceptLanguage, reply)
      const scope = keyScopeOf(caller)
      return {
        ...JSON.parse(record),
        ...(scope !== undefined && { key_scope: scope }),
        acting_user:
          caller.actingUser && namedUser(caller.actingUser.id, caller.actingUser.fullName),
        ...printRoles(named, await allRolesOf(pool, caller)),
        administration: administrationOf(caller, deps),
        permissions: permissionsOf(deps, caller),
      }
    },
  }),
  endpoint({
    ...common,
    path: '/api/entities',
    id: 'listEntities',
    summary: 'The definitions, as this caller may see them',
    headers: { acceptLanguage: namesLanguage },
    answers: {
      200: json(
        'Every entity for which the caller has a permission, in the order of the menu.',
        dataOf(entityDescription),
        ['Content-Language'],
      ),
    },
    handle: ({ caller, headers, reply }, deps: DefinitionDeps) => {
      const { catalog: named, menu } = answerIn(deps, headers.acceptLanguage, reply)
      return { data: describeEntities({ ...deps, named, menu }, caller) }
    },
  }),
  endpoint({
    ...common,
    path: '/api/entities/{entityKey}',
    id: 'getEntity',
    summary: 'One definition, as this caller may see it',
    params: {
      entityKey: text('Key of the entity.', { isRequired: true, pattern: '^[a-z][a-z0-9_]*$' }),
    },
    headers: { acceptLanguage: namesLanguage },
    errors: ['entity.unknown'],
    answers: { 200: json('The entity.', entityDescription, ['Content-Language']) },
    handle: ({ caller, params: { entityKey = '' }, headers, reply }, deps: DefinitionDeps) => {
      const entity = deps.permissions.entityFor(caller, entityKey)
      const { catalog: named, menu } = answerIn(deps, headers.acceptLanguage, reply)
      return describeEntity({ ...deps, named, menu }, caller, entity)
    },
  }),
]
