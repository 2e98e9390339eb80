/**
 * Writes the e-mails of mailings, in the statement that stores their notifications: parts of its WITH,
 * which read what it calls `occasion`, `told` and `given`.
 */
import { bound, raw, type Sql, sql, tableName } from '../database/sql.ts'
import { enqueue } from '../jobs/enqueue.ts'
import { attachDocuments, type Mailing, queuedChannel } from './delivery.ts'

/** The columns of a mailing, as `occasion` is to have them beside its `data`; null where nothing is mailed. */
export const mailingColumns = 'operation text, template_id text, wished json, mailing_state text'

/** Values of these columns. */
export const mailingRow = (mailing: Mailing): object => {
  const { operation, templateId, wished } = mailing
  const { printableDocuments, documentFunctions } = wished
  const isWaiting = printableDocuments.length + documentFunctions.length > 0
  const mailing_state = isWaiting ? 'waiting' : 'ready'
  return { operation, template_id: templateId, wished, mailing_state }
}

const job = enqueue({
  kind: attachDocuments,
  payload: raw(`json_build_object('mailing_id', o.id)`),
})

/**
 * `opened` is the mailing of each occasion, locked until the commit: what else is to be done once
 * refers to it. A later try finds the one that is there, and makes no second job of its attachments.
 */
export const opening: Sql = sql`opened AS (
  INSERT INTO docket.mailing AS m (event, entry, entity_key, entity_id, operation, template_id, data, wished, state)
  SELECT event, entry, entity_key, entity_id, operation, template_id, data, wished, mailing_state FROM occasion
  WHERE operation IS NOT NULL ORDER BY event, entry
  ON CONFLICT (event, entry) DO UPDATE SET event = m.event
  RETURNING m.id, m.event, m.entry, m.state, m.xmax = 0 AS is_new
), attaching AS (
  SELECT ${job} AS job FROM opened o WHERE o.is_new AND o.state = 'waiting'
)`

// Those of a mailing that waits for its attachments become due when these are made.
const due = raw(`CASE t.mailing_state WHEN 'waiting' THEN 'infinity' ELSE now() END`)

const refuses = raw(
  'EXISTS (SELECT FROM docket.email_preference p WHERE p.user_id = n.id AND p.entity_key = t.entity_key AND p.operation = t.operation)',
)

/** One delivery per person who has an address and wants e-mails of this kind, however often it runs. */
export const queueing: Sql = sql`named AS MATERIALIZED (
  SELECT g.ord, g._id, u.id, u.email FROM given g JOIN ${raw(tableName('user'))} u ON u.id = g.user_id WHERE g.mailing_id IS NOT NULL
), queued AS (
  INSERT INTO docket.delivery (mailing_id, user_id, notification_id, due_at)
  SELECT t.mailing_id, n.id, n._id, ${due} FROM named n JOIN told t ON t.ord = n.ord
  WHERE coalesce(n.email, '') <> '' AND NOT ${refuses} ORDER BY t.mailing_id, n.id
  ON CONFLICT DO NOTHING
)`

/**
 * Of the select list, for each occasion `o`: ids, as the text of a JSON array, of who has no address
 * and is told in the service only. Without it PostgreSQL leaves the jobs of the attachments out.
 */
export const queueingOutcome = raw(
  `to_json(ARRAY(SELECT n.id FROM named n WHERE n.ord = o.ord AND coalesce(n.email, '') = '' ORDER BY n.id))::text AS unreachable, (SELECT count(job) FROM attaching) AS jobs`,
)

/** Expression that tells sending processes of what is queued. */
export const wakingSenders = sql`pg_notify(${bound(queuedChannel, 'text')}, '')`
