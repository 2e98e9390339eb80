/**
 * What a role may do, resolved once per role: nothing is granted by default, an entity's own entry replaces
 * "*" completely, "*" does not grant writing native entities, and the administrator may do everything.
 */
import { int } from '../database/sql.ts'
import { type Catalog, type Column, type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { ConditionalRight, Permission } from '../definitions/schemas/role-definition.ts'
import { apiError } from '../errors.ts'
import type { Access, RecordScope } from '../query/access.ts'
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
  /** Criteria of the role definition on the records that it may write. */
  readonly conditions: RightConditions
}

/** By permission; none: only its scope counts. */
export type RightConditions = Readonly<Partial<Record<ConditionalRight, object>>>

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
  /** Keys of the roles that may read every record of an entity, and of those that may read their own. */
  readonly readersOf: (entity: Entity) => Readers
}

/** Roles by the records that they may read. */
type Readers = { readonly all: readonly string[]; readonly own: readonly string[] }

/** Builds the permissions of a project; those of each role are computed once. */
export const createPermissions = (catalog: Catalog): Permissions => {
  const resolved = createResolve(catalog)
  const rightsOf: Permissions['rightsOf'] = (caller, entity) =>
    resolved(caller.roleKey).rightsOf(entity)
  const scopeOf: Permissions['scopeOf'] = (caller, right, entity) => {
    const scope = asScope(rightsOf(caller, entity).scopes[right], caller)
    return right === 'read' ? withShared(scope, entity, caller, resolved) : scope
  }
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
    readersOf: (entity) => {
      const keys = [...new Set([administratorRole, ...catalog.roles.keys()])]
      const reads = (key: string) => resolved(key).rightsOf(entity).scopes.read
      return {
        all: keys.filter((key) => reads(key) === true),
        own: keys.filter((key) => reads(key) === 'own'),
      }
    },
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
export const isHidden = (rights: EntityRights, column: Column): boolean =>
  rights.hiddenFields.has(column.field.key) || rights.hiddenFields.has(column.name)

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
    conditions: permission.conditions ?? {},
  }
}

/**
 * The permissions of "*": for native entities, which determine who may do what, only reading. Those of which
 * everybody has records of their own grant the same to all roles.
 */
const everyOther = (permission: Permission | undefined, entity: Entity): Permission | undefined => {
  const { everyone } = nativeEntity(entity)
  if (everyone) return { ...everyone, hiddenFields: permission?.hiddenFields ?? [] }
  if (!permission || !entity.isNative) return permission
  const { read, export: exports, tasks, hiddenFields } = permission
  return Object.fromEntries(
    Object.entries({ read, export: exports, tasks, hiddenFields }).filter(([, value]) => value),
  )
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
  conditions: {},
})

const asScope = (right: boolean | 'own', caller: Person): RecordScope => {
  if (right === 'own') return { ownedBy: int(caller.userId) }
  return right ? 'all' : 'none'
}

/** Callers who read their own records also read those that are shared with them. */
const withShared = (
  scope: RecordScope,
  entity: Entity,
  { roleKey }: Person,
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
