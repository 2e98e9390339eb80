/** Writes the e-mails of a mailing, in the statement that stores its notifications. */
import { bound, raw, type Sql, sql, tableName } from '../database/sql.ts'
import { enqueue } from '../jobs/enqueue.ts'
import { attachDocuments, type Mailing, queuedChannel } from './delivery.ts'

/**
 * Parts of a WITH that queue one delivery per person who has an address and wants e-mails of this
 * kind, however often they run; `at` is when the event happened, from which the ids of its
 * notifications are derived. Put `queueingOutcome` into the select list, or PostgreSQL leaves the job
 * of the attachments out, and wake the senders when it is committed.
 *
 * `opened` is the mailing, locked until the commit: what else is to be done once refers to it.
 */
export const queueing = (
  mailing: Mailing,
  { at, userIds }: { readonly at: string; readonly userIds: readonly number[] },
): Sql => {
  const { event, entry, entityKey, operation } = mailing
  const users = sql`SELECT u.id, u.email FROM ${raw(tableName('user'))} u WHERE u.id = ANY (${bound(userIds, 'integer[]')})`
  const notificationId = sql`docket.notification_id(${bound(at, 'timestamptz')}, ${bound(event, 'text')}, ${bound(entry, 'text')}, u.id)`
  const refuses = sql`EXISTS (SELECT FROM docket.email_preference p WHERE p.user_id = u.id AND p.entity_key = ${bound(entityKey, 'text')} AND p.operation = ${bound(operation, 'text')})`
  const job = enqueue({
    kind: attachDocuments,
    payload: raw(`json_build_object('mailing_id', o.id)`),
  })
  return sql`opened AS (
  ${opening(mailing)}
), attaching AS (
  SELECT ${job} AS job FROM opened o WHERE o.is_new AND o.state = 'waiting'
), named AS MATERIALIZED (
  ${users}
), queued AS (
  INSERT INTO docket.delivery (mailing_id, user_id, notification_id, due_at)
  SELECT o.id, u.id, ${notificationId}, ${due} FROM named u CROSS JOIN opened o
  WHERE coalesce(u.email, '') <> '' AND NOT ${refuses} ORDER BY u.id
  ON CONFLICT DO NOTHING
)`
}

/** Of the select list: ids, as the text of a JSON array, of who has no address and is told in the service only. */
export const queueingOutcome = raw(
  `to_json(ARRAY(SELECT id FROM named WHERE coalesce(email, '') = '' ORDER BY id))::text AS unreachable, (SELECT count(job) FROM attaching) AS jobs`,
)

/** Expression that tells sending processes of what is queued. */
export const wakingSenders = sql`pg_notify(${bound(queuedChannel, 'text')}, '')`

// Those of a mailing that waits for its attachments become due when these are made.
const due = raw(`CASE o.state WHEN 'waiting' THEN 'infinity' ELSE now() END`)

/** The mailing of an event and entry; a later try finds the one that is there. */
const opening = (mailing: Mailing): Sql => {
  const { event, entry, entityKey, entityId, operation, templateId, data, wished } = mailing
  const { printableDocuments, documentFunctions } = wished
  const state = printableDocuments.length + documentFunctions.length > 0 ? 'waiting' : 'ready'
  const json = (value: object): Sql => bound(JSON.stringify(value), 'json')
  return sql`INSERT INTO docket.mailing AS m (event, entry, entity_key, entity_id, operation, template_id, data, wished, state)
  VALUES (${bound(event, 'text')}, ${bound(entry, 'text')}, ${bound(entityKey, 'text')}, ${bound(entityId, 'integer')}, ${bound(operation, 'text')}, ${bound(templateId ?? null, 'text')}, ${json(data)}, ${json(wished)}, ${bound(state, 'text')})
  ON CONFLICT (event, entry) DO UPDATE SET event = m.event
  RETURNING m.id, m.state, m.xmax = 0 AS is_new`
}
