/** Messages as the provider accepted them: stored with the result of their delivery, compressed. */
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { execute, type Pool, type Queryable, queryRow } from '../database/pool.ts'
import { bigint, bound, sql, texts } from '../database/sql.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import type { DeliveryMessage } from './channel.ts'
import {
  type DeliveryRow,
  joinedParts,
  selectDelivery,
  type TakenDelivery,
  toDelivery,
} from './delivery.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

// A larger message, with megabytes of a record in it, is not worth its copy for each recipient.
const maxBytes = 1_048_576

/** A delivery that the provider has accepted; without a message, if what it accepted is not known. */
export type SentDelivery = {
  readonly id: number
  readonly message: PackedMessage | undefined
}

type PackedMessage = {
  readonly address: string
  readonly subject: string | null
  /** In base64. */
  readonly content: string
}

/** The message as it is stored; undefined if it is too long. */
export const packMessage = async ({
  address,
  subject,
  ...content
}: DeliveryMessage): Promise<PackedMessage | undefined> => {
  const text = JSON.stringify(content)
  if (text.length > maxBytes) return undefined
  return { address, subject, content: (await compress(text)).toString('base64') }
}

/** The provider has accepted them, whichever process holds them now. */
export const markSent = async (
  database: Queryable,
  sent: readonly SentDelivery[],
): Promise<void> => {
  const ids = bound(
    sent.map(({ id }) => id),
    'bigint[]',
  )
  const column = (read: (message: PackedMessage) => string | null) =>
    texts(sent.map(({ message }) => message && read(message)).map((value) => value ?? null))
  await execute(
    database,
    sql`
WITH sent AS (
  UPDATE docket.delivery
  SET status = 'sent', sent_at = now(), last_error = NULL
  WHERE id = ANY (${ids}) AND status <> 'sent'
  RETURNING id, mailing_id
), told AS (
  -- What a digest contained.
  UPDATE docket.delivery
  SET status = 'sent', sent_at = now(), last_error = NULL
  WHERE digest_id IN (SELECT mailing_id FROM sent) AND status = 'queued' AND due_at = 'infinity'
)
INSERT INTO docket.sent_message (delivery_id, address, subject, content)
SELECT m.id, m.address, m.subject, decode(m.content, 'base64')
FROM unnest(
  ${ids}, ${column(({ address }) => address)}, ${column(({ subject }) => subject)},
  ${column(({ content }) => content)}
) AS m(id, address, subject, content)
JOIN sent s ON s.id = m.id
WHERE m.content IS NOT NULL
ON CONFLICT (delivery_id) DO UPDATE
SET address = excluded.address, subject = excluded.subject, content = excluded.content`,
  )
}

/** A delivery with its stored message, if there is one. */
export type DeliveryWithMessage = {
  readonly delivery: TakenDelivery
  readonly channel: ChannelName
  /** Whether its data is so long that composing it would delay other requests. */
  readonly isLong: boolean
  readonly sent: DeliveryMessage | undefined
}

// Rendering so many characters takes some milliseconds.
const maxDataLength = 262_144

type Row = DeliveryRow & {
  readonly channel: ChannelName
  readonly sent_address: string
  readonly subject: string | null
  readonly packed: string | null
}

export const findMessage = async (
  pool: Pool,
  id: number,
): Promise<DeliveryWithMessage | undefined> => {
  const row = await queryRow<Row>(
    pool,
    sql`
${selectDelivery}, d.channel, s.address AS sent_address, s.subject, encode(s.content, 'base64') AS packed
FROM docket.delivery d${joinedParts}
LEFT JOIN docket.sent_message s ON s.delivery_id = d.id
WHERE d.id = ${bigint(id)}`,
  )
  if (!row) return undefined
  const { channel, sent_address: address, subject, packed } = row
  const content = packed && (await decompress(Buffer.from(packed, 'base64'))).toString()
  return {
    delivery: toDelivery(row),
    channel,
    isLong: row.data.length > maxDataLength,
    sent: content ? { ...JSON.parse(content), address, subject } : undefined,
  }
}
