/**
 * The rights of roles: nothing is granted by default, an entity's own entry replaces "*" completely, "*" does not grant
 * writing native entities, and the administrator may do everything. The scope of an API key takes away from all of them, here and
 * nowhere else.
 */
import { createBoundedCache } from '../bounded-cache.ts'
import { findList } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { isReadBelow, nativeEntity } from '../definitions/native-entities.ts'
import type { Permission } from '../definitions/schemas/role-definition.ts'
import { kept } from '../kept.ts'
import type { Access } from '../query/access.ts'
import { maySeeByPath } from '../query/user-visibility.ts'
import { isScoped, partsOfRole, rolesOf } from './caller.ts'
import { type EntityRights, isHidden, noRecordRights, recordRights } from './entity-rights.ts'
import { withinScope } from './key-scopes.ts'
import { shownByRoles, unitedRights } from './united-rights.ts'

/** Returns the rights of a role, or of several together; each is computed once. */
export const resolveRoles = (catalog: Catalog) => {
  const ofRoles = createBoundedCache<ResolvedRole>(keptRoles)
  const ofScopes = createBoundedCache<ResolvedRole>(keptScopes)
  const resolve = (roleKey: string): ResolvedRole => {
    const cache = isScoped({ roleKey }) ? ofScopes : ofRoles
    const known = cache.get(roleKey)
    if (known) return known
    const roleKeys = rolesOf({ roleKey })
    const made =
      roleKeys.length === 1 ? resolveRole(catalog, roleKey) : uniteRoles(catalog, roleKeys, resolve)
    cache.set(roleKey, made)
    return made
  }
  return resolve
}

// Roles, and sets of them that users have.
const keptRoles = 10_000

// Users make scopes, and each takes as much memory as a role: they neither fill it nor drive out roles.
const keptScopes = 200

type Rights = {
  readonly rightsOf: (entity: Entity) => EntityRights
  readonly maySee: Access['maySee']
  readonly hides: Access['hides']
}

export type ResolvedRole = Rights & {
  /** What the role may see, for records that are shared with it; built when it is first needed. */
  readonly sight: () => string
  /** Of several roles, the columns that some of those who read the entity show, and not all: by whom. */
  readonly shownBy: (entity: Entity) => ReadonlyMap<string, string>
}

const resolveRole = (catalog: Catalog, role: string): ResolvedRole => {
  const { key, scope } = partsOfRole(role)
  const narrow = scope === undefined ? undefined : withinScope(scope)
  const rights = new Map(
    [...catalog.entities.values()].map((entity) => {
      const whole = resolveRights(catalog, key, entity)
      return [entity.key, narrow ? narrow(entity, whole) : whole]
    }),
  )
  const rightsOf = (entity: Entity) => rights.get(entity.key) ?? noRights
  const hides: Access['hides'] = (entity, column) => isHidden(rightsOf(entity), column)
  const maySee: Access['maySee'] = (entity, column) =>
    rightsOf(entity).scopes.read !== false && !hides(entity, column)
  return withSight(catalog, { rightsOf, hides, maySee })
}

/** Rights add up: what one of the roles grants, the user has. */
const uniteRoles = (
  catalog: Catalog,
  roleKeys: readonly string[],
  resolve: (roleKey: string) => ResolvedRole,
): ResolvedRole => {
  const each = roleKeys.map(resolve)
  // A role that reads nothing shows nothing.
  const reading = each.filter((role) =>
    [...catalog.entities.values()].some(
      (entity) => !nativeEntity(entity).everyone && role.rightsOf(entity).scopes.read !== false,
    ),
  )
  const showing = reading.length > 0 ? reading : each
  const rightsOf = kept((entity: Entity) =>
    unitedRights(
      entity,
      each.map((role) => role.rightsOf(entity)),
    ),
  )
  return {
    ...withSight(catalog, {
      rightsOf,
      hides: (entity, column) => showing.every((role) => role.hides(entity, column)),
      maySee: (entity, column) => each.some((role) => role.maySee(entity, column)),
    }),
    shownBy: kept((entity: Entity) =>
      shownByRoles(entity, new Map(roleKeys.map((key) => [key, resolve(key).rightsOf(entity)]))),
    ),
  }
}

