/**
 * Digests: one e-mail about what was held for a user, with what they may read when it is sent. In the database a digest is a delivery
 * of a mailing of its own, for a user and a time. What it contains are deliveries that name its mailing and wait for no time. So it is
 * taken, retried and sent as every delivery is.
 */
import { mayReadRecord } from '../auth/readable-values.ts'
import { publicUrlOf } from '../config/load-config.ts'
import {
  type Connection,
  execute,
  hasRows,
  type Pool,
  type Queryable,
  queryCount,
  queryRows,
} from '../database/pool.ts'
import { bigint, bound, int, json, type Sql, signalled, sql, text } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { namedEntity } from '../definitions/catalog.ts'
import { shorten } from '../issues.ts'
import { renderTemplate } from '../templates/liquid-template.ts'
import { readingOf } from '../users/user-readings.ts'
import type { ChannelOptions } from './channel.ts'
import { readerFor } from './channels/readable-data.ts'
import {
  DeliveryError,
  type DeliveryRow,
  joinedParts,
  NothingToSend,
  queuedChannel,
  selectDelivery,
  type TakenDelivery,
  toDelivery,
} from './delivery.ts'
import { absoluteUrl, oneLine, toText } from './email/compose-email.ts'
import type { Email } from './email/email.ts'
import type { LibraryOf } from './email/template-library.ts'
import type { EventData } from './events/notification-event.ts'
import type { NotificationKind } from './preferences/preferences.ts'
import type { Signer } from './signed-token.ts'

/** Whether a delivery is a digest. */
export const isDigest = ({ entry }: TakenDelivery): boolean => entry === digestEntry

type Deps = { readonly libraryOf: LibraryOf; readonly signer: Signer; readonly isPreview: boolean }

/** The e-mail; throws NothingToSend if what was held is sent by itself, or not at all. */
export const composeDigest = async (
  options: ChannelOptions,
  deps: Deps,
  digest: TakenDelivery,
): Promise<Email> => {
  if (!digest.is_active || digest.address === '')
    throw new DeliveryError('The recipient may not use the service any more.', { retryable: false })
  const { pool } = options
  const read = deps.isPreview ? readDigest : closeDigest
  const { held, more } = await read(pool, digest.mailing_id)
  const parts: Record<Part, TakenDelivery[]> = { told: [], left: [], removed: [] }
  for (const one of held) parts[await partOf(options, one)].push(one)
  const { told } = parts
  if (!deps.isPreview) {
    await leaveOut(pool, parts)
    // A repeated attempt says what the first one may have said.
    const isAlone = told.length === 1 && more === 0 && digest.tries === 1
    if (isAlone || told.length + more === 0) {
      await dissolveDigest(pool, digest)
      throw new NothingToSend('What it had is sent by itself, or not at all.')
    }
  }
  return emailOf(options, deps, digest, { told, more })
}

/** What becomes of a delivery that waited: it is `left` out if its recipient may not read it any more. */
type Part = 'told' | 'left' | 'removed'

const partOf = async (options: ChannelOptions, delivery: TakenDelivery): Promise<Part> => {
  const { sight } = delivery.data
  const entity = options.catalog.entities.get(delivery.entity_key)
  if (!entity || !delivery.content) return 'left'
  try {
    const reader = await readerFor(options, delivery, entity)
    const showsAll = sight?.skips_rights || sight?.shows_hidden
    const isTold = showsAll || mayReadRecord(options, reader, entity, reader.reach.record)
    return isTold ? 'told' : 'left'
  } catch (error) {
    if (error instanceof NothingToSend) return 'removed'
    if (error instanceof DeliveryError) return 'left'
    throw error
  }
}

type Told = { readonly told: readonly TakenDelivery[]; readonly more: number }

const maxMessage = 500

