/**
 * Which work is that of a user, and moves to another one when they leave: open tasks, the records that they own, and records
 * whose link to a user decides who works on them. A link does if a condition of a role or an action compares it with the
 * caller, or if a notification names it. Records in a step without actions are done, and stay.
 */
import { type Queryable, queryRow, queryRows, queryValues } from '../../database/pool.ts'
import {
  allOf,
  int,
  join,
  notDeleted,
  ref,
  type Sql,
  sql,
  table,
  texts,
} from '../../database/sql.ts'
import { resolvePath } from '../../definitions/association-path.ts'
import { type Catalog, type Column, type Entity, getEntity } from '../../definitions/catalog.ts'
import { isPartOfRecord } from '../../definitions/native-entities.ts'
import { parsedCondition } from '../../query/conditions/decide-conditions.ts'
import { type Condition, comparesIn, listsIn } from '../../query/criteria/criteria.ts'

/** A column of an entity whose value is the user who works on the record. */
export type PlaceOfWork = { readonly entity: Entity; readonly column: Column }

/** Every such column of a project. */
export const placesOfWork = (catalog: Catalog): readonly PlaceOfWork[] => {
  const named = [...catalog.entities.values()].flatMap((entity) => [
    ...ownerOf(entity),
    ...conditionsOn(catalog, entity).flatMap((one) => comparedLinks(catalog, entity, one)),
    ...notifiedLinks(catalog, entity),
  ])
  const byName = new Map(named.map((one) => [`${one.entity.key} ${one.column.name}`, one]))
  return [...byName.values()].toSorted((one, other) =>
    one.entity.key === other.entity.key ? 0 : one.entity.key < other.entity.key ? -1 : 1,
  )
}

const ownerOf = (entity: Entity): readonly PlaceOfWork[] => {
  const column = entity.hasOwner ? entity.columnsByName.get('_owned_by') : undefined
  return column && !entity.isNative ? [{ entity, column }] : []
}

const conditionsOn = ({ roles }: Catalog, { key, definition }: Entity): readonly Condition[] => {
  const ofRoles = [...roles.values()].flatMap(({ permissions }) =>
    Object.values(permissions[key]?.conditions ?? {}),
  )
  const ofActions = (definition.workflow?.steps ?? []).flatMap(({ actions = [] }) =>
    actions.flatMap(({ condition }) => condition ?? []),
  )
  return [...ofRoles, ...ofActions].map(parsedCondition)
}

/** The links that a condition compares with the user who acts, also over other links. */
const comparedLinks = (
  catalog: Catalog,
  entity: Entity,
  condition: Condition,
): readonly PlaceOfWork[] => [
  ...comparesIn(condition).flatMap(({ field, reference }) =>
    reference?.of === 'caller' && reference.path === 'id' ? linkAt(catalog, entity, field) : [],
  ),
  ...listsIn(condition).flatMap(({ list, condition: ofList }) => {
    const target = entityOfList(catalog, entity, list)
    return target ? comparedLinks(catalog, target, ofList) : []
  }),
]

const entityOfList = (catalog: Catalog, entity: Entity, list: string): Entity | undefined => {
  const found = resolvePath(catalog, entity, `${list}.id`, undefined, 'lists')
  return 'path' in found ? found.path.entity : undefined
}

const notifiedLinks = (catalog: Catalog, entity: Entity): readonly PlaceOfWork[] =>
  (entity.definition.notifications ?? []).flatMap(({ recipient }) =>
    (recipient.userFields ?? []).flatMap((path) => linkAt(catalog, entity, path)),
  )

/** The link to a user at a path; none if it says who did something, which stays as it was. */
const linkAt = (catalog: Catalog, start: Entity, path: string): readonly PlaceOfWork[] => {
  const found = resolvePath(catalog, start, path)
  if (!('path' in found)) return []
  const { steps, column: last, entity: owner } = found.path
  // `buyer.id` is the same as `buyer`.
  const isId = last.name === 'id' && steps.length > 0
  const before = steps.slice(0, -1).at(-1)
  const column = isId ? steps.at(-1) : last
  const entity = isId ? (before ? getEntity(catalog, before.target ?? '') : start) : owner
  if (column?.target !== 'user' || column.isSystem || isPartOfRecord(entity)) return []
  return column.writtenBy.length > 0 || isFilledByCaller(entity, column) ? [] : [{ entity, column }]
}

const isFilledByCaller = ({ definition }: Entity, { field }: Column): boolean =>
  (definition.workflow?.forms ?? []).some(({ callerFields = [] }) =>
    callerFields.includes(field.key),
  )

/** Whether the record `t` is one that the user of an id works on. Their own record is none. */
const isWork = ({ entity, column }: PlaceOfWork, userId: number): Sql => {
  const steps = (entity.definition.workflow?.steps ?? [])
    .filter(({ actions = [] }) => actions.length > 0)
    .map(({ key }) => key)
  return allOf([
    sql`${ref(column.name, 't')} = ${int(userId)}`,
    notDeleted('t'),
    ...(entity.hasWorkflow ? [sql`t._step = ANY (${texts(steps)})`] : []),
    ...(entity.key === 'user' ? [sql`t.id <> ${int(userId)}`] : []),
  ])
}

/** The records that a user works on by a column, in order. */
export const findRecordsOfWork = async (
  database: Queryable,
  place: PlaceOfWork,
  userId: number,
): Promise<readonly number[]> => {
  const select = sql`
    SELECT t.id FROM ${table(place.entity)} t
    WHERE ${isWork(place, userId)} ORDER BY t.id`
  return queryValues<number>(database, select)
}

export type TaskOfWork = { readonly id: number; readonly key: string; readonly entityId: number }

const openTasksOf = (userId: number): Sql => sql`
  ${table('task')} t
  WHERE t.assigne_id = ${int(userId)} AND NOT t.is_completed AND ${notDeleted('t')}`

/** The open tasks of a user, in order. */
export const findTasksOfWork = (database: Queryable, userId: number): Promise<TaskOfWork[]> =>
  queryRows<TaskOfWork>(
    database,
    sql`
      SELECT t.id, t.key, t.entity_id AS "entityId" FROM ${openTasksOf(userId)}
      ORDER BY t.key, t.entity_id, t.id`,
  )

/** How much work there is: records by column, and tasks by the entity of their record. */
export type WorkItem = {
  readonly entity: string
  /** The field that names the user, or `_owned_by`; null: open tasks of records of the entity. */
  readonly field: string | null
  readonly count: number
}

export const countWork = async (
  database: Queryable,
  catalog: Catalog,
  userId: number,
): Promise<readonly WorkItem[]> => {
  const places = placesOfWork(catalog)
  const counts = places.map(
    (place, index) => sql`
      (SELECT count(*)::integer FROM ${table(place.entity)} t WHERE ${isWork(place, userId)})
        AS ${ref(`c${index}`)}`,
  )
  const row =
    counts.length === 0
      ? {}
      : await queryRow<Record<string, number>>(database, sql`SELECT ${join(counts, ', ')}`)
  const tasks = await queryRows<{ entity: string; count: number }>(
    database,
    sql`
      SELECT t.key AS entity, count(*)::integer AS count FROM ${openTasksOf(userId)}
      GROUP BY t.key ORDER BY t.key`,
  )
  return [
    ...tasks.map(({ entity, count }) => ({ entity, field: null, count })),
    ...places.map(({ entity, column }, index) => ({
      entity: entity.key,
      field: column.field.key,
      count: row?.[`c${index}`] ?? 0,
    })),
  ].filter(({ count }) => count > 0)
}
