/**
 * The one-to-many fields that conditions of writes ask, and those that steps lock. Who writes one of their records locks the
 * record that has the field, which the write that the condition decides on has locked too, and an action: so none of them
 * changes between the decision and its commit.
 */
import { findList, type List, resolvePath } from '../../definitions/association-path.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { type LockingList, lockingLists } from '../../definitions/step-locks.ts'
import { kept } from '../../kept.ts'
import { type Condition, fieldsIn, listsIn } from '../criteria/criteria.ts'
import { parsedCondition } from './decide-conditions.ts'

type AskedList = {
  /** The entity that has the field. */
  readonly parent: Entity
  /** The link of the records to it. */
  readonly link: Column
  /** The columns of the records that decide; undefined: any change may. */
  readonly columns: ReadonlySet<string> | undefined
  /** Links from that entity to further records that have to stay as they are. */
  readonly above?: readonly Column[]
}

/** Those whose records a write of these columns may change; all of them without names. */
export const affectedLists = (
  { catalog, entity }: { readonly catalog: Catalog; readonly entity: Entity },
  changed?: Iterable<string>,
): readonly AskedList[] => {
  const asked = listsByChild(catalog).get(entity.key) ?? []
  const locking = lockingLists(catalog, entity)
  const all = locking.length === 0 ? asked : [...asked, ...locking.map(asAsked)]
  if (changed === undefined) return all
  const names = new Set(changed)
  return all.filter(
    ({ link, columns }) =>
      columns === undefined ||
      names.has('_is_deleted') ||
      names.has(link.name) ||
      !columns.isDisjointFrom(names),
  )
}

/** Any change of its records has to wait. */
const asAsked = ({ parent, way: [own, ...above] }: LockingList): AskedList => ({
  parent: above[0]?.entity ?? parent,
  link: own.column,
  columns: undefined,
  above: above.map(({ column }) => column),
})

const listsByChild = kept((catalog: Catalog): ReadonlyMap<string, readonly AskedList[]> => {
  const byChild = new Map<string, AskedList[]>()
  for (const entity of catalog.entities.values())
    for (const condition of writeConditions(catalog, entity))
      for (const asked of listsIn(condition)) {
        const list = findAskedList(catalog, entity, asked.list)
        if (!list) continue
        const { parent, target, link } = list
        const columns = columnsOf(target, asked.condition)
        byChild.set(target.key, [...(byChild.get(target.key) ?? []), { parent, link, columns }])
      }
  return byChild
})

/** Of actions and of permissions: those are decided on while the record is locked. */
const writeConditions = ({ roles }: Catalog, { key, definition }: Entity): readonly Condition[] =>
  [
    ...(definition.workflow?.steps ?? []).flatMap(({ actions = [] }) =>
      actions.map(({ condition }) => condition),
    ),
    ...[...roles.values()].flatMap(({ permissions }) => {
      const { read: _read, ...ofWrites } = permissions[key]?.conditions ?? {}
      return Object.values(ofWrites)
    }),
  ].flatMap((condition) => (condition ? [parsedCondition(condition)] : []))

/** The one-to-many field at the end of a path, with the entity that has it. */
const findAskedList = (
  catalog: Catalog,
  entity: Entity,
  path: string,
): (List & { readonly parent: Entity }) | undefined => {
  const end = path.lastIndexOf('.')
  const owner = resolvePath(catalog, entity, `${path.slice(0, end + 1)}id`)
  if ('message' in owner) return undefined
  const parent = owner.path.entity
  const list = findList(catalog, parent, path.slice(end + 1))
  return list && { ...list, parent }
}

// A calculated value changes with others, and who changed a record with each change.
const columnsOf = (entity: Entity, condition: Condition): ReadonlySet<string> | undefined => {
  const columns = fieldsIn(condition).map(
    (name) => entity.columnsByName.get(name) ?? entity.associations.get(name),
  )
  const isOwn = (column: Column | undefined): column is Column =>
    column !== undefined && !column.isCalculated && !column.name.startsWith('_updated')
  return columns.every(isOwn) ? new Set(columns.map(({ name }) => name)) : undefined
}

/** Why a condition may not ask its one-to-many fields where it decides on a write: their records would not be locked. */
export const unlockedLists = (
  catalog: Catalog,
  entity: Entity,
  condition: Condition,
): readonly string[] =>
  listsIn(condition).flatMap(({ list, condition: inner }) => {
    const target = findAskedList(catalog, entity, list)?.target
    if (target?.isNative)
      return `"${list}" has records of ${target.key}, which is native: a condition of a write asks only entities of the project`
    const further = fieldsIn(inner).find((name) => name.includes('.'))
    return further === undefined
      ? []
      : `"${list}.${further}" leads on from "${list}": a condition of a write compares only fields of these records themselves, as others are not locked; keep what it asks in a field of ${target?.key ?? 'theirs'}`
  })
