/** Queues an e-mail for each recipient who has an address and has not turned such e-mails off. */
import type { Queryable } from '../../database/pool.ts'
import { sql, table } from '../../database/sql.ts'
import type { OutgoingEvent, Skipped } from '../channel.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'

type Row = { readonly ord: number; readonly user_id: number }

/**
 * Returns who has no address. Deliveries of a mailing that waits for its attachments become due with them.
 */
export const queueEmails = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<Skipped[]> => {
  const statement = sql`
WITH recipient AS MATERIALIZED (
  SELECT
    r.ord, m.id AS mailing_id, m.state, m.entity_key, m.operation,
    u.id AS user_id, coalesce(u.email, '') AS address, r.notification_id
  FROM ${outgoingRecipients(events)}
  JOIN ${table('user')} u ON u.id = r.user_id
), queued AS (
  INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, due_at)
  SELECT 'email', r.mailing_id, r.user_id, r.notification_id,
    CASE r.state WHEN 'waiting' THEN 'infinity' ELSE now() END
  FROM recipient r
  WHERE r.address <> '' AND NOT EXISTS (
    SELECT FROM docket.delivery_preference p
    WHERE p.user_id = r.user_id AND p.channel = 'email'
      AND p.entity_key = r.entity_key AND p.operation = r.operation
  )
  ORDER BY r.mailing_id, r.user_id
  ON CONFLICT DO NOTHING
)
SELECT r.ord, r.user_id
FROM recipient r
WHERE r.address = ''
ORDER BY r.ord, r.user_id`
  const withoutAddress = await queryForRecipients<Row>(connection, events, statement)
  return withoutAddress.flatMap(({ ord, user_id: userId }) => {
    const of = events[ord]
    return of ? [{ of, userId, reason: 'has no e-mail address' }] : []
  })
}
