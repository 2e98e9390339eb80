/**
 * What lists of deliveries show beside them: names and addresses of people, and entries of the history. These are tables in the
 * database of the records, and rows that were read of them before for a server of the feed.
 */
import { isApart } from '../../database/feeds/feeds.ts'
import { type Pool, queryOnce } from '../../database/pool.ts'
import { bound, raw, type Sql, sql, table } from '../../database/sql.ts'
import { readPeople, rowsOf } from './people.ts'

export type Beside = {
  /** In FROM, before an alias: columns of the entity user. */
  readonly users: Sql
  /** In FROM, before an alias: columns of the history. */
  readonly history: Sql
}

/** The tables, for statements in the database of the records. */
export const tables: Beside = { users: table('user'), history: sql`docket.history` }

/** In FROM, before an alias: the addresses of the users of deliveries `d` that are not sent. */
export const addressesIn = (feed: Pool): Sql =>
  isApart(feed) ? sql`LATERAL (SELECT d.user_id AS id, d.address AS email)` : tables.users

type About = { readonly user_id: number }

const aboutColumns = 'entity_key text, entity_id integer, operation text, happened_at timestamptz'
const historyColumns =
  'id bigint, entity_key text, entity_id integer, operation text, at timestamptz, user_id integer, acting_user_id integer'

/** What a statement about these deliveries shows beside them. */
export const readBeside = async (feed: Pool, deliveryIds: readonly number[]): Promise<Beside> => {
  if (!isApart(feed)) return tables
  const about = await queryOnce<About & { readonly about: string }>(
    feed,
    sql`
SELECT d.user_id, json_build_object('entity_key', m.entity_key, 'entity_id', m.entity_id, 'operation', m.operation,
  'happened_at', m.happened_at) AS about
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
WHERE d.id = ANY (${bound(deliveryIds, 'bigint[]')})`,
  )
  const given = `[${[...new Set(about.map((one) => one.about))].join(',')}]`
  const millisecond = sql`interval '1 millisecond'`
  const [row] = await queryOnce<{ history: string; actors: string | null; acting: string | null }>(
    feed.records,
    sql`
SELECT coalesce(json_agg(json_build_object('id', h.id, 'entity_key', h.entity_key, 'entity_id', h.entity_id,
  'operation', h.operation, 'at', h.at, 'user_id', h.user_id, 'acting_user_id', h.acting_user_id)), '[]') AS history,
  json_agg(h.user_id) AS actors, json_agg(h.acting_user_id) AS acting
FROM json_to_recordset(${bound(given, 'json')}) AS m(${raw(aboutColumns)})
JOIN docket.history h ON h.entity_key = m.entity_key AND h.entity_id = m.entity_id AND h.operation = m.operation
  AND h.at BETWEEN m.happened_at - ${millisecond} AND m.happened_at + ${millisecond}`,
  )
  const actors: (number | null)[] = [row?.actors, row?.acting].flatMap((text) =>
    JSON.parse(text ?? '[]'),
  )
  const ids = [...about.map((one) => one.user_id), ...actors.filter((id) => id !== null)]
  const { users } = await readPeople(feed, [...new Set(ids)])
  return { users, history: rowsOf(row?.history, historyColumns) }
}
