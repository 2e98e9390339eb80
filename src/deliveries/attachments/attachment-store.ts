/** The documents of mailings: made once, kept by their content, shared by all e-mails of a mailing. */
import { createHash } from 'node:crypto'
import { type Pool, type Queryable, queryRows } from '../../database/pool.ts'
import { bound, raw, sql, tableName, toStatement } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import type { Attachment } from '../../email/email.ts'
import type { WishedAttachments } from '../delivery.ts'
import { wakingSenders } from '../queue-deliveries.ts'

/** A document that was made, or the sentence that says why it could not be. */
export type MadeDocument =
  | { readonly attachment: Attachment }
  | { readonly name: string; readonly fault: string }

/** A mailing that has attachments. */
export type WishingMailing = {
  readonly id: number
  readonly entity_key: string
  readonly entity_id: number
  readonly wished: WishedAttachments
  readonly actor_id: number | null
  readonly action: object
  readonly operation: string
  readonly comment: string | null
  /** Its e-mails show everybody everything. */
  readonly shows_hidden: boolean
}

/** The mailing, unless it was removed since. */
export const findMailing = async (pool: Pool, id: number): Promise<WishingMailing | undefined> => {
  const select = sql`SELECT id, entity_key, entity_id, wished, (data->'actor'->>'id')::integer AS actor_id, data->>'action' AS action, data->>'comment' AS comment, operation, coalesce((data->'sight'->>'shows_hidden')::boolean, false) AS shows_hidden FROM docket.mailing WHERE id = ${bound(id, 'bigint')}`
  const [row] = await queryRows<Record<'wished' | 'action', string> & WishingMailing>(
    pool,
    toStatement(select),
  )
  if (!row) return undefined
  return { ...row, wished: JSON.parse(row.wished), action: JSON.parse(row.action ?? '{}') }
}

/** A recipient whose e-mail was not sent yet, with the key of their role. */
export type WaitingRecipient = { readonly userId: number; readonly roleKey: string }

/** The recipients of a mailing who still wait for its e-mail. */
export const listRecipients = (pool: Pool, mailingId: number): Promise<WaitingRecipient[]> =>
  queryRows<WaitingRecipient>(
    pool,
    toStatement(
      sql`SELECT d.user_id AS "userId", coalesce(r.key, '') AS "roleKey" FROM docket.delivery d JOIN ${raw(tableName('user'))} u ON u.id = d.user_id LEFT JOIN ${raw(tableName('security_role'))} r ON r.id = u.security_role_id AND NOT r._is_deleted WHERE d.mailing_id = ${bound(mailingId, 'bigint')} AND d.status IN ('queued', 'failed', 'sending')`,
    ),
  )

/** Says to which audience people belong. */
export const noteAudience = async (
  pool: Pool,
  mailingId: number,
  audience: string,
  userIds: readonly number[],
): Promise<void> => {
  const name = bound(audience, 'text')
  await pool.query(
    toStatement(
      sql`UPDATE docket.delivery SET audience = ${name} WHERE mailing_id = ${bound(mailingId, 'bigint')} AND user_id = ANY (${bound(userIds, 'integer[]')}) AND audience <> ${name}`,
    ),
  )
}

/** The audiences whose documents are made. */
export const madeAudiences = async (pool: Pool, mailingId: number): Promise<Set<string>> => {
  const select = sql`SELECT audience FROM docket.mailing_audience WHERE mailing_id = ${bound(mailingId, 'bigint')}`
  const rows = await queryRows<{ audience: string }>(pool, toStatement(select))
  return new Set(rows.map(({ audience }) => audience))
}

/** Keeps the documents of an audience and lets its e-mails go; once, however many processes made them. */
export const keepDocuments = (
  pool: Pool,
  mailingId: number,
  audience: string,
  documents: readonly MadeDocument[],
): Promise<void> =>
  transaction(pool, async (connection) => {
    const id = bound(mailingId, 'bigint')
    const name = bound(audience, 'text')
    const made = sql`INSERT INTO docket.mailing_audience (mailing_id, audience) SELECT id, ${name} FROM docket.mailing WHERE id = ${id} ON CONFLICT DO NOTHING`
    const { rowCount } = await connection.query(toStatement(made))
    if (rowCount === 0) return
    for (const [position, document] of documents.entries())
      await keepDocument(connection, [mailingId, audience, position], document)
    const go = sql`UPDATE docket.delivery SET due_at = now() WHERE mailing_id = ${id} AND audience = ${name} AND status = 'queued' AND due_at = 'infinity'`
    await connection.query(toStatement(go))
    await connection.query(toStatement(sql`SELECT ${wakingSenders}`))
  })

const keepDocument = async (
  connection: Queryable,
  place: readonly [mailingId: number, audience: string, position: number],
  made: MadeDocument,
): Promise<void> => {
  const row = rowOf(made)
  if ('attachment' in made) {
    const { data } = made.attachment
    await connection.query(
      'INSERT INTO docket.attachment_data (hash, data) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [row.hash, Buffer.from(data.buffer, data.byteOffset, data.byteLength)],
    )
  }
  await connection.query(
    'INSERT INTO docket.attachment (mailing_id, audience, position, filename, mimetype, size, hash, fault) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
    [...place, row.filename, row.mimetype, row.size, row.hash, row.fault],
  )
}

/** Everything is made: lets every e-mail go that waits; one of an audience that is new asks again. */
export const releaseMailing = async (pool: Pool, mailingId: number): Promise<void> => {
  const id = bound(mailingId, 'bigint')
  await transaction(pool, async (connection) => {
    const ready = sql`UPDATE docket.mailing SET state = 'ready' WHERE id = ${id} AND state = 'waiting'`
    await connection.query(toStatement(ready))
    const go = sql`UPDATE docket.delivery SET due_at = now() WHERE mailing_id = ${id} AND status = 'queued' AND due_at = 'infinity'`
    await connection.query(toStatement(go))
    await connection.query(toStatement(sql`SELECT ${wakingSenders}`))
  })
}

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

/** What an audience of a mailing has attached, in its order; undefined where it is not made yet. */
export const listDocuments = async (
  pool: Pool,
  mailingId: number,
  audience: string,
): Promise<KeptDocument[] | undefined> => {
  const rows = await queryRows<KeptDocument & { readonly position: number | null }>(
    pool,
    toStatement(
      sql`SELECT a.position, a.filename, a.mimetype, a.size, a.fault FROM docket.mailing_audience m LEFT JOIN docket.attachment a ON a.mailing_id = m.mailing_id AND a.audience = m.audience WHERE m.mailing_id = ${bound(mailingId, 'bigint')} AND m.audience = ${bound(audience, 'text')} ORDER BY a.position`,
    ),
  )
  return rows.length === 0 ? undefined : rows.filter(({ position }) => position !== null)
}

/** The bytes of one document; undefined where it is gone or was never made. */
export const readDocument = async (
  pool: Pool,
  { mailingId, audience }: { readonly mailingId: number; readonly audience: string },
  position: number,
): Promise<Attachment | undefined> => {
  const select = sql`SELECT a.filename, a.mimetype, encode(d.data, 'base64') AS data FROM docket.attachment a JOIN docket.attachment_data d ON d.hash = a.hash WHERE a.mailing_id = ${bound(mailingId, 'bigint')} AND a.audience = ${bound(audience, 'text')} AND a.position = ${bound(position, 'integer')}`
  const [row] = await queryRows<{ filename: string; mimetype: string; data: string }>(
    pool,
    toStatement(select),
  )
  return row && { ...row, data: Buffer.from(row.data, 'base64') }
}