const emailOf = async (
  options: ChannelOptions,
  { libraryOf, signer }: Deps,
  digest: TakenDelivery,
  { told, more }: Told,
): Promise<Email> => {
  const { config } = options
  const { catalog, timeZone } = readingOf(options, digest)
  const publicUrl = publicUrlOf(config)
  const library = await (await libraryOf()).inLanguage(catalog.locale)
  const template = await library.digest()
  // Its kinds are read when it is used: an address in a header has little room.
  const claim = { for: 'unsubscribe', user: digest.user_id, digest: digest.mailing_id }
  const unsubscribeUrl = `${publicUrl}/api/notifications/unsubscribe?token=${signer.sign(claim)}`
  const reading = { locale: catalog.locale, timeZone }
  const data = {
    project: catalog.name ?? 'Docket',
    recipient: { full_name: digest.full_name },
    count: told.length + more,
    more,
    items: told.map(({ content, has_documents: hasFiles, entity_key: key, notified_at: at }) => {
      const entity = options.catalog.entities.get(key)
      return {
        title: content?.title ?? '',
        message: shorten(content?.message ?? '', maxMessage),
        url: absoluteUrl(content?.url ?? '', publicUrl),
        entity: entity ? namedEntity(catalog, entity).name : key,
        at,
        has_files: hasFiles,
      }
    }),
    settings_url: `${publicUrl}/console/-/settings`,
    unsubscribe_url: unsubscribeUrl,
  }
  const html = renderTemplate(template.html, data, reading)
  return {
    messageId: `<${digest.event}@${new URL(publicUrl).hostname}>`,
    to: { name: oneLine(digest.full_name), address: digest.address },
    replyTo: config.EMAIL_REPLY_TO,
    subject: oneLine(renderTemplate(template.subject, data, reading)),
    text: toText(html),
    html,
    templateId: undefined,
    templateData: {},
    attachments: [],
    unsubscribeUrl,
  }
}

/** The entry of the mailings of digests: those of rules are numbers. */
const digestEntry = 'digest'

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
const closeDigest = (pool: Pool, mailingId: number): Promise<Contents> =>
  transaction(pool, async (connection) => {
    const close = sql`UPDATE docket.mailing SET state = 'closed' WHERE id = ${bigint(mailingId)}`
    await execute(connection, close)
    return readDigest(connection, mailingId)
  })

/** What a digest has so far, or had when it was sent. */
const readDigest = async (database: Queryable, mailingId: number): Promise<Contents> => {
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
  const all = await queryCount(
    database,
    sql`SELECT count(*)::integer AS count FROM docket.delivery d WHERE ${isHeld}`,
  )
  return { held: rows.map(toDelivery), more: all - rows.length }
}

/** The kinds of notification that a digest contained or will contain. */
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

/** Takes out of a digest what it does not tell. */
const leaveOut = async (
  pool: Pool,
  { left, removed }: Readonly<Record<'left' | 'removed', readonly TakenDelivery[]>>,
): Promise<void> => {
  if (left.length > 0)
    await execute(
      pool,
      sql`
UPDATE docket.delivery
SET status = 'dead', digest_id = NULL, last_error = 'The recipient may not read it any more.'
WHERE id = ANY (${idsOf(left)}) AND status = 'queued'`,
    )
  if (removed.length > 0)
    await execute(
      pool,
      sql`DELETE FROM docket.delivery WHERE id = ANY (${idsOf(removed)}) AND status = 'queued'`,
    )
}

const idsOf = (deliveries: readonly TakenDelivery[]): Sql =>
  bound(
    deliveries.map(({ id }) => id),
    'bigint[]',
  )

/**
 * Removes a digest that has no content, or one thing alone, which is then sent by itself, with its attachments; nothing if
 * another process has the digest.
 */
const dissolveDigest = (pool: Pool, digest: TakenDelivery): Promise<void> =>
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

const isOwn = (connection: Connection, { id, tries }: TakenDelivery): Promise<boolean> =>
  hasRows(
    connection,
    sql`
SELECT
FROM docket.delivery
WHERE id = ${bigint(id)} AND tries = ${int(tries)} AND status = 'sending'
FOR UPDATE`,
  )
