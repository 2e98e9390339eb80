/** Warns of roles that take an action and may change what it depends on: they decide themselves whether it is open. */
import { isHidden, isReadOnly } from '../auth/entity-rights.ts'
import { createPermissions, type Permissions } from '../auth/permissions.ts'
import { resolvePath } from '../definitions/association-path.ts'
import {
  type Calculated,
  calculationInputs,
} from '../definitions/calculations/calculation-order.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Finding } from '../definitions/source-file.ts'
import { lockingLists, lockingSteps, locksField, locksOfStep } from '../definitions/step-locks.ts'
import {
  type Condition,
  callerPathsIn,
  conditionThrough,
  fieldsIn,
} from '../query/criteria/criteria.ts'
import { parseWhere } from '../query/criteria/parse-criteria.ts'
import { hasDemands, linkOfNotBy } from './demands.ts'
import { type Action, formOf, getWorkflow, mayTake, type Step } from './workflow.ts'

/** A role before an action of a step. */
type Taker = {
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly roleKey: string
  readonly entity: Entity
  readonly step: Step
  readonly action: Action
}

/** A warning for each action of a role whose condition it can make hold by another right of its own. */
export const checkTakers = ({ catalog, roleSources }: Project): Finding[] => {
  const permissions = createPermissions(catalog)
  const takers = [...roleSources.keys()].flatMap((roleKey) =>
    [...catalog.entities.values()].flatMap((entity) =>
      conditionalActions(entity).map((one) => ({
        ...one,
        catalog,
        permissions,
        roleKey,
        entity,
      })),
    ),
  )
  return takers.flatMap((taker) => {
    const changed = mayTake(taker.entity, rightsOn(taker, taker.entity), taker.action)
      ? changeableInputs(taker)
      : []
    const source = roleSources.get(taker.roleKey)
    return changed.length === 0 || !source
      ? []
      : [source.finding(placeOf(taker), messageOf(taker, changed), 'warning')]
  })
}

const conditionalActions = ({ definition: { workflow } }: Entity) =>
  (workflow?.steps ?? []).flatMap((step) =>
    (step.actions ?? []).flatMap((action) => (hasDemands(action) ? [{ step, action }] : [])),
  )

const rightsOn = ({ permissions, roleKey }: Taker, entity: Entity) =>
  permissions.rightsOf({ userId: 0, roleKey }, entity)

const placeOf = ({ catalog, roleKey, entity, action }: Taker) => {
  const permissions = catalog.roles.get(roleKey)?.permissions ?? {}
  const key = permissions[entity.key] ? entity.key : '*'
  const index = permissions[key]?.actions?.indexOf(action.key) ?? 0
  return ['permissions', key, 'actions', index]
}

const messageOf = ({ step, action }: Taker, changed: readonly string[]): string =>
  `a user who takes "${action.key}" in the step "${step.key}" may change there what it depends on (${changed.join(', ')}); let the step lock it ("locks"), "conditions.update" leave out the step, make the field read-only ("readOnlyFields"), or have an action fill it ("callerFields")`

/** What the condition reads and the role may change while the record is in the step. */
const changeableInputs = (taker: Taker): readonly string[] => {
  const { condition: given, notBy = [] } = taker.action
  const { condition } = parseWhere(given ?? {}, { namesCaller: true })
  const links = notBy.flatMap((name) => linkOfNotBy(taker.entity, name) ?? [])
  const read = [
    ...(condition ? inputsOf(taker, condition) : []),
    ...links.map((column) => ({ entity: taker.entity, column })),
  ]
  const inputs = read.filter((input) => mayChange(taker, input))
  const nameOf = ({ entity, column }: Calculated) =>
    entity === taker.entity ? column.name : `${entity.key}.${column.name}`
  return [...new Set(inputs.map(nameOf))]
}

