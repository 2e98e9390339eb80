/** The channel on which every process learns whose notifications have changed, so that it updates its open streams. */
import { raw, type SignalChannel, type Sql, signalled, sql } from '../database/sql.ts'

// A payload has at most 8,000 bytes; beyond so many users every process updates all of its streams.
const maxNamed = 500

/** Its values are ids of users, several with commas between them; the payload `*` is everybody. */
export const changedChannel: SignalChannel = {
  name: 'docket_notification',
  payloadOf: (values) => {
    const userIds = new Set(values.flatMap((ids) => String(ids).split(',')))
    return userIds.size > maxNamed ? '*' : [...userIds].join(',')
  },
}

/** The column `notified` over the users of a column: their streams are updated after the commit. */
export const changedUsers = (userId: string): Sql =>
  signalled(changedChannel, sql`string_agg(DISTINCT ${raw(userId)}::text, ',')`, 'notified')
