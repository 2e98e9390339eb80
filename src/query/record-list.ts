/**
 * The select list that prints whole records. It depends on the entity, on what the caller may see and on
 * the associations to expand, so it is built once and cached: building it costs more than most reads.
 */
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { Access } from './access.ts'
import { planColumns } from './plan-select.ts'
import { recordJson } from './record-json.ts'
import { rowBytes } from './select-budget.ts'
import type { ColumnPath, PlannedColumns, SelectPlan } from './select-plan.ts'
import { maySeeByPath } from './user-visibility.ts'

export type RecordList = PlannedColumns & {
  /** SQL: the JSON text of one record. */
  readonly json: string
  /** SQL: the bytes that the texts of one record take. */
  readonly bytes: string
}

/** An association to expand, and its target entity. */
export type Include = { readonly path: string; readonly entity: Entity }

type ListOptions = Parameters<typeof planColumns>[0] & { readonly includes: readonly Include[] }

// Callers choose the associations: the number of cached lists per view is limited, and very long lists are
// not cached.
const keptLists = 200
const keptCharacters = 16_384

/** The visibility of an entity is identified by its function: one for each role. */
const kept = new WeakMap<Entity, WeakMap<Access['maySee'], BoundedCache<RecordList>>>()

/** The list of every visible column, of the entity and of each association to expand. */
export const recordList = ({ includes, ...options }: ListOptions): RecordList => {
  const lists = listsOf(options.entity, options.access)
  const key = includes.map(({ path }) => path).join()
  const cached = lists.get(key)
  if (cached) return cached
  const list = makeList(
    planColumns(options, visiblePaths(options.entity, options.access, includes)),
  )
  if (list.json.length <= keptCharacters) lists.set(key, list)
  return list
}

const makeList = ({ columns, joins }: PlannedColumns): RecordList => ({
  columns,
  joins,
  ...textsOf({ columns, joins: [...joins.values()] }),
})

/** SQL of the JSON text and of the size of one record with columns that a caller chose. */
export const textsOf = (
  columns: Pick<SelectPlan, 'columns' | 'joins'>,
): Pick<RecordList, 'json' | 'bytes'> => ({
  json: recordJson(columns),
  bytes: rowBytes(columns.columns.map(({ ref }) => ref)),
})

const listsOf = (entity: Entity, { maySee }: Access): BoundedCache<RecordList> => {
  const ofEntity = kept.get(entity) ?? new WeakMap<Access['maySee'], BoundedCache<RecordList>>()
  const lists = ofEntity.get(maySee) ?? createBoundedCache<RecordList>(keptLists)
  ofEntity.set(maySee, lists)
  kept.set(entity, ofEntity)
  return lists
}

/** Paths of every visible column, of the entity and of each included association. */
const visiblePaths = (
  entity: Entity,
  access: Access,
  includes: readonly Include[],
): ColumnPath[] => [
  ...pathsOf(entity, access.maySee, ''),
  ...includes.flatMap((include) =>
    pathsOf(include.entity, maySeeByPath(access), `${include.path}.`),
  ),
]

const pathsOf = (entity: Entity, maySee: Access['maySee'], prefix: string) =>
  entity.columns
    .filter((column) => maySee(entity, column))
    .map((column) => ({ path: `${prefix}${column.name}`, at: 'include' }))
