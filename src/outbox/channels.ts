/**
 * The channels besides the inbox, each a row: a file in channels/, and its name and properties of a rule in
 * definitions/schemas/notification-rule.ts.
 */
import { removeOldRows } from '../database/old-rows.ts'
import { execute, type Pool, type Queryable, queryRows } from '../database/pool.ts'
import { bound, json, sql } from '../database/sql.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { enqueue, jobsIn } from '../jobs/job.ts'
import type { Channel, ChannelOptions, ComposeMessage, OutgoingEvent, Skipped } from './channel.ts'
import { emailChannel } from './channels/email.ts'
import { slackChannel, teamsChannel } from './channels/rooms.ts'
import { webhookChannel } from './channels/webhook.ts'
import { attachDocuments } from './delivery.ts'

const byName: Readonly<Record<ChannelName, Channel>> = {
  email: emailChannel,
  webhook: webhookChannel,
  slack: slackChannel,
  teams: teamsChannel,
}

export const channels: readonly Channel[] = Object.values(byName)

/** Whether a channel sends one message for all recipients of a rule. */
export const isSentTogether = (rule: OutgoingEvent['rule']): boolean =>
  channels.some((channel) => channel.sendsTo === 'together' && channel.wants(rule))

/**
 * Queues the deliveries of events in all channels that send to each recipient, in the transaction that stores
 * their notifications, or in those that send one message for all, when all are notified; returns who gets nothing, and why.
 */
export const queueDeliveries = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
  sendsTo: Channel['sendsTo'] = 'each',
): Promise<readonly Skipped[]> => {
  const used = channels.filter((channel) => channel.sendsTo === sendsTo)
  const wanted = events.filter(({ rule }) => used.some((channel) => channel.wants(rule)))
  if (wanted.length === 0) return []
  await storeMailings(connection, wanted)
  const skipped: Skipped[] = []
  for (const channel of used) {
    const own = wanted.filter(({ rule }) => channel.wants(rule))
    if (own.length > 0) skipped.push(...(await channel.queue(connection, own)))
  }
  return skipped
}

/** What composes the messages that a channel would send now, in the process that answers. */
export type Composers = (channel: ChannelName) => Promise<ComposeMessage>

/** Opens each channel at its first use, because few processes are asked. */
export const createComposers = (options: ChannelOptions): Composers => {
  const opened = new Map<ChannelName, Promise<ComposeMessage>>()
  return (name) => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const channel = channels.find((one) => one.name === name)
    if (!channel) throw new Error(`There is no channel ${name}.`)
    const opening = channel.openPreview(options)
    opened.set(name, opening)
    opening.catch(() => opened.delete(name))
    return opening
  }
}

/**
 * Stores mailings, with the jobs that create their attachments. A later attempt, or another batch of recipients, finds the existing
 * ones and enqueues no second job. Who queues their deliveries locks them (channels/outgoing-recipients.ts).
 */
const storeMailings = async (
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
