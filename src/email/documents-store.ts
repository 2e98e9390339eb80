/** The documents of mailings: made once, kept by their content, shared by all e-mails of a mailing. */
import { createHash } from 'node:crypto'
import { type Pool, queryRows } from '../database/pool.ts'
import { bound, sql, toStatement } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { queuedChannel, type WishedAttachments } from './delivery.ts'
import type { Attachment } from './email.ts'

/** A document that was made, or the sentence that says why it could not be. */
export type MadeDocument =
  | { readonly attachment: Attachment }
  | { readonly name: string; readonly fault: string }

/** A mailing whose documents are to be made. */
export type WaitingMailing = {
  readonly id: number
  readonly entity_key: string
  readonly entity_id: number
  readonly wished: WishedAttachments
  readonly actor_id: number | null
  readonly action: object
  readonly operation: string
  readonly comment: string | null
}

/** The mailing, when it still waits. */
export const findWaiting = async (pool: Pool, id: number): Promise<WaitingMailing | undefined> => {
  const select = sql`SELECT id, entity_key, entity_id, wished, data->'actor'->>'id' AS actor_id, data->>'action' AS action, data->>'comment' AS comment, operation FROM docket.mailing WHERE id = ${bound(id, 'bigint')} AND state = 'waiting'`
  const [row] = await queryRows<Record<string, string> & { id: number; entity_id: number }>(
    pool,
    toStatement(select),
  )
  if (!row) return undefined
  return {
    id: row.id,
    entity_key: row.entity_key ?? '',
    entity_id: row.entity_id,
    wished: JSON.parse(row.wished ?? '{}'),
    actor_id: row.actor_id === null ? null : Number(row.actor_id),
    action: JSON.parse(row.action ?? '{}'),
    operation: row.operation ?? '',
    comment: row.comment ?? null,
  }
}

/** Keeps the documents and lets the e-mails go; once, however many processes made them. */
export const keepDocuments = (
  pool: Pool,
  mailingId: number,
  documents: readonly MadeDocument[],
): Promise<void> =>
  transaction(pool, async (connection) => {
    const id = bound(mailingId, 'bigint')
    const ready = sql`UPDATE docket.mailing SET state = 'ready' WHERE id = ${id} AND state = 'waiting'`
    const { rowCount } = await connection.query(toStatement(ready))
    if (rowCount === 0) return
    for (const [position, made] of documents.entries()) {
      const row = rowOf(made)
      if ('attachment' in made) {
        const data = made.attachment.data
        await connection.query(
          'INSERT INTO docket.attachment_data (hash, data) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [row.hash, Buffer.from(data.buffer, data.byteOffset, data.byteLength)],
        )
      }
      await connection.query(
        'INSERT INTO docket.attachment (mailing_id, position, filename, mimetype, size, hash, fault) VALUES ($1, $2, $3, $4, $5, $6, $7)',
        [mailingId, position, row.filename, row.mimetype, row.size, row.hash, row.fault],
      )
    }
    const go = sql`UPDATE docket.delivery SET due_at = now() WHERE mailing_id = ${id} AND status = 'queued'`
    await connection.query(toStatement(go))
    await connection.query(toStatement(sql`SELECT pg_notify(${bound(queuedChannel, 'text')}, '')`))
  })

const rowOf = (made: MadeDocument) => {
  if ('fault' in made)
    return { filename: made.name, mimetype: null, size: null, hash: null, fault: made.fault }
  const { filename, mimetype, data } = made.attachment
  const hash = createHash('sha256').update(data).digest()
  return { filename, mimetype, size: data.byteLength, hash, fault: null }
}

/** A kept document without its bytes. */
export type KeptDocument = {
  readonly position: number
  readonly filename: string
  readonly mimetype: string | null
  readonly size: number | null
  readonly fault: string | null
}

/** What a mailing has attached, in its order. */
export const listDocuments = (pool: Pool, mailingId: number): Promise<KeptDocument[]> =>
  queryRows<KeptDocument>(
    pool,
    toStatement(
      sql`SELECT position, filename, mimetype, size, fault FROM docket.attachment WHERE mailing_id = ${bound(mailingId, 'bigint')} ORDER BY position`,
    ),
  )

/** The bytes of one document; undefined where it is gone or was never made. */
export const readDocument = async (
  pool: Pool,
  mailingId: number,
  position: number,
): Promise<Attachment | undefined> => {
  const select = sql`SELECT a.filename, a.mimetype, encode(d.data, 'base64') AS data FROM docket.attachment a JOIN docket.attachment_data d ON d.hash = a.hash WHERE a.mailing_id = ${bound(mailingId, 'bigint')} AND a.position = ${bound(position, 'integer')}`
  const [row] = await queryRows<{ filename: string; mimetype: string; data: string }>(
    pool,
    toStatement(select),
  )
  return row && { ...row, data: Buffer.from(row.data, 'base64') }
}
