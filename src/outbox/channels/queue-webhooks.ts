/** Queues a request to the webhook of a rule for each recipient. */
import type { Queryable } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { OutgoingEvent, Skipped } from '../channel.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'

/** Nobody is skipped: a webhook goes to a system, so recipients need no address and have no preference. */
export const queueWebhooks = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<Skipped[]> => {
  const statement = sql`
INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, target)
SELECT 'webhook', m.id, r.user_id, r.notification_id, e.target
FROM ${outgoingRecipients(events, ({ webhook }) => webhook)}
ORDER BY m.id, r.user_id
ON CONFLICT DO NOTHING`
  await queryForRecipients(connection, events, statement)
  return []
}
