/** Who follows a record, and why: for rules whose recipients are followers, for their explanation, and for readers of the record. */
import type { Caller } from '../auth/caller.ts'
import type { VisibilityDeps } from '../auth/readable-records.ts'
import { refuseWithout } from '../comments/comment-deps.ts'
import { type Pool, type Queryable, queryRows } from '../database/pool.ts'
import { int, ints, isoTime, nothing, type Sql, sql, table, text, texts } from '../database/sql.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { commentSettings } from '../definitions/comments.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { compileScope } from '../query/compile-scope.ts'
import { mayBeNamed } from '../records/history.ts'
import { unknownRecord } from '../records/read-records.ts'
import { quoted, recordParams } from '../records/record-request.ts'
import { idIn, loadPaths } from './event-values.ts'

type FollowerDeps = VisibilityDeps & { readonly pool: Pool; readonly timeZone: string }

/** By what users follow records of an entity, besides what is stored. */
export type FollowedBy = {
  readonly entityKey: string
  /** Paths that end at a user. */
  readonly paths: readonly string[]
  /** Whether those follow who have done something to the record. */
  readonly isByActing: boolean
}

export const followedBy = (entity: Entity): FollowedBy => {
  const settings = commentSettings(entity)
  return {
    entityKey: entity.key,
    paths: settings?.paths ?? [],
    isByActing: settings?.byDoing.has('$actor') === true,
  }
}

type OfEntity = Pick<FollowedBy, 'entityKey'>

const hasLeft = ({ entityKey }: OfEntity, record: Sql, user: Sql): Sql => sql`EXISTS (
  SELECT FROM docket.follower l
  WHERE l.entity_key = ${text(entityKey)} AND l.entity_id = ${record} AND l.user_id = ${user}
    AND l.left_at IS NOT NULL
)`

/** Entries `h` of users who have done something to a record, and have not left it. */
const acted = (entity: OfEntity, record: Sql): Sql => sql`
  docket.history h
  WHERE h.entity_key = ${text(entity.entityKey)} AND h.entity_id = ${record} AND h.part_id IS NULL
    AND h.user_id IS NOT NULL AND NOT ${hasLeft(entity, record, sql`h.user_id`)}`

/** The followers of the record of a page `p` after its last user, for the union of all whom a rule names. */
export const followersAfterLast = (by: FollowedBy, most: number): Sql => {
  const record = sql`p."entityId"`
  const stored = sql`
    UNION
    (SELECT w.user_id
    FROM docket.follower w
    WHERE w.entity_key = ${text(by.entityKey)} AND w.entity_id = ${record} AND w.left_at IS NULL
      AND w.at <= p.at + interval '1 millisecond' AND w.user_id > p.last
    ORDER BY w.user_id
    LIMIT ${int(most)})`
  const named = sql`
    UNION
    SELECT DISTINCT f.user_id
    FROM unnest(p."followedUsers") f(user_id)
    WHERE f.user_id > p.last AND NOT ${hasLeft(by, record, sql`f.user_id`)}`
  const active = sql`
    UNION
    (SELECT DISTINCT h.user_id
    FROM ${acted(by, record)} AND h.user_id > p.last
    ORDER BY h.user_id
    LIMIT ${int(most)})`
  return sql`${stored}${named}${by.isByActing ? active : nothing}`
}

/** Why a user follows; the first one that applies is the strongest. */
export const followReasons = ['chosen', 'named', 'mentioned', 'commented', 'acted'] as const
type FollowReason = (typeof followReasons)[number]

type Follower = {
  readonly reason: FollowReason
  /** Since when, of those that are stored. */
  readonly at: string | null
}

// Of one record; the page of a record shows some of them.
const maxFollowers = 1_000

