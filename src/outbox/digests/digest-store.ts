/**
 * Digests in the database: a digest is a delivery of a mailing of its own, for a user and a time. What it tells are deliveries that
 * name its mailing and wait for no time. So it is taken, retried and sent as every delivery is.
 */
import {
  type Connection,
  execute,
  type Pool,
  type Queryable,
  queryRow,
  queryRows,
} from '../../database/pool.ts'
import { bigint, bound, int, json, signalled, sql, text } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import {
  type DeliveryRow,
  joinedParts,
  queuedChannel,
  selectDelivery,
  type TakenDelivery,
  toDelivery,
} from '../delivery.ts'
import type { EventData } from '../events/notification-event.ts'
import type { NotificationKind } from '../preferences/preferences.ts'

/** The entry of the mailings of digests: those of rules are numbers. */
export const digestEntry = 'digest'

/** A delivery that waits for a time. */
export type Held = { readonly id: number; readonly userId: number; readonly dueMs: number }

const noData: EventData = {
  record: {},
  actor: {},
  entity: { key: 'user', name: '' },
  action: {},
  comment: null,
}

/**
 * Puts deliveries that the same transaction has queued into the digests of their times. A digest that is being sent takes no more:
 * what comes at the last moment is then sent by itself, at once.
 */
export const holdForDigests = async (
  connection: Queryable,
  held: readonly Held[],
): Promise<void> => {
  if (held.length === 0) return
  const columns = sql`${bound(
    held.map(({ id }) => id),
    'bigint[]',
  )}, ${bound(
    held.map(({ userId }) => userId),
    'integer[]',
  )}, ${bound(
    held.map(({ dueMs }) => dueMs),
    'bigint[]',
  )}`
  await execute(
    connection,
    sql`
WITH held AS MATERIALIZED (
  SELECT h.id, h.user_id, 'digest.' || h.user_id || '.' || h.due_ms AS event,
    to_timestamp(h.due_ms / 1000.0) AS due_at
  FROM unnest(${columns}) AS h(id, user_id, due_ms)
), digest AS (
  INSERT INTO docket.mailing AS m (event, entry, entity_key, entity_id, operation, data, wished, happened_at)
  SELECT h.event, ${text(digestEntry)}, 'user', h.user_id, 'digest', ${json(noData)},
    '{"printableDocuments":[],"documentFunctions":[]}', now()
  FROM (SELECT DISTINCT event, user_id FROM held) h
  ORDER BY h.event
  -- The lock lasts until the commit: a digest is not closed before what it has is there.
  ON CONFLICT (event, entry) DO UPDATE SET state = m.state
  RETURNING m.id, m.event, m.state, m.entity_id AS user_id
), queued AS (
  INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, due_at)
  SELECT 'email', d.id, d.user_id, gen_random_uuid(), h.due_at
  FROM digest d
  JOIN (SELECT DISTINCT event, due_at FROM held) h ON h.event = d.event
  ORDER BY d.id
  ON CONFLICT DO NOTHING
)
UPDATE docket.delivery r
SET digest_id = d.id, due_at = 'infinity'
FROM held h
JOIN digest d ON d.event = h.event
WHERE r.id = h.id AND d.state <> 'closed'`,
  )
}

// What is beyond is counted.
const maxTold = 100

type Contents = { readonly held: readonly TakenDelivery[]; readonly more: number }

/** What a digest has, with the number of further ones; nothing is added to it any more. */
export const closeDigest = (pool: Pool, mailingId: number): Promise<Contents> =>
  transaction(pool, async (connection) => {
    const close = sql`UPDATE docket.mailing SET state = 'closed' WHERE id = ${bigint(mailingId)}`
    await execute(connection, close)
    return readDigest(connection, mailingId)
  })

/** What a digest has so far, or had when it was sent. */
export const readDigest = async (database: Queryable, mailingId: number): Promise<Contents> => {
  const isHeld = sql`d.digest_id = ${bigint(mailingId)} AND d.status IN ('queued', 'sent')
  AND d.due_at = 'infinity'`
  const rows = await queryRows<DeliveryRow>(
    database,
    sql`
${selectDelivery}
FROM docket.delivery d${joinedParts}
WHERE ${isHeld}
ORDER BY d.id
LIMIT ${int(maxTold)}`,
  )
  const all = await queryRow<{ count: number }>(
    database,
    sql`SELECT count(*)::integer AS count FROM docket.delivery d WHERE ${isHeld}`,
  )
  return { held: rows.map(toDelivery), more: (all?.count ?? 0) - rows.length }
}

/** The kinds of notification that a digest has told or will tell. */
export const kindsOfDigest = (
  database: Queryable,
  { userId, mailingId }: { readonly userId: number; readonly mailingId: number },
): Promise<NotificationKind[]> =>
  queryRows(
    database,
    sql`
SELECT DISTINCT m.entity_key AS entity, m.operation
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
WHERE d.digest_id = ${bigint(mailingId)} AND d.user_id = ${int(userId)}`,
  )

/** Leaves deliveries out of their digest: their recipient may not read the records any more. */
export const leaveOut = async (pool: Pool, left: readonly TakenDelivery[]): Promise<void> => {
  if (left.length === 0) return
  const ids = bound(
    left.map(({ id }) => id),
    'bigint[]',
  )
  await execute(
    pool,
    sql`
UPDATE docket.delivery
SET status = 'dead', digest_id = NULL, last_error = 'The recipient may not read it any more.'
WHERE id = ANY (${ids}) AND status = 'queued'`,
  )
}

/**
 * Removes a digest that has nothing to tell, or one thing alone, which is then sent by itself, with its attachments; nothing if
 * another process has the digest.
 */
export const dissolveDigest = (pool: Pool, digest: TakenDelivery): Promise<void> =>
  transaction(pool, async (connection) => {
    if (!(await isOwn(connection, digest))) return
    const mailing = bigint(digest.mailing_id)
    await queryRows(
      connection,
      sql`
WITH released AS (
  UPDATE docket.delivery r
  SET digest_id = NULL, due_at = CASE m.state WHEN 'waiting' THEN 'infinity' ELSE now() END
  FROM docket.mailing m
  WHERE r.digest_id = ${mailing} AND r.status = 'queued' AND m.id = r.mailing_id
  RETURNING r.id
)
SELECT ${signalled(queuedChannel, sql`count(*)`, 'queued')}
FROM released`,
    )
    await execute(connection, sql`DELETE FROM docket.mailing WHERE id = ${mailing}`)
  })

const isOwn = async (connection: Connection, { id, tries }: TakenDelivery): Promise<boolean> =>
  (
    await queryRows(
      connection,
      sql`
SELECT
FROM docket.delivery
WHERE id = ${bigint(id)} AND tries = ${int(tries)} AND status = 'sending'
FOR UPDATE`,
    )
  ).length > 0
