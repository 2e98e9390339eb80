/** Writes audit events, in the transaction of what they are about. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { execute, type Pool, type Queryable } from '../database/pool.ts'
import { runOutsideRequest } from '../database/request-context.ts'
import { bigint, int, sql, text } from '../database/sql.ts'
import { ApiError } from '../errors.ts'
import type { Observe } from '../observations.ts'
import type { AuditedSignInWay, AuditKind } from './audit-kinds.ts'

/** A value of the detail; never a secret, nor what a person has typed. */
type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [name: string]: Value }

/** From where a request came. */
export type Origin = { readonly address: string; readonly userAgent: string | undefined }

type Request = {
  readonly ip: string
  readonly headers: { readonly 'user-agent'?: string | undefined }
}

export const originOf = ({ ip, headers }: Request): Origin => ({
  address: ip,
  userAgent: headers['user-agent'],
})

export type AuditEvent = {
  readonly kind: AuditKind
  /** Who did it (`authorOf` of a caller); undefined: the service, the command line, or a person who is not known. */
  readonly by?: { readonly userId: number | null; readonly actingUserId: number | null } | undefined
  /** The user whom it concerns. */
  readonly aboutUserId?: number | undefined
  readonly entityKey?: string
  readonly entityId?: number
  readonly sessionId?: number
  readonly origin?: Origin | undefined
  readonly detail?: { readonly [name: string]: Value }
}

/**
 * Stores an event. Call it with the connection of the transaction that makes the change, so that neither is there without the other:
 * `await recordAudit(connection, { kind: 'revokeApiKey', by: authorOf(caller), aboutUserId, origin: originOf(request) })`.
 */
export const recordAudit = async (client: Queryable, event: AuditEvent): Promise<void> => {
  const { by, origin, detail = {} } = event
  const place = sql`${text(event.entityKey ?? null)}, ${int(event.entityId ?? null)}`
  await execute(
    client,
    sql`
      INSERT INTO docket.audit (kind, user_id, acting_user_id, about_user_id, entity_key, entity_id, session_id,
        address, user_agent, detail)
      VALUES (${text(event.kind)}, ${int(by?.userId ?? null)}, ${int(by?.actingUserId ?? null)},
        ${int(event.aboutUserId ?? null)}, ${place}, ${int(event.sessionId ?? null)},
        ${text(origin?.address ?? null)}, ${userAgent(origin)}, ${text(JSON.stringify(detail))}::jsonb)`,
  )
}

type DoneDeps = { readonly pool: Pool; readonly observe: Observe }

/** Stores an event of something that was given away and cannot be taken back; nobody waits for it. */
export const recordDone = ({ pool, observe }: DoneDeps, event: AuditEvent): void => {
  runOutsideRequest(() => recordAudit(pool, event)).catch((error: unknown) =>
    observe({ kind: 'auditFailed', event: event.kind, error }),
  )
}

const userAgent = (origin: Origin | undefined) => sql`left(${text(origin?.userAgent ?? null)}, 200)`

export type Refusal = {
  readonly way: AuditedSignInWay
  readonly reason: string
  /** Whose name was given. What was typed is not stored: it may be a password. */
  readonly userId: number | undefined
  readonly origin: Origin
}

// Refusals of further users and addresses within the minute are one event without them.
const maxOfMinute = 60

/** Stores a refused sign-in, or counts it for those that are alike within the minute, so that they cannot fill the table. */
export const recordRefusal = async (
  client: Queryable,
  { way, reason, userId, origin }: Refusal,
): Promise<void> => {
  const alike = createHash('sha256').update(
    JSON.stringify([way, reason, userId ?? null, origin.address]),
  )
  const key = text(alike.digest('base64url'))
  await execute(
    client,
    sql`
      WITH minute AS (
        SELECT date_trunc('minute', now()) AS at, extract(epoch FROM date_trunc('minute', now()))::text AS key
      ), stored AS (
        SELECT count(*) FILTER (WHERE f.repeat_key = m.key || ${key}) > 0
          OR count(*) < ${bigint(maxOfMinute)} AS has_room
        FROM minute m LEFT JOIN docket.audit f ON f.kind = 'refuseSignIn' AND f.at >= m.at
      )
      INSERT INTO docket.audit AS a (kind, about_user_id, address, user_agent, repeat_key, detail)
      SELECT 'refuseSignIn', o.about_user_id, o.address, o.user_agent, o.repeat_key, o.detail::jsonb
      FROM minute m, stored s, LATERAL (
        SELECT ${int(userId ?? null)} AS about_user_id, ${text(origin.address)} AS address,
          ${userAgent(origin)} AS user_agent, m.key || ${key} AS repeat_key,
          ${text(JSON.stringify({ way, reason }))} AS detail
        WHERE s.has_room
        UNION ALL
        SELECT NULL, NULL, NULL, m.key, ${text(JSON.stringify({ reason: 'others' }))}
        WHERE NOT s.has_room
      ) o
      ON CONFLICT (repeat_key) DO UPDATE SET times = a.times + 1`,
  )
}

type Attempt = {
  readonly way: AuditedSignInWay
  /** Whose name was given, if there is such a user. */
  readonly userId?: number | undefined
  readonly request: FastifyRequest
}

/** Returns the result of a check; if it throws an error 401 or 429, that is in the audit. */
export const orRefused = async <T>(
  database: Queryable,
  { way, userId, request }: Attempt,
  check: () => Promise<T>,
): Promise<T> => {
  try {
    return await check()
  } catch (error) {
    const reason = error instanceof ApiError ? reasons.get(error.code) : undefined
    if (reason !== undefined)
      await recordRefusal(database, { way, reason, userId, origin: originOf(request) })
    throw error
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['caller.unauthenticated', 'wrong'],
  ['request.too-many', 'tooMany'],
])
