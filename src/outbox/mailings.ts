/** Mailings, what all deliveries of an event share: each is stored once, and removed when it is old. */
import { removeOldRows } from '../database/old-rows.ts'
import { execute, type Pool, type Queryable, queryRows } from '../database/pool.ts'
import { bound, json, sql } from '../database/sql.ts'
import { enqueue, jobsIn } from '../jobs/job.ts'
import type { OutgoingEvent } from './channel.ts'
import { attachDocuments } from './delivery.ts'

/**
 * Stores mailings, with the jobs that create their attachments. A later attempt, or another batch of recipients, finds the existing
 * ones and enqueues no second job. Who queues their deliveries locks them (channels/outgoing-recipients.ts).
 */
export const storeMailings = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<void> => {
  // Separate parameters, because values inside JSON are read as text, which cannot contain NUL.
  const data = bound(
    events.map((one) => JSON.stringify(one.data)),
    'json[]',
  )
  const job = enqueue({
    kind: attachDocuments,
    payload: sql`json_build_object('mailing_id', s.id)`,
  })
  await queryRows(
    connection,
    sql`
WITH event AS MATERIALIZED (
  SELECT e.*, d.data
  FROM json_to_recordset(${json(events.map(rowOf))}) AS e(
    event text, entry text, entity_key text, entity_id integer, operation text,
    template_id text, wished json, state text, happened_at timestamptz(3),
    history_id bigint, place bigint
  )
  JOIN unnest(${data}) WITH ORDINALITY AS d(data, place) ON d.place = e.place
), stored AS (
  INSERT INTO docket.mailing
    (event, entry, entity_key, entity_id, operation, template_id, data, wished, state, happened_at, history_id)
  SELECT event, entry, entity_key, entity_id, operation, template_id, data, wished, state, happened_at, history_id
  FROM event
  ORDER BY event, entry
  ON CONFLICT (event, entry) DO NOTHING
  RETURNING id, state
)
SELECT ${jobsIn(sql`count(${job})`, 'jobs')}
FROM stored s
WHERE s.state = 'waiting'`,
  )
}

const rowOf = ({ event, operation, rule }: OutgoingEvent, index: number): object => {
  const { emailTemplateId, webhookBody, attachments = {} } = rule
  const { printableDocuments = [], documentFunctions = [], files = [] } = attachments
  const requested = { printableDocuments, documentFunctions, files }
  const isWaiting = Object.values(requested).some((names) => names.length > 0)
  return {
    event: event.id,
    entry: event.rule,
    entity_key: event.entityKey,
    entity_id: event.entityId,
    operation,
    template_id: emailTemplateId,
    // The trace and the body are stored with the requested attachments, because all are read when a delivery is sent.
    wished: { ...requested, traceparent: event.traceparent, webhookBody },
    state: isWaiting ? 'waiting' : 'ready',
    happened_at: event.at,
    history_id: event.historyId,
    place: index + 1,
  }
}

/** Removes mailings older than so many days, and attachments without a reference. */
export const removeOldMailings = async (pool: Pool, days: number): Promise<void> => {
  await removeOldRows(pool, 'mailing', days)
  // An attachment that is being stored is younger than an hour.
  await execute(
    pool,
    sql`
DELETE FROM docket.attachment_data d
WHERE d.created_at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT FROM docket.attachment a WHERE a.hash = d.hash)`,
  )
}
