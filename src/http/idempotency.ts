/**
 * Retried creates: the same Idempotency-Key and request within 24 hours gets the first response, because
 * the key is written in the transaction of the create itself.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Connection, execute, type Pool, queryRow, queryRows } from '../database/pool.ts'
import { int, json, type Sql, sql, text, texts } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { apiError } from '../errors.ts'

/** A response that can be stored and repeated. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Keyed = {
  readonly pool: Pool
  readonly userId: number
  readonly key: string
  /** What identifies a request: its method, path and body. */
  readonly request: readonly unknown[]
  /** Members of the body that the caller may not see any more: an earlier response is repeated without them. */
  readonly unseen?: readonly string[]
  /** Whether the caller still sees anything of `body`; without it an earlier response is an empty object. */
  readonly isSeen?: Sql | undefined
}

/** Reads the header `Idempotency-Key`. */
export const readIdempotencyKey = (header: string): string | { readonly issue: string } =>
  /^[\x21-\x7e]{1,255}$/.test(header)
    ? header
    : { issue: 'must be 1 to 255 visible ASCII characters' }

/** Does the work once per key; `work` runs inside the transaction that stores its response. */
export const answerOnce = async (
  { pool, userId, key, request, unseen = [], isSeen }: Keyed,
  work: (connection: Connection) => Promise<Answer>,
): Promise<Answer> => {
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex')
  return transaction(pool, async (connection) => {
    // A second request with the key waits here until the first one has ended.
    const claim = sql`
      INSERT INTO docket.idempotency_key AS k (user_id, key, request_digest)
      VALUES (${int(userId)}, ${text(key)}, ${text(digest)})
      ON CONFLICT (user_id, key) DO UPDATE
      SET request_digest = excluded.request_digest, status = NULL, headers = NULL, body = NULL,
        created_at = now()
      WHERE k.created_at < now() - interval '24 hours'
      RETURNING key`
    const claimed = await queryRows(connection, claim)
    if (claimed.length === 0)
      return earlierAnswer(connection, userId, key, { digest, unseen, isSeen })
    const answer = await work(connection)
    const keep = sql`
      UPDATE docket.idempotency_key
      SET status = ${int(answer.status)}, headers = ${json(answer.headers)},
        body = ${text(answer.body)}
      WHERE user_id = ${int(userId)} AND key = ${text(key)}`
    await execute(connection, keep)
    return answer
  })
}

type Kept = { status: number; headers: string; body: string; request_digest: string }

const earlierAnswer = async (
  connection: Connection,
  userId: number,
  key: string,
  {
    digest,
    unseen,
    isSeen,
  }: Required<Pick<Keyed, 'unseen' | 'isSeen'>> & { readonly digest: string },
): Promise<Answer> => {
  const body = unseen.length === 0 ? sql`body` : bodyWithout(unseen)
  const seen = isSeen ? sql`CASE WHEN ${isSeen} THEN ${body} ELSE '{}' END` : body
  const select = sql`
    SELECT status, headers, ${seen} AS body, request_digest
    FROM docket.idempotency_key
    WHERE user_id = ${int(userId)} AND key = ${text(key)}`
  const kept = await queryRow<Kept>(connection, select)
  if (!kept || kept.request_digest !== digest)
    throw apiError('idempotency.key-reused', 'The key was used for another method, path or body.')
  const headers = JSON.parse(kept.headers) as Record<string, string>
  return {
    status: kept.status,
    headers: { ...headers, 'Idempotency-Replayed': 'true' },
    body: kept.body,
  }
}

/** The members that are left, as they were printed. */
const bodyWithout = (unseen: readonly string[]): Sql => sql`(
  SELECT '{' || coalesce(string_agg(to_json(m.key)::text || ':' || m.value::text, ',' ORDER BY m.place), '') || '}'
  FROM json_each(body::json) WITH ORDINALITY AS m (key, value, place)
  WHERE m.key <> ALL (${texts(unseen)})
)`

/** Sends a response that was stored, or could be. */
export const sendAnswer = (reply: FastifyReply, { status, headers, body }: Answer) =>
  reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body)
