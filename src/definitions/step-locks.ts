/** What the steps of a workflow lock: fields that nobody writes while a record is in the step, but the roles that it excepts. */
import { kept } from '../kept.ts'
import { findList, type List } from './association-path.ts'
import { columnsBehind } from './calculations/formulas.ts'
import { decidingColumns, type Rollup, rollupsOf } from './calculations/rollups.ts'
import type { Catalog, Column, Entity } from './catalog.ts'
import type { FieldOf } from './field-types.ts'
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

/** A link of a record towards the record whose step locks it. */
type Link = { readonly entity: Entity; readonly column: Column }

/** A one-to-many field that some step locks: nobody writes its records, then, nor those from which these are calculated. */
export type LockingList = {
  /** The entity that has the field. */
  readonly parent: Entity
  readonly field: FieldOf<'oneToMany'>
  /** From the records that are locked up to the one that has the field: one link if they are in the list themselves. */
  readonly way: readonly [own: Link, ...above: Link[]]
}

/** Those that have records of an entity. */
export const lockingLists = (catalog: Catalog, { key }: Entity): readonly LockingList[] =>
  listsByEntity(catalog).get(key) ?? []

const listsByEntity = kept((catalog: Catalog): ReadonlyMap<string, readonly LockingList[]> => {
  const lists = [...catalog.entities.values()].flatMap((parent) =>
    [...parent.oneToMany.keys()]
      .filter((key) => isLockedInSomeStep(parent, key))
      .flatMap((key) => {
        const list = findList(catalog, parent, key)
        // Records of native entities are also written without a request for one.
        return list && !list.target.isNative ? lockedBy(catalog, parent, list) : []
      }),
  )
  return Map.groupBy(lists, ({ way: [own] }) => own.entity.key)
})

/** The records of a list, and as far down as rollups lead those from which they are calculated. */
const lockedBy = (
  catalog: Catalog,
  parent: Entity,
  { field, target, link }: List,
): readonly LockingList[] => {
  const list = (way: LockingList['way']): LockingList => ({ parent, field, way })
  const below = (rollups: readonly Rollup[], above: LockingList['way']): readonly LockingList[] =>
    [...Map.groupBy(rollups, (rollup) => rollup.link)].flatMap(([column, same]) => {
      const [{ child: entity } = {}] = same
      if (!entity) return []
      const way: LockingList['way'] = [{ entity, column }, ...above]
      return [list(way), ...below(rollupsReadBy(catalog, entity, same), way)]
    })
  const way: LockingList['way'] = [{ entity: target, column: link }]
  return [list(way), ...below(rollupsOf(catalog, target), way)]
}

/** The rollups of the child that these are calculated from, directly or through formulas. */
const rollupsReadBy = (
  catalog: Catalog,
  child: Entity,
  rollups: readonly Rollup[],
): readonly Rollup[] => {
  const read = new Set(
    rollups.flatMap(decidingColumns).flatMap((column) => [...columnsBehind(child, column)]),
  )
  return rollupsOf(catalog, child).filter(({ column }) => read.has(column))
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

/** The steps that lock the records of a list, with the roles that each excepts. */
export const locksOfList = ({ parent, field }: LockingList) =>
  (parent.definition.workflow?.steps ?? []).flatMap(({ key, locks }) =>
    locks && locksField(locks, field.key) ? [{ key, except: locks.except ?? [] }] : [],
  )

/** The keys of those that lock them for a user with these roles. */
export const lockingSteps = (list: LockingList, roleKeys: readonly string[]): readonly string[] =>
  locksOfList(list)
    .filter((locks) => !isExcepted(locks, roleKeys))
    .map(({ key }) => key)

/** Whether a list of a record is locked with that record, by these lists. */
export const locksBelow = (
  catalog: Catalog,
  locking: readonly LockingList[],
  child: Entity,
  link: string,
): boolean =>
  lockingLists(catalog, child).some(
    ({ parent, field, way: [own, ...above] }) =>
      own.column.field.key === link &&
      locking.some(
        (list) =>
          list.parent === parent &&
          list.field === field &&
          list.way.length === above.length &&
          list.way.every(({ column }, at) => column === above[at]?.column),
      ),
  )
