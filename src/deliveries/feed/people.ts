/**
 * The people that statements about deliveries join. In the database of the records these are its tables; a server of the feed has
 * none, so its statements join rows that were read of the tables before. The statements are the same.
 */
import { isApart } from '../../database/feeds/feeds.ts'
import { type Pool, queryOnce, queryRow } from '../../database/pool.ts'
import { bigint, bound, raw, type Sql, sql, table } from '../../database/sql.ts'

export type People = {
  /** In FROM, before an alias: columns of the entity user. */
  readonly users: Sql
  /** In FROM, before an alias: columns of the entity security_role. */
  readonly roles: Sql
  /** In FROM, before an alias: what users have turned off. */
  readonly preferences: Sql
}

/** The tables, for statements in the database of the records. */
export const peopleTables: People = {
  users: table('user'),
  roles: table('security_role'),
  preferences: sql`docket.delivery_preference`,
}

/** The people of statements about these users. */
export const readPeople = async (feed: Pool, userIds: readonly number[]): Promise<People> => {
  if (!isApart(feed)) return peopleTables
  const [row] = await queryOnce<Record<'users' | 'roles' | 'preferences', string>>(
    feed.records,
    sql`
WITH found AS (
  SELECT id, email, full_name, is_active, is_blocked, _is_deleted, security_role_id
  FROM ${table('user')}
  WHERE id = ANY (${bound(userIds, 'integer[]')})
)
SELECT (SELECT coalesce(json_agg(f), '[]') FROM found f) AS users, (
  SELECT coalesce(json_agg(json_build_object('id', r.id, 'key', r.key, '_is_deleted', r._is_deleted)), '[]')
  FROM ${table('security_role')} r
  WHERE r.id IN (SELECT security_role_id FROM found)
) AS roles, (
  SELECT coalesce(json_agg(p), '[]')
  FROM docket.delivery_preference p
  WHERE p.user_id IN (SELECT id FROM found)
) AS preferences`,
  )
  return {
    users: rowsOf(
      row?.users,
      'id integer, email text, full_name text, is_active boolean, is_blocked boolean, _is_deleted boolean, security_role_id integer',
    ),
    roles: rowsOf(row?.roles, 'id integer, key text, _is_deleted boolean'),
    preferences: rowsOf(
      row?.preferences,
      'user_id integer, entity_key text, operation text, channel text',
    ),
  }
}

/** The people of a statement about one delivery. */
export const readRecipient = async (feed: Pool, deliveryId: number): Promise<People> => {
  if (!isApart(feed)) return peopleTables
  const row = await queryRow<{ user_id: number }>(
    feed,
    sql`SELECT user_id FROM docket.delivery WHERE id = ${bigint(deliveryId)}`,
  )
  return readPeople(feed, row ? [row.user_id] : [])
}

/** Rows that were read, as a table in FROM. */
export const rowsOf = (rows = '[]', columns: string): Sql =>
  sql`(SELECT * FROM json_to_recordset(${bound(rows, 'json')}) AS given(${raw(columns)}))`
