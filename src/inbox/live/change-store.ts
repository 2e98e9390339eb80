/** Queries of the feed of changes: entries of the history, and what decides who may know of a record. */
import { type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { bigint, bound, int, raw, ref, type Sql, sql, table } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { nativeEntitiesWith, nativeEntity } from '../../definitions/native-entities.ts'
import { usersWithRole } from '../../users/user-store.ts'

/** One entry of the history. */
export type Change = {
  readonly id: number
  readonly entityKey: string
  readonly recordId: number
  readonly operation: string
  /** Users to whom the record belonged before, if the change took it from them. */
  readonly earlier: readonly number[]
}

/** Ids of transactions: all before `ended` have ended, and none from `begun` on had begun. */
export type Horizon = { readonly ended: number; readonly begun: number }

type Row = Horizon & {
  readonly id: number | null
  readonly entity_key: string
  readonly record_id: number
  readonly operation: string
  readonly owner: number | null
  readonly entitled: number | null
}

/** The entity whose records are part of others, as their history names them by another column. */
const [part] = nativeEntitiesWith('isPartOfRecord')
const partKey = part?.key ?? ''

/** Changes after an id in their order, and those of the missing ids that are there now; and when this was. */
export const readChanges = async (
  pool: Pool,
  partEntity: Entity | undefined,
  { after, missing, limit }: { after: number; missing: readonly number[]; limit: number },
): Promise<{ readonly changes: readonly Change[]; readonly horizon: Horizon }> => {
  const list = columnsOf(partEntity)
  const rows = await queryRows<Row>(
    pool,
    sql`
SELECT
  c.*, pg_snapshot_xmin(s.now)::text::bigint AS ended, pg_snapshot_xmax(s.now)::text::bigint AS begun
FROM pg_current_snapshot() AS s(now)
LEFT JOIN (
  (
    SELECT ${list}
    FROM docket.history h
    WHERE h.id > ${bigint(after)}
    ORDER BY h.id
    LIMIT ${int(limit)}
  )
  UNION ALL
  SELECT ${list}
  FROM docket.history h
  WHERE h.id = ANY (${bound(missing, 'bigint[]')})
) c ON true
ORDER BY c.id`,
  )
  const { ended = 0, begun = 0 } = rows[0] ?? {}
  return { changes: rows.flatMap(toChange), horizon: { ended, begun } }
}

const toChange = ({ id, entity_key, record_id, operation, owner, entitled }: Row): Change[] =>
  id === null
    ? []
    : [
        {
          id,
          entityKey: entity_key,
          recordId: record_id,
          operation,
          earlier: [owner, entitled].filter((user) => user !== null),
        },
      ]

// Only where they can be, because the changes of an entry may be megabytes.
const columnsOf = (partEntity: Entity | undefined): Sql => {
  const [entitled] = partEntity ? entitledColumns(partEntity) : []
  const before = entitled
    ? raw(`(h.changes -> '${entitled}' ->> 'before')::integer`)
    : sql`NULL::integer`
  return sql`h.id,
    CASE WHEN h.task_id IS NULL THEN h.entity_key ELSE ${bound(partKey, 'text')} END AS entity_key,
    coalesce(h.task_id, h.entity_id) AS record_id, h.operation,
    CASE WHEN h.operation = 'takeOwnership' THEN (h.changes -> '_owned_by' ->> 'before')::integer END AS owner,
    CASE WHEN h.task_id IS NOT NULL THEN ${before} END AS entitled`
}

/** The columns with users who have to do with a record whatever their role may read. */
const entitledColumns = (entity: Entity): string[] =>
  (nativeEntity(entity).entitled ?? []).flatMap((key) => entity.associations.get(key)?.name ?? [])

/** The last change, and the ids before it that belong to nothing yet: of transactions that have not ended. */
export const findPosition = async (
  pool: Pool,
  back: number,
): Promise<{ readonly last: number; readonly missing: readonly number[] }> => {
  const row = await queryRow<{ last: number; missing: string }>(
    pool,
    sql`
WITH newest AS (SELECT coalesce(max(id), 0) AS last FROM docket.history)
SELECT n.last, (
  SELECT coalesce(json_agg(g.id), '[]')
  FROM generate_series(greatest(1, n.last - ${bigint(back)}), n.last) AS g(id)
  WHERE NOT EXISTS (SELECT FROM docket.history h WHERE h.id = g.id)
)::text AS missing
FROM newest n`,
  )
  return { last: row?.last ?? 0, missing: JSON.parse(row?.missing ?? '[]') }
}

/** What decides who may know of a record, and which version it has. */
export type Facts = {
  readonly id: number
  readonly version: number
  readonly is_deleted: boolean
  readonly created_by: number | null
  readonly owned_by: number | null
  readonly updated_by: number | null
  /** The user who has to do with it, such as the assignee of a task. */
  readonly entitled: number | null
}

/** The facts of records of an entity, by id. */
export const readFacts = async (
  pool: Pool,
  entity: Entity,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Facts>> => {
  const [entitled] = entitledColumns(entity)
  const rows = await queryRows<Facts>(
    pool,
    sql`
SELECT t.id, t._version AS version, t._is_deleted AS is_deleted, t._created_by AS created_by,
  ${entity.hasOwner ? sql`t._owned_by` : sql`NULL::integer`} AS owned_by, t._updated_by AS updated_by,
  ${entitled === undefined ? sql`NULL::integer` : ref(entitled, 't')} AS entitled
FROM ${table(entity)} t
WHERE t.id = ANY (${bound(ids, 'integer[]')})`,
  )
  return new Map(rows.map((facts) => [facts.id, facts]))
}

/** The current role of each user who has one. */
export const readRoles = async (
  pool: Pool,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, string>> => {
  const rows = await queryRows<{ id: number; role: string }>(
    pool,
    sql`
SELECT u.id, r.key AS role
FROM ${usersWithRole}
WHERE u.id = ANY (${bound(userIds, 'integer[]')}) AND r.id IS NOT NULL`,
  )
  return new Map(rows.map(({ id, role }) => [id, role]))
}
