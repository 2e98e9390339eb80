/** Notifies every process whose notifications have changed, so that it updates its open streams. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import { bound, int, join, raw, type Sql, sql, text } from '../../database/sql.ts'
import { changedTopic } from './notification.ts'

// A payload has at most 8,000 bytes; beyond so many users every process updates all of its streams.
const maxNamed = 500

/**
 * Also if an earlier attempt has stored them; `others` are added. After the commit and not within: a
 * transaction that notifies blocks every other one that does, until it is on the disk, while a transaction
 * that only notifies has nothing to write.
 */
export const notifyStreams = async (
  database: Queryable,
  userIds: readonly number[],
  ...others: readonly Sql[]
): Promise<void> => {
  if (userIds.length === 0) return
  const streams = sql`(SELECT ${notifyChanged('u')} FROM unnest(${bound(userIds, 'integer[]')}) u)`
  await queryRows(database, sql`SELECT ${join([streams, ...others], ', ')}`)
}

/** Aggregate over the users of a column that notifies every process, if there are any. */
export const notifyChanged = (userId: string): Sql => sql`
CASE WHEN count(*) > 0 THEN pg_notify(
  ${text(changedTopic)},
  CASE WHEN count(*) > ${int(maxNamed)} THEN '*' ELSE string_agg(${raw(userId)}::text, ',') END
) END AS notified`
