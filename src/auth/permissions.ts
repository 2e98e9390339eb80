/**
 * What callers may do by their roles: records, fields and actions of each entity, and who may read what. Their rights are in
 * resolved-roles.ts, the records that these cover are found here, and the SQL of these is in query/compile-scope.ts.
 */
import { createBoundedCache } from '../bounded-cache.ts'
import { int, type Sql, withInPlaceOf } from '../database/sql.ts'
import { type Catalog, type Column, type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { ConditionalRight } from '../definitions/schemas/role-definition.ts'
import { apiError } from '../errors.ts'
import type { Access, FewLinked, RecordScope } from '../query/access.ts'
import { parsedCondition } from '../query/conditions/decide-conditions.ts'
import { findFewLinked } from '../query/conditions/find-few-linked.ts'
import { compileScopeCondition } from '../query/conditions/scope-condition.ts'
import {
  eachRoleOf,
  hasOneRole,
  isScoped,
  lackingRoles,
  type Person,
  partsOfRole,
  roleKeysOf,
  rolesOf,
  withRoles,
} from './caller.ts'
import { type EntityRights, isHidden, isReadOnly, type RecordRight } from './entity-rights.ts'
import { type ResolvedRole, resolveRoles } from './resolved-roles.ts'
import { anyScope, grantsOf, withShown } from './united-rights.ts'

type Right = RecordRight | 'create' | 'import'

export type Permissions = {
  /** The permissions of the caller's role on an entity. */
  readonly rightsOf: (caller: Person, entity: Entity) => EntityRights
  /** What the caller may see, for the query planner. */
  readonly accessOf: (caller: Person) => Access
  /** The records that a permission covers; none if the role lacks it. */
  readonly scopeOf: (caller: Person, right: RecordRight, entity: Entity) => RecordScope
  /**
   * The records that a permission covers; throws an error 403 that names the permission if the role lacks
   * it.
   */
  readonly permit: (caller: Person, right: RecordRight, entity: Entity) => RecordScope
  /**
   * The entity of a key, or an error 404. An entity for which the role has no permission counts as missing:
   * neither its name nor a similar name is shown. Native entities are known to everybody.
   */
  readonly entityFor: (caller: Person, key: string) => Entity
  /** Whether the role has any permission on an entity. */
  readonly touches: (caller: Person, entity: Entity) => boolean
  readonly permitCreate: (caller: Person, entity: Entity) => void
  /** Throws an error 403 unless the caller may import files into the entity. */
  readonly permitImport: (caller: Person, entity: Entity) => void
  /** Whether one of the roles reads the audit. */
  readonly mayAudit: (caller: Pick<Person, 'roleKey'>) => boolean
  /** Throws an error 403 unless one of the roles reads the audit. */
  readonly permitAudit: (caller: Pick<Person, 'roleKey'>) => void
  /** The roles that may read records of an entity, or do something else with them. */
  readonly readersOf: (entity: Entity, right?: RecordRight) => Readers
}

/** Roles by the records that they may read: all, or some. */
type Readers = {
  readonly all: readonly string[]
  readonly some: readonly {
    readonly roleKeys: readonly string[]
    /** Those that the user of an id may read with one of these roles. */
    readonly scopeOf: (user: Sql) => RecordScope
  }[]
}

/**
 * Builds the permissions of a project; those of each role are computed once. Times without an offset in its conditions are of the
 * zone.
 */
export const createPermissions = (catalog: Catalog, timeZone = 'UTC'): Permissions => {
  const resolved = resolveRoles(catalog)
  const scopeFor = createScopes({ catalog, timeZone, resolved })
  const rightsOf: Permissions['rightsOf'] = (caller, entity) =>
    resolved(caller.roleKey).rightsOf(entity)
  const scopeOf: Permissions['scopeOf'] = ({ roleKey, userId }, right, entity) =>
    scopeFor(roleKey, int(userId), right, entity)
  const touches: Permissions['touches'] = (caller, entity) => {
    const { create, scopes, actions } = rightsOf(caller, entity)
    return create || actions.size > 0 || Object.values(scopes).some((scope) => scope !== false)
  }
  const mayAudit: Permissions['mayAudit'] = (caller) =>
    !isScoped(caller) &&
    roleKeysOf(caller).some((key) => key === administratorRole || catalog.roles.get(key)?.audit)
  return {
    rightsOf,
    scopeOf,
    touches,
    mayAudit,
    permitAudit: (caller) => {
      if (!mayAudit(caller))
        throw apiError('caller.forbidden', `${lackingRoles(caller)} permission "audit".`)
    },
    entityFor: (caller, key) => {
      const isKnown = (entity: Entity) => entity.isNative || touches(caller, entity)
      const named = catalog.entities.get(key)
      if (named && isKnown(named)) return named
      const others = [...catalog.entities].filter(([, entity]) => isKnown(entity))
      return getEntity({ ...catalog, entities: new Map(others) }, key)
    },
    accessOf: (caller) => ({
      readScope: (entity) => scopeOf(caller, 'read', entity),
      maySee: resolved(caller.roleKey).maySee,
      hides: resolved(caller.roleKey).hides,
    }),
    permit: (caller, right, entity) => {
      const scope = scopeOf(caller, right, entity)
      if (scope === 'none') throw forbidden(caller, right, entity)
      return scope
    },
    permitCreate: (caller, entity) => {
      if (!rightsOf(caller, entity).create) throw forbidden(caller, 'create', entity)
    },
    permitImport: (caller, entity) => {
      if (!rightsOf(caller, entity).import) throw forbidden(caller, 'import', entity)
    },
    readersOf: (entity, right = 'read') => {
      const roleKeys = [...new Set([administratorRole, ...catalog.roles.keys()])]
      const rights = roleKeys.map((key) => ({ key, ...resolved(key).rightsOf(entity) }))
      // Whatever is done with a record is done with one that the same role reads.
      const grantOf = ({ scopes }: EntityRights): boolean | 'own' =>
        scopes.read === true ? scopes[right] : scopes[right] && scopes.read
      const withRead = (wanted: true | 'own') =>
        rights.flatMap(({ key, ...role }) =>
          grantOf(role) === wanted && role.conditions.read === undefined ? [key] : [],
        )
      const conditional = rights.flatMap(({ key, ...role }) =>
        grantOf(role) !== false && role.conditions.read !== undefined ? [[key]] : [],
      )
      return {
        all: withRead(true),
        some: [withRead('own'), ...conditional].flatMap((keys) => {
          const [one] = keys
          if (one === undefined) return []
          const isOwn = resolved(one).rightsOf(entity).scopes.read === 'own'
          const scopeOf = (user: Sql) => scopeFor(one, user, isOwn ? 'read' : right, entity)
          return [{ roleKeys: keys, scopeOf }]
        }),
      }
    },
  }
}

const forbidden = (caller: Person, right: Right, entity: Entity) =>
  apiError('caller.forbidden', `${lackingRoles(caller)} permission "${right}" on "${entity.key}".`)

/** By permission; a condition without a message has none. */
export type RightMessages = Readonly<Partial<Record<ConditionalRight, string>>>

/** What a role says of its conditions on an entity that do not hold, in the language of the catalog. */
export const messagesOf = ({ roles }: Catalog, person: Person, entity: Entity): RightMessages =>
  roles.get(roleKeysOf(person).join())?.permissions[entity.key]?.messages ?? {}

/** Which fields of parts of records, such as tasks, a user may see and write: parts are reached by the roles that reach the record. */
export type PartRights = {
  /** Whether no role shows a column. */
  readonly isHidden: (column: Column) => boolean
  /** Of those that are seen. */
  readonly isReadOnly: (column: Column) => boolean
  /** The user with the roles alone that show a column, if others do not. */
  readonly showing: (column: Column) => Person | undefined
}

/** What the roles of a user grant on a part of the records that they reach: one that grants it is enough. */
export const partRightsOf = (
  permissions: Permissions,
  person: Person,
  part: Entity,
): PartRights => {
  const roles = eachRoleOf(person)
  const granting = (test: (rights: EntityRights) => boolean): readonly Person[] =>
    roles.filter((role) => test(permissions.rightsOf(role, part)))
  const showing = (column: Column) => granting((rights) => !isHidden(rights, column))
  const writing = (column: Column) =>
    granting((rights) => !isHidden(rights, column) && !isReadOnly(rights, column))
  return {
    isHidden: (column) => showing(column).length === 0,
    isReadOnly: (column) => writing(column).length === 0,
    showing: (column) => {
      const some = showing(column)
      if (some.length === roles.length) return undefined
      return withRoles(
        person,
        some.map(({ roleKey }) => roleKey),
      )
    },
  }
}

type Options = {
  readonly catalog: Catalog
  readonly timeZone: string
  readonly resolved: (roleKey: string) => ResolvedRole
}

// Stands for the id of the user in conditions that are compiled.
const anyUser = int(null)

// Requests may name any number of aliases.
const keptConditions = 1000

/** The condition of a role, with a place for the id of the user. */
type Compiled = { readonly holds: Sql; readonly few: readonly FewLinked[] }

type ScopeFor = (roleKey: string, user: Sql, right: RecordRight, entity: Entity) => RecordScope

/**
 * Returns which records the user of an id may reach with a role, or with several. The condition of a role is compiled once for all
 * of its users, because that takes as long as planning and compiling the rest of a list.
 */
const createScopes = ({ catalog, timeZone, resolved }: Options): ScopeFor => {
  const compiled = createBoundedCache<Compiled>(keptConditions)
  const readOf = (roleKey: string, entity: Entity) =>
    resolved(roleKey).rightsOf(entity).conditions.read
  const conditionOf = (role: string, entity: Entity, read: object, alias: string): Compiled => {
    // What a role reads is asked of the role: the scope of an API key says only what is done with it.
    const { key: roleKey } = partsOfRole(role)
    const key = `${alias} ${entity.key} ${roleKey}`
    const known = compiled.get(key)
    if (known) return known
    const condition = parsedCondition(read)
    const readScope = (target: Entity) => scopeFor(roleKey, anyUser, 'read', target)
    const options = { catalog, entity, timeZone, condition, user: anyUser, readScope, alias }
    const few = findFewLinked({ ...options, readOf: (target) => readOf(roleKey, target) })
    const made = { holds: compileScopeCondition(options), few }
    compiled.set(key, made)
    return made
  }
  /** Of one role, or of several that grant the right by the same words. */
  const scopeOfGrant = (
    { roleKey, scope: word }: { readonly roleKey: string; readonly scope: boolean | 'own' },
    user: Sql,
    right: RecordRight,
    entity: Entity,
  ): RecordScope => {
    const read = readOf(roleKey, entity)
    const scope = asScope(word, user)
    // Of what the role reads by its condition, which may be its own records alone.
    if (scope === 'all' && right !== 'read' && read !== undefined)
      return scopeFor(roleKey, user, 'read', entity)
    const whole = right === 'read' ? withShared(scope, entity, roleKey, resolved) : scope
    if (whole === 'none' || read === undefined) return whole
    const compiledAs = (alias: string) => conditionOf(roleKey, entity, read, alias)
    const ofUser = (part: Sql) => withInPlaceOf(part, anyUser, user)
    return {
      ...(whole === 'all' ? {} : whole),
      meets: (alias) => ofUser(compiledAs(alias).holds),
      few: (alias) => compiledAs(alias).few.map(({ link, ids }) => ({ link, ids: ofUser(ids) })),
    }
  }
  const scopeOfAny: ScopeFor = (roleKey, user, right, entity) => {
    const grants = grantsOf(rolesOf({ roleKey }), entity, right, resolved)
    return anyScope(grants.map((one) => scopeOfGrant(one, user, right, entity)))
  }
  const scopeFor: ScopeFor = (roleKey, user, right, entity) => {
    const role = resolved(roleKey)
    if (hasOneRole({ roleKey })) {
      const scope = role.rightsOf(entity).scopes[right]
      return scopeOfGrant({ roleKey, scope }, user, right, entity)
    }
    const scope = scopeOfAny(roleKey, user, right, entity)
    const scopeOfRoles = (roles: string) => scopeOfAny(roles, user, 'read', entity)
    return withShown(scope, role.shownBy(entity), scopeOfRoles)
  }
  return scopeFor
}

const asScope = (right: boolean | 'own', user: Sql): RecordScope => {
  if (right === 'own') return { ownedBy: user }
  return right ? 'all' : 'none'
}

/** Callers who read their own records also read those that are shared with them. */
const withShared = (
  scope: RecordScope,
  entity: Entity,
  roleKey: string,
  resolved: (roleKey: string) => ResolvedRole,
): RecordScope => {
  const { sharing } = nativeEntity(entity)
  if (sharing === undefined || typeof scope === 'string') return scope
  const roles = roleKeysOf({ roleKey })
  return { ...scope, shared: { by: sharing, roles, sight: resolved(roleKey).sight() } }
}
