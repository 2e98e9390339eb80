/** An entity and its permissions as one caller may see them. */
import { type Caller, eachRoleOf, type Person, roleKeysOf } from '../auth/caller.ts'
import { type EntityRights, isHidden } from '../auth/entity-rights.ts'
import { withLocksFor, withoutConditions, withVisibleFields } from '../auth/visible-catalog.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { commentSettings } from '../definitions/comments.ts'
import { isPartOfRecord, nativeEntity } from '../definitions/native-entities.ts'
import { operationsOf, sendsNotifications } from '../definitions/notification-rules.ts'
import { type ConditionalRight, conditionalRights } from '../definitions/schemas/role-definition.ts'
import { lockableRights } from '../definitions/step-locks.ts'
import type { Menu } from '../definitions/translations/menu.ts'
import { namedRoles, pathLabel } from '../definitions/value-names.ts'
import { readableColumns } from '../export/plan-export.ts'
import { comparedPaths } from '../query/conditions/compared-paths.ts'
import { parsedCondition } from '../query/conditions/decide-conditions.ts'
import { type Condition, callerPathsIn, fieldsIn } from '../query/criteria/criteria.ts'
import {
  type DefinitionDeps,
  visibleEntities,
  visibleFields,
  withoutEarlier,
} from './describe-fields.ts'

/** With the definitions in the language of the answer. */
type DescribeDeps = DefinitionDeps & { readonly named: Catalog; readonly menu: Menu }

/** Those entities as the caller may see them, in the order of the menu. */
export const describeEntities = (deps: DescribeDeps, caller: Caller) =>
  deps.menu
    .sort(visibleEntities({ ...deps, catalog: deps.named }, caller))
    .map(({ key }) => describeEntity(deps, caller, getEntity(deps.catalog, key)))

/** The caller's permissions by entity. */
export const permissionsOf = (deps: DefinitionDeps, caller: Caller) =>
  Object.fromEntries(
    visibleEntities(deps, caller).map((entity) => [entity.key, printRights(deps, caller, entity)]),
  )

// Hidden fields count as unknown: they are not named here either.
const printRights = (
  { catalog, permissions }: Pick<DefinitionDeps, 'catalog' | 'permissions'>,
  caller: Person,
  entity: Entity,
) => {
  const { create, import: imports, scopes, actions } = permissions.rightsOf(caller, entity)
  const each = eachRoleOf(caller).map((role) => permissions.rightsOf(role, entity))
  const lockable = lockableRights(catalog, entity, roleKeysOf(caller))
  return {
    create,
    import: imports,
    ...scopes,
    actions: [...actions],
    conditional: [...new Set([...conditionalOf(each), ...lockable])],
    conditionalActions: conditionalActionsOf(entity.definition).filter((key) => actions.has(key)),
  }
}

/** The permissions that have a condition; of several roles, those that none of them grants as far without one. */
const conditionalOf = (each: readonly EntityRights[]): readonly (ConditionalRight | 'read')[] => {
  const [only, ...others] = each
  if (only && others.length === 0)
    return Object.keys(only.conditions) as (ConditionalRight | 'read')[]
  return (['read', ...conditionalRights] as const).filter((right) => {
    const granted = (rights: EntityRights) =>
      right === 'create' ? rights.create : rights.scopes[right]
    const widest = each.some((rights) => granted(rights) === true) ? true : 'own'
    const granting = each.filter((rights) => granted(rights) === widest)
    const isNarrowed = ({ conditions, scopes }: EntityRights) =>
      right in conditions ||
      (right !== 'create' && ('read' in conditions || (widest === true && scopes.read !== true)))
    return granting.length > 0 && granting.every(isNarrowed)
  })
}

/** Keys of the actions that have a condition in some step, or leave users out; what that is, is not shown. */
const conditionalActionsOf = ({ workflow }: Entity['definition']): readonly string[] => {
  const all = workflow?.steps.flatMap(({ actions = [] }) => actions) ?? []
  return [
    ...new Set(all.filter(({ condition, notBy }) => condition ?? notBy).map(({ key }) => key)),
  ]
}

/** The definition with the fields that the caller may see, and what they may do. */
export const describeEntity = (deps: DescribeDeps, caller: Caller, one: Entity) => {
  const { named: catalog, permissions, menu } = deps
  const entity = getEntity(catalog, one.key)
  const rights = permissions.rightsOf(caller, entity)
  const { definition } = entity
  return {
    key: entity.key,
    name: entity.name,
    pluralName: entity.pluralName,
    description: definition.description ?? null,
    isNative: entity.isNative,
    isPartOfRecord: isPartOfRecord(entity),
    menuGroup: menu.groupOf(entity.key) ?? null,
    isHiddenInMenu: menu.isHidden(entity.key) || isOnPageOfItsOwn(menu, caller, entity),
    displayField: displayFieldOf(entity, rights),
    ownership: entity.hasOwner,
    fields: visibleFields({ catalog, permissions }, caller, entity),
    comments: describeComments(entity),
    notifiedOperations: notifiedOperationsOf(entity),
    validations: visibleValidations({ catalog, permissions }, caller, entity),
    workflow: visibleWorkflow(entity, rights, caller),
    permissions: printRights(deps, caller, entity),
    readCondition: visibleReadCondition({ catalog, permissions }, caller, entity),
    exportSettings: visibleExport(deps, caller, one),
    ...(caller.roleKey === administratorRole && {
      notifications: definition.notifications ?? [],
      hooks: definition.hooks ?? [],
      roles: rolesOf({ catalog, permissions }, entity),
    }),
  }
}