/** Those of some users who follow a record, or the first of all, each with the strongest reason. */
export const findFollowers = async (
  deps: Pick<FollowerDeps, 'catalog' | 'timeZone'> & { readonly pool: Queryable },
  entity: Entity,
  id: number,
  among?: readonly number[],
): Promise<ReadonlyMap<number, Follower>> => {
  const by = followedBy(entity)
  const record = int(id)
  const [values] =
    by.paths.length === 0
      ? []
      : await loadPaths(deps.pool, {
          ...deps,
          entity,
          where: idIn([id]),
          paths: ['id', ...by.paths],
        })
  const named = by.paths.map((path) => values?.get(path)).filter((one) => typeof one === 'number')
  const isAmong = (user: Sql) => (among ? sql`${user} = ANY (${ints(among)})` : sql`true`)
  const rows = await queryRows<Follower & { readonly user_id: number }>(
    deps.pool,
    sql`
SELECT DISTINCT ON (f.user_id) f.user_id, f.reason, ${isoTime('f.at')} AS at
FROM (
  SELECT w.user_id, w.reason, w.at
  FROM docket.follower w
  WHERE w.entity_key = ${text(entity.key)} AND w.entity_id = ${record} AND w.left_at IS NULL
  UNION ALL
  SELECT n.user_id, 'named', NULL
  FROM unnest(${ints(named)}) n(user_id)
  WHERE NOT ${hasLeft(by, record, sql`n.user_id`)}
  ${
    by.isByActing
      ? sql`
  UNION ALL
  SELECT h.user_id, 'acted', NULL FROM ${acted(by, record)}`
      : nothing
  }
) f
WHERE ${isAmong(sql`f.user_id`)}
ORDER BY f.user_id, array_position(${texts(followReasons)}, f.reason)
LIMIT ${int(maxFollowers)}`,
  )
  return new Map(rows.map(({ user_id, reason, at }) => [user_id, { reason, at }]))
}

const follower = component(
  'Follower',
  objectOf({
    id: { type: 'integer' },
    full_name: {
      type: ['string', 'null'],
      description: 'Null for callers who may not read the user.',
    },
    reason: {
      type: 'string',
      enum: followReasons,
      description:
        'The strongest: `chosen`: by their own choice; `named`: a field of the record names them; `mentioned`, `commented`: in its comments; `acted`: they have done something to it.',
    },
    at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Since when, if it is known.',
    },
  }),
)
export type ShownFollower = ValueOf<typeof follower>

/** GET /<entity>/<id>/follow. */
export const followersEndpoint = entityEndpoint({
  verb: 'followers',
  method: 'get',
  path: '/{entityId}/follow',
  right: 'read',
  refuse: refuseWithout,
  summary: (entity) => `Who follows a record of ${quoted(entity)}`,
  params: recordParams,
  answers: () => ({
    200: json(
      'The first 1,000 of them; those who may not read the record are notified of nothing.',
      objectOf({
        is_following: { type: 'boolean', description: 'Whether the caller follows it.' },
        data: { type: 'array', items: follower },
      }),
    ),
  }),
  handle: async ({ caller, entity, scope, params }, deps: FollowerDeps) => {
    const id = params.entityId
    const readable = compileScope(scope, entity.hasOwner, 't')
    const found = await queryRows(
      deps.pool,
      sql`SELECT FROM ${table(entity)} t WHERE t.id = ${int(id)} AND NOT t._is_deleted AND ${readable}`,
    )
    if (found.length === 0) throw unknownRecord(entity, id)
    const followers = await findFollowers(deps, entity, id)
    const own = await findFollowers(deps, entity, id, [caller.userId])
    return { is_following: own.size > 0, data: await nameFollowers(deps, caller, followers) }
  },
})

const nameFollowers = async (
  { pool, catalog, permissions }: FollowerDeps,
  caller: Caller,
  followers: ReadonlyMap<number, Follower>,
): Promise<readonly ShownFollower[]> => {
  const reader = { people: getEntity(catalog, 'user'), access: permissions.accessOf(caller) }
  const rows = await queryRows<{ readonly id: number; readonly full_name: string | null }>(
    pool,
    sql`
SELECT u.id, CASE WHEN ${mayBeNamed(reader, 'u')} THEN u.full_name END AS full_name
FROM ${table('user')} u
WHERE u.id = ANY (${ints([...followers.keys()])}) AND NOT u._is_deleted
ORDER BY full_name, u.id`,
  )
  return rows.flatMap(({ id, full_name }) => {
    const known = followers.get(id)
    return known ? [{ id, full_name, ...known }] : []
  })
}
