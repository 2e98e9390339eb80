/** The documents of e-mails: behind the link that an e-mail carries, and beside a delivery for administrators. */
import type { FastifyReply } from 'fastify'
import { audienceOf } from '../../auth/audience.ts'
import type { SightDeps } from '../../auth/sight.ts'
import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, raw, type Sql, sql, tableName, toStatement } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import type { Attachment } from '../../email/email.ts'
import { apiError } from '../../errors.ts'
import { callerOf, openPath } from '../../http/caller-of.ts'
import { readId, readQuery, words } from '../../http/query-parameters.ts'
import type { Routes } from '../../http/server.ts'
import { compileScope } from '../../query/compile-select.ts'
import type { Signer } from '../signed-token.ts'
import { readDocument } from './attachment-store.ts'

type AttachmentDeps = SightDeps & {
  readonly pool: Pool
  readonly signer: Signer
}

type Params = { Params: { deliveryId: string; position: string } }

/** Mounts /api/attachments and the attachments of /api/deliveries. */
export const attachmentRoutes =
  (deps: AttachmentDeps): Routes =>
  (server) => {
    server.get('/api/attachments', openPath, async (request, reply) => {
      const { token = '' } = readQuery(request.query, { token: words })
      const claim = deps.signer.read(token)
      if (claim?.for !== 'attachment' || Date.parse(String(claim.until)) < Date.now())
        throw apiError(
          'request.no-such-path',
          'This link was not made by the service, or it has ended.',
        )
      const delivery = Number(claim.delivery)
      const place = Number.isSafeInteger(delivery) && (await findForRecipient(deps, delivery))
      if (!place)
        throw apiError(
          'request.no-such-path',
          'This link has ended: its recipient or the record is gone, or may not be seen any more.',
        )
      return send(reply, await readDocument(deps.pool, place, Number(claim.position)))
    })
    server.get<Params>(
      '/api/deliveries/:deliveryId/attachments/:position',
      async (request, reply) => {
        const { roleKey } = callerOf(request)
        readQuery(request.query, {})
        if (roleKey !== administratorRole)
          throw apiError('caller.forbidden', 'Only administrators see deliveries.')
        const id = readId(request.params.deliveryId, 'deliveryId')
        const place = id === undefined ? undefined : await findPlace(deps.pool, id)
        const position = /^\d{1,6}$/.test(request.params.position)
          ? Number(request.params.position)
          : -1
        const found = place && (await readDocument(deps.pool, place, position))
        return send(reply, found)
      },
    )
  }

type Place = { readonly mailingId: number; readonly audience: string }

/** Where the documents of a delivery are. */
const findPlace = async (pool: Pool, deliveryId: number): Promise<Place | undefined> => {
  const select = sql`SELECT mailing_id AS "mailingId", audience FROM docket.delivery WHERE id = ${bound(deliveryId, 'bigint')}`
  const [row] = await queryRows<Place>(pool, toStatement(select))
  return row
}

type Sent = Place & {
  readonly userId: number
  readonly roleKey: string
  readonly entityKey: string
  readonly entityId: number
  readonly showsHidden: boolean
  /** Its entry tells also those who may not read the record. */
  readonly skipsRights: boolean
  /** Whether they had created or owned the record when they were told. */
  readonly wasOwn: boolean
}

const sentColumns = raw(
  `d.mailing_id AS "mailingId", d.audience, u.id AS "userId", coalesce(r.key, '') AS "roleKey", m.entity_key AS "entityKey", m.entity_id AS "entityId", coalesce((m.data->'sight'->>'shows_hidden')::boolean, false) AS "showsHidden", coalesce((m.data->'sight'->>'skips_rights')::boolean, false) AS "skipsRights", coalesce((m.data->'sight'->'record'->'')::jsonb @> to_jsonb(u.id), false) AS "wasOwn"`,
)

/**
 * The same for the recipient, as long as they are active, the record is there, they are entitled to what
 * the e-mail carries of it, and their role still reads what the documents show.
 */
const findForRecipient = async (
  deps: AttachmentDeps,
  deliveryId: number,
): Promise<Place | undefined> => {
  const select = sql`SELECT ${sentColumns} FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id JOIN ${raw(tableName('user'))} u ON u.id = d.user_id LEFT JOIN ${raw(tableName('security_role'))} r ON r.id = u.security_role_id AND NOT r._is_deleted WHERE d.id = ${bound(deliveryId, 'bigint')} AND u.is_active AND NOT u.is_blocked AND NOT u._is_deleted`
  const [sent] = await queryRows<Sent>(deps.pool, toStatement(select))
  const entity = sent && deps.catalog.entities.get(sent.entityKey)
  if (!entity) return undefined
  if (!sent.showsHidden && audienceOf(deps, entity, sent) !== sent.audience) return undefined
  const record = sql`SELECT FROM ${raw(tableName(entity.key))} t WHERE t.id = ${bound(sent.entityId, 'integer')} AND NOT t._is_deleted AND ${isEntitled(deps, entity, sent)}`
  const found = await queryRows(deps.pool, toStatement(record))
  return found.length > 0 ? sent : undefined
}

/** Whether the record `t` is one whose documents the recipient may have. */
const isEntitled = ({ permissions }: AttachmentDeps, entity: Entity, sent: Sent): Sql => {
  if (sent.showsHidden) return raw('true')
  const scope = permissions.scopeOf(sent, 'read', entity)
  // Made for somebody who might not read the record, they hold nothing but what is for everybody.
  const showsNothing = scope === 'none' || (scope !== 'all' && !sent.wasOwn)
  if (sent.skipsRights && showsNothing) return raw('true')
  const isReadable = compileScope(scope, entity.hasOwner, 't')
  if (entity.key !== 'task') return isReadable
  return sql`(${isReadable} OR t.assigne_id = ${bound(sent.userId, 'integer')})`
}

/** Always as a file to keep: whatever it holds, a browser does not run it here. */
const send = (reply: FastifyReply, document: Attachment | undefined) => {
  if (!document) throw apiError('delivery.unknown', 'There is no such attachment any more.')
  const name = encodeURIComponent(document.filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return reply
    .type(document.mimetype)
    .header('Content-Disposition', `attachment; filename*=UTF-8''${name}`)
    .header('Cache-Control', 'private, no-store')
    .send(document.data)
}
