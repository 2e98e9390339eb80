/** Writes the e-mails of a mailing, in the transaction that stores its notifications. */
import { type Connection, queryRows } from '../database/pool.ts'
import { bound, raw, type Sql, sql, tableName, toStatement } from '../database/sql.ts'
import { enqueue } from '../jobs/enqueue.ts'
import { attachDocuments, type Mailing, queuedChannel } from './delivery.ts'

/**
 * One delivery per person who has an address and wants e-mails of this kind, however often it is
 * tried; `at` is when the event happened, from which the ids of its notifications are derived.
 * Answers who has no address, and is told in the service only.
 */
export const queueDeliveries = async (
  connection: Connection,
  mailing: Mailing,
  { at, userIds }: { readonly at: string; readonly userIds: readonly number[] },
): Promise<number[]> => {
  const { id: mailingId, state } = await openMailing(connection, mailing)
  const users = sql`(SELECT u.id, u.email FROM ${raw(tableName('user'))} u WHERE u.id = ANY (${bound(userIds, 'integer[]')}))`
  const { event, entry, entityKey, operation } = mailing
  const notificationId = sql`docket.notification_id(${bound(at, 'timestamptz')}, ${bound(event, 'text')}, ${bound(entry, 'text')}, u.id)`
  const refuses = sql`EXISTS (SELECT FROM docket.email_preference p WHERE p.user_id = u.id AND p.entity_key = ${bound(entityKey, 'text')} AND p.operation = ${bound(operation, 'text')})`
  // Those of a mailing that waits for its attachments become due when these are made.
  const due = raw(state === 'waiting' ? `'infinity'` : 'now()')
  const insert = sql`INSERT INTO docket.delivery (mailing_id, user_id, notification_id, due_at) SELECT ${bound(mailingId, 'bigint')}, u.id, ${notificationId}, ${due} FROM ${users} u WHERE coalesce(u.email, '') <> '' AND NOT ${refuses} ORDER BY u.id ON CONFLICT DO NOTHING RETURNING id`
  const tell = sql`CASE WHEN count(*) > 0 THEN pg_notify(${bound(queuedChannel, 'text')}, '') END AS told`
  await connection.query(
    toStatement(sql`WITH queued AS (${insert}) SELECT count(*), ${tell} FROM queued`),
  )
  return findUnreachable(connection, users)
}

const hasAttachments = ({ wished }: Mailing): boolean =>
  wished.printableDocuments.length + wished.documentFunctions.length > 0

type OpenMailing = { readonly id: number; readonly state: 'waiting' | 'ready' }

/** The mailing of an event and entry; its state stays until the end of the transaction. */
const openMailing = async (connection: Connection, mailing: Mailing): Promise<OpenMailing> => {
  const { event, entry, entityKey, entityId, operation, templateId, data, wished } = mailing
  const state = hasAttachments(mailing) ? 'waiting' : 'ready'
  const json = (value: object): Sql => bound(JSON.stringify(value), 'json')
  const insert = sql`INSERT INTO docket.mailing (event, entry, entity_key, entity_id, operation, template_id, data, wished, state) VALUES (${bound(event, 'text')}, ${bound(entry, 'text')}, ${bound(entityKey, 'text')}, ${bound(entityId, 'integer')}, ${bound(operation, 'text')}, ${bound(templateId ?? null, 'text')}, ${json(data)}, ${json(wished)}, ${bound(state, 'text')}) ON CONFLICT (event, entry) DO NOTHING RETURNING id`
  const [opened] = await queryRows<{ id: number }>(connection, toStatement(insert))
  if (opened && state === 'waiting') {
    const job = enqueue({ kind: attachDocuments, payload: { mailing_id: opened.id } })
    await connection.query(toStatement(sql`SELECT ${job} AS job`))
  }
  const select = sql`SELECT id, state FROM docket.mailing WHERE event = ${bound(event, 'text')} AND entry = ${bound(entry, 'text')} FOR SHARE`
  const [found] = await queryRows<OpenMailing>(connection, toStatement(select))
  if (!found) throw new Error('The mailing is gone.')
  return found
}

const findUnreachable = async (connection: Connection, users: Sql): Promise<number[]> => {
  const select = sql`SELECT u.id FROM ${users} u WHERE coalesce(u.email, '') = '' ORDER BY u.id`
  const rows = await queryRows<{ id: number }>(connection, toStatement(select))
  return rows.map(({ id }) => id)
}
