/** The peer of an event that notifies everyone: PostgreSQL writes the same rows, in transactions of the same size. */
import { pageSize } from '../../src/notify/recipients.ts'
import { timed } from '../figures.ts'
import { memberCount } from './fill.ts'
import type { Measured } from './measured.ts'

/** Seconds for the rows of the last event once more: notifications, e-mails and counters, of one connection. */
export const insertBare = async ({ pool, members }: Measured): Promise<number> => {
  const { rows } = await pool.query<{ mailing: string; content: string }>(
    `WITH mailing AS (
       INSERT INTO docket.mailing (event, entry, entity_key, entity_id, operation, data, wished)
       SELECT gen_random_uuid(), entry, entity_key, entity_id, operation, data, wished
       FROM docket.mailing ORDER BY id DESC LIMIT 1 RETURNING id
     ), example AS (
       SELECT content FROM docket.notification WHERE user_id = $1 ORDER BY _id DESC LIMIT 1
     ) SELECT mailing.id AS mailing, example.content::text AS content FROM mailing, example`,
    [members.last],
  )
  const { mailing, content } = rows[0] ?? {}
  // One statement is one transaction.
  const insert = (from: number) =>
    pool.query(
      `WITH stored AS (
         INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
         SELECT uuidv7(), date_trunc('milliseconds', now()), n, 1, 'announcement', $3::json
         FROM generate_series($1::integer, $2::integer) n RETURNING _id, user_id
       ), queued AS (
         INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id)
         SELECT 'email', $4, user_id, _id FROM stored
       ) UPDATE docket.notification_count SET total = total + 1, unseen = unseen + 1, last_at = now()
       WHERE user_id BETWEEN $1 AND $2`,
      [from, from + pageSize - 1, content, mailing],
    )
  const ms = await timed(async () => {
    for (let done = 0; done < memberCount; done += pageSize) await insert(members.first + done)
  })
  return ms / 1000
}