const withSight = (catalog: Catalog, rights: Rights): ResolvedRole => {
  const { rightsOf, maySee, hides } = rights
  const readScope: Access['readScope'] = (entity) =>
    rightsOf(entity).scopes.read === false ? 'none' : 'all'
  let sight: string | undefined
  return {
    ...rights,
    sight: () => (sight ??= printSight(catalog, { readScope, maySee, hides })),
    shownBy: () => noneShown,
  }
}

const noneShown: ReadonlyMap<string, string> = new Map()

const noRights: EntityRights = {
  create: false,
  import: false,
  scopes: noRecordRights,
  actions: new Set(),
  hiddenFields: new Set(),
  readOnlyFields: new Set(),
  conditions: {},
}

const resolveRights = (catalog: Catalog, roleKey: string, entity: Entity): EntityRights => {
  if (roleKey === administratorRole) return everyRight(entity)
  const permissions = new Map<string, Permission>(
    Object.entries(catalog.roles.get(roleKey)?.permissions ?? {}),
  )
  if (!catalog.roles.has(roleKey) || isReadBelow(entity)) return noRights
  const permission = permissions.get(entity.key) ?? everyOther(permissions.get('*'), entity)
  if (!permission) return noRights
  return {
    create: permission.create ?? false,
    import: permission.import ?? false,
    scopes: Object.fromEntries(
      recordRights.map((right) => [right, permission[right] ?? false]),
    ) as EntityRights['scopes'],
    actions: new Set(permission.actions ?? []),
    hiddenFields: new Set(permission.hiddenFields ?? []),
    readOnlyFields: new Set(permission.readOnlyFields ?? []),
    conditions: permission.conditions ?? {},
  }
}

/**
 * The permissions of "*": for native entities, which determine who may do what, only reading. Those of which
 * everybody has records of their own grant the same to all roles.
 */
const everyOther = (permission: Permission | undefined, entity: Entity): Permission | undefined => {
  const { everyone } = nativeEntity(entity)
  const { hiddenFields = [], readOnlyFields = [] } = permission ?? {}
  if (everyone) return { ...everyone, hiddenFields, readOnlyFields }
  if (!permission || !entity.isNative) return permission
  const { read, export: exports, tasks, comments, internalComments } = permission
  const granted = Object.entries({
    read,
    export: exports,
    tasks,
    comments,
    internalComments,
  }).filter(([, value]) => value)
  return { ...Object.fromEntries(granted), hiddenFields, readOnlyFields }
}

const everyRight = (entity: Entity): EntityRights => ({
  create: true,
  import: 'history',
  scopes: Object.fromEntries(recordRights.map((right) => [right, true])) as EntityRights['scopes'],
  actions: new Set(
    (entity.definition.workflow?.steps ?? []).flatMap((step) =>
      (step.actions ?? []).map((action) => action.key),
    ),
  ),
  hiddenFields: new Set(),
  readOnlyFields: new Set(),
  conditions: {},
})

// What a role may see, printed for the database, which decides by it who sees shared records.

// What links lead to, where it can be named but not read; no entity is called so.
const named = (key: string): string => `${key} by name`

/** By entity: the names in paths that the role may see, with the target of each association. */
const printSight = (catalog: Catalog, access: Access): string => {
  const { entities } = catalog
  const { readScope, maySee } = access
  const placeOf = (target: string): string => {
    const entity = entities.get(target)
    return entity && readScope(entity) === 'none' ? named(target) : target
  }
  const namesOf = (entity: Entity, isSeen: Access['maySee']) => {
    const columns = entity.columns.filter((column) => isSeen(entity, column))
    return Object.fromEntries([
      ...columns.map(({ name }) => [name, null] as const),
      ...columns.flatMap(({ field, target }) =>
        target ? [[field.key, placeOf(target)] as const] : [],
      ),
      ...[...entity.oneToMany.values()].flatMap(({ key, entity: target }) =>
        findList(catalog, entity, key, maySee) ? [[key, target] as const] : [],
      ),
    ])
  }
  const known = [...entities.values()].map((entity) =>
    readScope(entity) === 'none'
      ? ([named(entity.key), namesOf(entity, maySeeByPath(access))] as const)
      : ([entity.key, namesOf(entity, maySee)] as const),
  )
  return JSON.stringify(
    Object.fromEntries(known.filter(([, names]) => Object.keys(names).length > 0)),
  )
}
