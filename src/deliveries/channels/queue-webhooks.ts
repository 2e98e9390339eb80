/** Queues a request to the webhook of a rule for each recipient. */
import { smallBatch } from '../../database/batcher.ts'
import { type Queryable, queryOnce, queryRows } from '../../database/pool.ts'
import { bound, json, sql } from '../../database/sql.ts'
import type { OutgoingEvent, Skipped } from '../channel.ts'

/** Nobody is left out: a webhook goes to a system, so recipients need no address and turn nothing off. */
export const queueWebhooks = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<Skipped[]> => {
  const rows = events.map(({ event: { id, rule }, rule: { webhook } }, ord) => ({
    ...{ ord, event: id, entry: rule, target: webhook },
  }))
  const userIds = events.flatMap((one) => one.userIds)
  const notificationIds = events.flatMap((one) => one.notificationIds)
  const ords = events.flatMap((one, ord) => one.userIds.map(() => ord))
  const statement = sql`
INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, target)
SELECT 'webhook', m.id, r.user_id, r.notification_id, e.target
FROM json_to_recordset(${json(rows)}) AS e(ord integer, event text, entry text, target text)
JOIN docket.mailing m ON m.event = e.event AND m.entry = e.entry
JOIN unnest(
  ${bound(ords, 'integer[]')}, ${bound(userIds, 'integer[]')}, ${bound(notificationIds, 'uuid[]')}
) AS r(ord, user_id, notification_id) ON r.ord = e.ord
ORDER BY m.id, r.user_id
ON CONFLICT DO NOTHING`
  // A plan made for ten recipients is no plan for ten thousand.
  await (userIds.length > smallBatch ? queryOnce : queryRows)(connection, statement)
  return []
}