/** The columns on the way of each path, and those that a calculated one follows from. */
const inputsOf = ({ catalog, entity }: Taker, condition: Condition): readonly Calculated[] => {
  const read = (start: Entity) => (path: string) => {
    const found = resolvePath(catalog, start, path, undefined, 'lists')
    if ('message' in found) return []
    const { steps, column } = found.path
    let owner = start
    const links = steps.map((step) => {
      const from = owner
      owner = getEntity(catalog, step.target ?? '')
      const { field } = step
      // Records of a one-to-many field come and go by their link back.
      const link = field.type === 'oneToMany' ? owner.associations.get(field.mappedBy) : undefined
      return link ? { entity: owner, column: link } : { entity: from, column: step }
    })
    return [...links, { entity: owner, column }]
  }
  const inputs = new Set([
    ...fieldsIn(condition).flatMap(read(entity)),
    ...callerPathsIn(condition).flatMap(read(getEntity(catalog, 'user'))),
  ])
  const known = new Set([...inputs].map(({ column }) => column))
  // The set grows during the loop.
  for (const one of inputs)
    for (const next of one.column.isCalculated ? calculationInputs(catalog, one) : [])
      if (!known.has(next.column)) {
        known.add(next.column)
        inputs.add(next)
      }
  return [...inputs]
}

const mayChange = (taker: Taker, { entity, column }: Calculated): boolean => {
  const rights = rightsOn(taker, entity)
  const { scopes, conditions } = rights
  if (column.name === '_owned_by')
    return (
      entity === taker.entity && scopes.takeOwnership !== false && !isLocked(taker, entity, column)
    )
  const isGiven = column.isCalculated || column.series !== undefined
  const isFixed = column.isSystem || isGiven || column.writtenBy.length > 0
  // What writers of native entities gain is said of the permission itself.
  if (isFixed || entity.isNative) return false
  if (entity === taker.entity && isInAnotherForm(taker, column)) return true
  if (isHidden(rights, column) || isReadOnly(rights, column)) return false
  if (isLocked(taker, entity, column)) return false
  return scopes.update !== false && !isClosed(taker, entity, conditions.update)
}

/** Whether the step locks the field for the role, or the records that belong to one in it. */
const isLocked = (
  { catalog, roleKey, entity, step }: Taker,
  changed: Entity,
  column: Calculated['column'],
): boolean => {
  const locks = locksOfStep(entity, step.key, [roleKey])
  if (changed === entity) return locks !== undefined && locksField(locks, column.field.key)
  return lockingLists(catalog, changed).some(
    (list) => list.parent === entity && lockingSteps(list, [roleKey]).includes(step.key),
  )
}

/** Whether another action of the step that the role may take writes the column. */
const isInAnotherForm = (taker: Taker, column: Calculated['column']): boolean => {
  const { entity, step, action } = taker
  const rights = rightsOn(taker, entity)
  return (step.actions ?? []).some(
    (other) =>
      other !== action &&
      mayTake(entity, rights, other) &&
      (formOf(entity, getWorkflow(entity), other)?.columns.includes(column) === true ||
        Object.hasOwn(other.set ?? {}, column.field.key)),
  )
}

/** Whether the condition of a change leaves out records in the step, or those that belong to one. */
const isClosed = ({ entity, step }: Taker, changed: Entity, condition?: object): boolean => {
  const { condition: asked } = parseWhere(condition ?? {}, { namesCaller: true })
  if (!asked) return false
  if (changed === entity) return holdsIn(asked, step.key) === false
  const links = changed.columns.filter(({ target }) => target === entity.key)
  return links.some(({ field }) => {
    const ofRecord = conditionThrough(asked, field.key)
    return ofRecord !== undefined && holdsIn(ofRecord, step.key) === false
  })
}

/** Whether a condition holds for a record of which the step alone is known; undefined: that depends. */
const holdsIn = (condition: Condition, step: string): boolean | undefined => {
  if (condition.kind === 'not') {
    const inner = holdsIn(condition.condition, step)
    return inner === undefined ? undefined : !inner
  }
  if (condition.kind === 'some') return undefined
  if (condition.kind === 'compare') {
    const { field, operator, value, reference } = condition
    if (field !== '_step' || reference) return undefined
    const isNamed = [value].flat().includes(step)
    if (operator === '$eq' || operator === '$in') return isNamed
    return operator === '$ne' || operator === '$nin' ? !isNamed : undefined
  }
  if (condition.kind === 'readable') return undefined
  const parts = condition.conditions.map((one) => holdsIn(one, step))
  const decisive = condition.kind === 'or'
  if (parts.includes(decisive)) return decisive
  return parts.includes(undefined) ? undefined : !decisive
}
