/** Tells every process whose notifications have changed, so that it looks at those of its open streams. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import { bound, int, join, raw, type Sql, sql, text } from '../../database/sql.ts'
import { changedTopic } from './notification.ts'

// A payload holds 8,000 bytes; past so many users every process looks at all of its own.
const maxNamed = 500

/**
 * Also where an earlier attempt has stored them; `others` are sent along. After the commit and not within:
 * a transaction that notifies holds up every other such one until it is on the disk, while one that does
 * nothing else has nothing to write.
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

/** Aggregate over the users of a column that tells every process of them, where there are any. */
export const notifyChanged = (userId: string): Sql => sql`
CASE WHEN count(*) > 0 THEN pg_notify(
  ${text(changedTopic)},
  CASE WHEN count(*) > ${int(maxNamed)} THEN '*' ELSE string_agg(${raw(userId)}::text, ',') END
) END AS notified`
