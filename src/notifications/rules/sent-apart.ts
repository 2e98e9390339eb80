/** Who was notified of what happened to a record, where notifications are on servers of their own. */
import { type Feeds, isApart } from '../../database/feeds/feeds.ts'
import { type Pool, queryOnce, queryRows } from '../../database/pool.ts'
import { bound, type Sql, sql } from '../../database/sql.ts'
import {
  listSentHere,
  newestEntries,
  type SentRow,
  selectSent,
  toldAbout,
  type Wanted,
} from './sent-store.ts'

/** The newest entries of which somebody was notified. */
export const listSent = (records: Pool, feeds: Feeds, wanted: Wanted): Promise<SentRow[]> =>
  feeds.all.some(isApart) ? listSentApart(records, feeds, wanted) : listSentHere(records, wanted)

// Of so many entries at a time it is read who was told.
const entriesAtOnce = 20

/** In three steps: entries of the history, who was told of them on each server, and the names of these. */
const listSentApart = async (records: Pool, feeds: Feeds, wanted: Wanted): Promise<SentRow[]> => {
  const entries = await queryRows<{ entry: string }>(
    records,
    sql`
SELECT json_build_object('id', h.id, 'operation', h.operation, 'at', h.at, 'action', h.action) AS entry
FROM ${newestEntries(wanted)} h
ORDER BY h.id DESC`,
  )
  const found: SentRow[] = []
  for (let from = 0; from < entries.length && found.length < wanted.limit; from += entriesAtOnce) {
    const some = entries.slice(from, from + entriesAtOnce).map(({ entry }) => entry)
    const history = entriesOf(some)
    const told = await Promise.all(feeds.all.map((feed) => readTold(feed, history, wanted)))
    const limit = wanted.limit - found.length
    const given = { history, told: toldOf(told.flat()) }
    found.push(...(await selectSent(records, { ...wanted, limit }, given)))
  }
  return found
}

const entriesOf = (entries: readonly string[]): Sql => sql`(
  SELECT *
  FROM json_to_recordset(${bound(`[${entries.join(',')}]`, 'json')}) AS given(
    id bigint, operation text, at timestamptz, action json
  )
)`

type Told = {
  readonly history_id: number
  readonly user_id: number
  readonly channel: string
  readonly at: string | null
}

/** Of each entry as many as are counted, and one more. */
const readTold = (feed: Pool, history: Sql, wanted: Wanted): Promise<Told[]> =>
  queryOnce<Told>(
    feed,
    sql`
SELECT h.id AS history_id, told.user_id, told.channel, told.at
FROM ${history} h
CROSS JOIN LATERAL (${toldAbout(wanted)}) told`,
  )

const toldOf = (told: readonly Told[]): Sql => {
  const ids = (column: 'history_id' | 'user_id', type: string) =>
    bound(
      told.map((one) => one[column]),
      type,
    )
  const channels = bound(
    told.map(({ channel }) => channel),
    'text[]',
  )
  const times = bound(
    told.map(({ at }) => at),
    'timestamptz[]',
  )
  return sql`
    SELECT t.user_id, t.channel, t.at
    FROM unnest(${ids('history_id', 'bigint[]')}, ${ids('user_id', 'integer[]')}, ${channels}, ${times})
      AS t(history_id, user_id, channel, at)
    WHERE t.history_id = h.id`
}
