/** The records that roles cover by their permissions on an entity. */
import { createBoundedCache } from '../bounded-cache.ts'
import { int, type Sql, withInPlaceOf } from '../database/sql.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { FewLinked, RecordScope } from '../query/access.ts'
import { parsedCondition } from '../query/conditions/decide-conditions.ts'
import { findFewLinked } from '../query/conditions/find-few-linked.ts'
import { compileScopeCondition } from '../query/conditions/scope-condition.ts'
import { hasOneRole, partsOfRole, roleKeysOf, rolesOf } from './caller.ts'
import type { RecordRight } from './entity-rights.ts'
import type { ResolvedRole } from './resolved-roles.ts'
import { anyScope, grantsOf, withShown } from './united-rights.ts'

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
export const createScopes = ({ catalog, timeZone, resolved }: Options): ScopeFor => {
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
