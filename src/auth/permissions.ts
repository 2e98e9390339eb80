/**
 * What a role may do, resolved once per role: nothing is granted by default, an entity's own entry replaces
 * "*" completely, "*" does not grant writing native entities, and the administrator may do everything.
 */
import { int, type Sql } from '../database/sql.ts'
import { type Catalog, type Column, type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { ConditionalRight, Permission } from '../definitions/schemas/role-definition.ts'
import { apiError } from '../errors.ts'
import type { Access, RecordScope } from '../query/access.ts'
import { parsedCondition } from '../query/conditions/decide-conditions.ts'
import { compileScopeCondition } from '../query/conditions/scope-condition.ts'
import type { Person } from './caller.ts'
import { printSight } from './print-sight.ts'

export const recordRights = [
  'read',
  'update',
  'delete',
  'export',
  'tasks',
  'takeOwnership',
] as const
export type RecordRight = (typeof recordRights)[number]
type Right = RecordRight | 'create'

/** A role's permissions on one entity. */
export type EntityRights = {
  readonly create: boolean
  readonly scopes: Readonly<Record<RecordRight, boolean | 'own'>>
  readonly actions: ReadonlySet<string>
  readonly hiddenFields: ReadonlySet<string>
  readonly readOnlyFields: ReadonlySet<string>
  /** Criteria of the role definition on the records that it may read and write. */
  readonly conditions: RightConditions
}

/** By permission; none: only its scope counts. */
export type RightConditions = Readonly<Partial<Record<ConditionalRight | 'read', object>>>

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
  /** The roles that may read records of an entity. */
  readonly readersOf: (entity: Entity) => Readers
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
  const resolved = createResolve(catalog)
  const rightsOf: Permissions['rightsOf'] = (caller, entity) =>
    resolved(caller.roleKey).rightsOf(entity)
  const scopeFor: ScopeFor = (roleKey, user, right, entity) => {
    const { scopes, conditions } = resolved(roleKey).rightsOf(entity)
    const scope = asScope(scopes[right], user)
    // Of what the role reads by its condition, which may be its own records alone.
    if (scope === 'all' && right !== 'read' && conditions.read !== undefined)
      return scopeFor(roleKey, user, 'read', entity)
    const whole = right === 'read' ? withShared(scope, entity, roleKey, resolved) : scope
    if (whole === 'none' || conditions.read === undefined) return whole
    const condition = parsedCondition(conditions.read)
    const readScope = (target: Entity) => scopeFor(roleKey, user, 'read', target)
    const options = { catalog, entity, timeZone, condition, user, readScope }
    return {
      ...(whole === 'all' ? {} : whole),
      meets: (alias: string) => compileScopeCondition({ ...options, alias }),
    }
  }
  const scopeOf: Permissions['scopeOf'] = ({ roleKey, userId }, right, entity) =>
    scopeFor(roleKey, int(userId), right, entity)
  const touches: Permissions['touches'] = (caller, entity) => {
    const { create, scopes, actions } = rightsOf(caller, entity)
    return create || actions.size > 0 || Object.values(scopes).some((scope) => scope !== false)
  }
  return {
    rightsOf,
    scopeOf,
    touches,
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
    readersOf: createReadersOf(catalog, resolved, scopeFor),
  }
}

type ScopeFor = (roleKey: string, user: Sql, right: RecordRight, entity: Entity) => RecordScope

const createReadersOf =
  (
    catalog: Catalog,
    resolved: (roleKey: string) => ResolvedRole,
    scopeFor: ScopeFor,
  ): Permissions['readersOf'] =>
  (entity) => {
    const roleKeys = [...new Set([administratorRole, ...catalog.roles.keys()])]
    const rights = roleKeys.map((key) => ({ key, ...resolved(key).rightsOf(entity) }))
    const withRead = (read: true | 'own') =>
      rights.flatMap(({ key, scopes, conditions }) =>
        scopes.read === read && conditions.read === undefined ? [key] : [],
      )
    const conditional = rights.flatMap(({ key, scopes, conditions }) =>
      scopes.read !== false && conditions.read !== undefined ? [[key]] : [],
    )
    return {
      all: withRead(true),
      some: [withRead('own'), ...conditional].flatMap((keys) => {
        const [one] = keys
        if (one === undefined) return []
        return [{ roleKeys: keys, scopeOf: (user) => scopeFor(one, user, 'read', entity) }]
      }),
    }
  }

