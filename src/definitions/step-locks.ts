/** What the steps of a workflow lock: fields that nobody writes while a record is in the step, but the roles that it excepts. */
import { findList, type List } from './association-path.ts'
import type { Catalog, Entity } from './catalog.ts'
import type { StepLocks } from './schemas/entity-definition.ts'

/** What a step locks for a user with these roles; undefined: nothing. One that it excepts is enough. */
export const locksOfStep = (
  { definition }: Pick<Entity, 'definition'>,
  stepKey: string | undefined,
  roleKeys: readonly string[],
): StepLocks | undefined => {
  const step = definition.workflow?.steps.find(({ key }) => key === stepKey)
  return step?.locks && isExcepted(step.locks, roleKeys) ? undefined : step?.locks
}

/** Whether one of the roles is excepted. */
export const isExcepted = (
  { except = [] }: Pick<StepLocks, 'except'>,
  roleKeys: readonly string[],
): boolean => roleKeys.some((key) => except.includes(key))

/** Whether the field of a key is among those that are locked. */
export const locksField = ({ fields }: StepLocks, key: string): boolean =>
  fields === 'all' || fields.includes(key)

/** A one-to-many field that some step locks: nobody writes its records, then. */
export type LockingList = List & {
  /** The entity that has the field. */
  readonly parent: Entity
}

const known = new WeakMap<Catalog, ReadonlyMap<string, readonly LockingList[]>>()

/** Those that have records of an entity. */
export const lockingLists = (catalog: Catalog, { key }: Entity): readonly LockingList[] => {
  const byTarget = known.get(catalog) ?? findLockingLists(catalog)
  known.set(catalog, byTarget)
  return byTarget.get(key) ?? []
}

const findLockingLists = (catalog: Catalog) => {
  const lists = [...catalog.entities.values()].flatMap((parent) =>
    [...parent.oneToMany.keys()]
      .filter((key) => isLockedInSomeStep(parent, key))
      .flatMap((key) => {
        const list = findList(catalog, parent, key)
        // Records of native entities are also written without a request for one.
        return list && !list.target.isNative ? [{ ...list, parent }] : []
      }),
  )
  return Map.groupBy(lists, ({ target }) => target.key)
}

const isLockedInSomeStep = ({ definition: { workflow } }: Entity, key: string): boolean =>
  (workflow?.steps ?? []).some(({ locks }) => locks !== undefined && locksField(locks, key))

/** The rights of a user with these roles that the locks of some step may take from them, besides those of single fields. */
export const lockableRights = (
  catalog: Catalog,
  entity: Entity,
  roleKeys: readonly string[],
): readonly ('update' | 'delete')[] => {
  const own = (entity.definition.workflow?.steps ?? []).flatMap(
    ({ key }) => locksOfStep(entity, key, roleKeys) ?? [],
  )
  const isInList = lockingLists(catalog, entity).some(
    (list) => lockingSteps(list, roleKeys).length > 0,
  )
  if (isInList || own.some(({ fields }) => fields === 'all')) return ['update', 'delete']
  return own.length > 0 ? ['update'] : []
}

/** The keys of the steps that lock the records of a list for a user with these roles. */
export const lockingSteps = (
  { parent, field }: LockingList,
  roleKeys: readonly string[],
): readonly string[] =>
  (parent.definition.workflow?.steps ?? []).flatMap(({ key }) => {
    const locks = locksOfStep(parent, key, roleKeys)
    return locks && locksField(locks, field.key) ? [key] : []
  })