const describeComments = (entity: Entity) => {
  const settings = commentSettings(entity)
  return settings ? { internal: settings.internal } : null
}

/** Administrators have a page of its records, which stands in the menu under the same name, unless a group of the project names the list. */
const isOnPageOfItsOwn = (menu: Menu, caller: Caller, entity: Entity): boolean =>
  nativeEntity(entity).hasAdministrationPage === true &&
  caller.roleKey === administratorRole &&
  menu.groupOf(entity.key) === undefined

/** The condition of reading, for those who may see all that it compares. */
const visibleReadCondition = (deps: DefinitionDeps, caller: Caller, entity: Entity) => {
  const { conditions, scopes } = deps.permissions.rightsOf(caller, entity)
  // Own records must meet it too, which it does not say.
  if (!conditions.read || scopes.read !== true) return null
  return seesAll(deps, caller, entity, parsedCondition(conditions.read))
    ? (conditions.read as Readonly<Record<string, unknown>>)
    : null
}

/** Whether the caller may see all that a condition compares; what lists of their own record lead to is theirs. */
const seesAll = (
  { catalog, permissions }: DefinitionDeps,
  caller: Caller,
  entity: Entity,
  where: Condition,
): boolean => {
  const reader = { catalog, entity, access: permissions.accessOf(caller) }
  const { fields, callerFields } = comparedPaths(reader, where)
  const people = getEntity(catalog, 'user')
  const { hiddenFields } = permissions.rightsOf(caller, people)
  const isSeen = (path: string): boolean => {
    const list = people.oneToMany.get(path.split('.')[0] ?? '')
    return list ? !hiddenFields.has(list.key) : callerFields.includes(path)
  }
  return fields.length === new Set(fieldsIn(where)).size && callerPathsIn(where).every(isSeen)
}

/** Conditions for those who may read all that these compare. */
const visibleValidations = (deps: DefinitionDeps, caller: Caller, entity: Entity) => {
  const { hiddenFields } = deps.permissions.rightsOf(caller, entity)
  return (entity.definition.validations ?? []).map(({ key, message, field = '', condition }) => {
    const where = parsedCondition(condition)
    const isSeen = seesAll(deps, caller, entity, where)
    return {
      key,
      message,
      condition: isSeen ? (condition as Readonly<Record<string, unknown>>) : null,
      field: field === '' || hiddenFields.has(field) ? null : field,
    }
  })
}

/** The operations of which some rule notifies users; its recipients and its conditions are not shown. */
const notifiedOperationsOf = ({ definition }: Entity) =>
  sendsNotifications(definition)
    ? [...new Set((definition.notifications ?? []).flatMap(operationsOf))]
    : []

/** The columns that an export by this caller has, without `$select`; headers of files have one language. */
const visibleExport = (
  { catalog, named, permissions }: DescribeDeps,
  caller: Caller,
  entity: Entity,
) => {
  const { useFieldKeyAsHeader = false, escapeFormulas = true } =
    entity.definition.exportSettings ?? {}
  const access = permissions.accessOf(caller)
  const columns = readableColumns(catalog, entity, access)
  const namedEntity = getEntity(named, entity.key)
  // Without a translation they are the same.
  const labelled = named === catalog ? columns : readableColumns(named, namedEntity, access)
  const columnDefs = columns.map((column, index) => ({
    field: column.path,
    headerName: column.header,
    format: column.isNamed ? ('name' as const) : ('key' as const),
    label: labelled[index]?.label ?? pathLabel(named, namedEntity, column.path),
  }))
  return { useFieldKeyAsHeader, escapeFormulas, columnDefs }
}

/** The roles that have a permission on the entity. */
const rolesOf = ({ catalog, permissions }: DefinitionDeps, entity: Entity) => {
  return namedRoles(catalog).flatMap(({ key, name }) => {
    const person = { userId: 0, roleKey: key }
    if (!permissions.touches(person, entity)) return []
    const rights = permissions.rightsOf(person, entity)
    return [
      {
        key,
        name,
        ...printRights({ catalog, permissions }, person, entity),
        audit: permissions.mayAudit(person),
        hiddenFields: [...rights.hiddenFields],
        readOnlyFields: [...rights.readOnlyFields],
        conditions: rights.conditions,
      },
    ]
  })
}

const displayFieldOf = (
  { definition: { displayField = 'id' }, columnsByName, associations }: Entity,
  rights: EntityRights,
): string => {
  const column = columnsByName.get(displayField) ?? associations.get(displayField)
  return column && isHidden(rights, column) ? 'id' : displayField
}

/**
 * All steps and actions, because the permissions say who may take them; forms without hidden fields. Conditions are for
 * administrators, as those of notifications are.
 */
const visibleWorkflow = ({ columns, definition }: Entity, rights: EntityRights, caller: Person) => {
  const { workflow } = definition
  if (!workflow) return null
  const hidden = columns.filter((column) => isHidden(rights, column))
  const isVisible = (key: string) => !hidden.some(({ field }) => field.key === key)
  const forms = workflow.forms?.map((form) => withVisibleFields(form, isVisible))
  const isAdministrator = caller.roleKey === administratorRole
  const isSeen = (key: string) => isVisible(key) && !rights.hiddenFields.has(key)
  const steps = workflow.steps
    .map((step) => (isAdministrator ? step : withLocksFor(withoutConditions(step), caller, isSeen)))
    .map(withoutEarlier)
  return { ...workflow, steps, ...(forms && { forms }) }
}