const createResolve = (catalog: Catalog) => {
  const byRole = new Map<string, ResolvedRole>()
  return (roleKey: string): ResolvedRole => {
    const known = byRole.get(roleKey)
    if (known) return known
    const made = resolveRole(catalog, roleKey)
    byRole.set(roleKey, made)
    return made
  }
}

type ResolvedRole = Pick<Access, 'maySee' | 'hides'> & {
  readonly rightsOf: (entity: Entity) => EntityRights
  /** What the role may see, for records that are shared with it; built when it is first needed. */
  readonly sight: () => string
}

const resolveRole = (catalog: Catalog, roleKey: string): ResolvedRole => {
  const rights = new Map(
    [...catalog.entities.values()].map((entity) => [
      entity.key,
      resolveRights(catalog, roleKey, entity),
    ]),
  )
  const rightsOf = (entity: Entity) => rights.get(entity.key) ?? noRights
  const hides: Access['hides'] = (entity, column) => isHidden(rightsOf(entity), column)
  const maySee: Access['maySee'] = (entity, column) =>
    rightsOf(entity).scopes.read !== false && !hides(entity, column)
  const readScope: Access['readScope'] = (entity) =>
    rightsOf(entity).scopes.read === false ? 'none' : 'all'
  let sight: string | undefined
  return {
    rightsOf,
    hides,
    maySee,
    sight: () => (sight ??= printSight(catalog, { readScope, maySee, hides })),
  }
}

/** Whether a role hides a column, by its field's key or its own name. */
export const isHidden = ({ hiddenFields }: EntityRights, column: Column): boolean =>
  hiddenFields.has(column.field.key) || hiddenFields.has(column.name)

/** Whether a role may not write a column that it sees. The forms of its actions write it all the same. */
export const isReadOnly = ({ readOnlyFields }: EntityRights, column: Column): boolean =>
  readOnlyFields.has(column.field.key) || readOnlyFields.has(column.name)

const noRights: EntityRights = {
  create: false,
  scopes: {
    read: false,
    update: false,
    delete: false,
    export: false,
    tasks: false,
    takeOwnership: false,
  },
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
  if (!catalog.roles.has(roleKey)) return noRights
  const permission = permissions.get(entity.key) ?? everyOther(permissions.get('*'), entity)
  if (!permission) return noRights
  return {
    create: permission.create ?? false,
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
  const { read, export: exports, tasks } = permission
  const granted = Object.entries({ read, export: exports, tasks }).filter(([, value]) => value)
  return { ...Object.fromEntries(granted), hiddenFields, readOnlyFields }
}

const everyRight = (entity: Entity): EntityRights => ({
  create: true,
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
  return { ...scope, shared: { by: sharing, roleKey, sight: resolved(roleKey).sight() } }
}

const forbidden = (caller: Person, right: Right, entity: Entity) =>
  apiError(
    'caller.forbidden',
    `Role "${caller.roleKey}" lacks permission "${right}" on "${entity.key}".`,
  )

/** By permission; a condition without a message has none. */
export type RightMessages = Readonly<Partial<Record<ConditionalRight, string>>>

/** What a role says of its conditions on an entity that do not hold, in the language of the catalog. */
export const messagesOf = (
  { roles }: Catalog,
  { roleKey }: Person,
  entity: Entity,
): RightMessages => roles.get(roleKey)?.permissions[entity.key]?.messages ?? {}
