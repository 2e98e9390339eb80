/** The attachments of e-mails over HTTP: behind the link that an e-mail carries, and for administrators. */
import type { FastifyReply } from 'fastify'
import { audienceOf } from '../../auth/audience.ts'
import { entitledOrReadableBy, personOf, type VisibilityDeps } from '../../auth/readable-records.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { type Pool, queryRow } from '../../database/pool.ts'
import { bigint, int, notDeleted, sql, table, text } from '../../database/sql.ts'
import { apiError } from '../../errors.ts'
import { endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { type Parameter, text as textParameter } from '../../http/endpoint/parameters.ts'
import { dispositionOf } from '../../http/file-name.ts'
import { media } from '../../http/openapi/operation.ts'
import { activeUser, userRoleKeys } from '../../users/user-store.ts'
import { deliveryId, emailTag as tag } from '../delivery-endpoints.ts'
import type { Signer } from '../signed-token.ts'
import { audienceOfAnyReading, type OpenedAttachment, openAttachment } from './attachment-store.ts'

export type AttachmentDeps = RecipientCheckDeps & {
  readonly signer: Signer
  readonly blobs: BlobStore
}

const answers = {
  200: media('The document.', '*/*', { schema: { type: 'string', format: 'binary' } }),
}

const position: Parameter<number, number> = {
  description: 'As the delivery shows it.',
  schema: { type: 'integer' },
  absent: -1,
  // An invalid position is one that no attachment has.
  read: (given) => (/^\d{1,6}$/.test(given) ? Number(given) : -1),
}

/** /api/attachments, and the attachments of /api/deliveries. */
export const attachmentEndpoints = [
  openEndpoint({
    tag,
    method: 'get',
    path: '/api/attachments',
    id: 'readLinkedAttachment',
    summary: 'A document behind the link of an e-mail',
    query: {
      token: textParameter('As in the link of the e-mail; valid for 30 days.', {
        isRequired: true,
      }),
    },
    errors: ['request.no-such-path', 'delivery.unknown'],
    answers,
    handle: async ({ query: { token = '' }, reply }, deps: AttachmentDeps) => {
      const claim = deps.signer.read(token)
      if (claim?.for !== 'attachment' || Date.parse(String(claim.until)) < Date.now())
        throw apiError(
          'request.no-such-path',
          'This link was not created by the service, or it has expired.',
        )
      const delivery = Number(claim.delivery)
      const isId = Number.isSafeInteger(delivery)
      const place = isId && (await findForRecipient(deps, delivery))
      if (!place)
        throw apiError(
          'request.no-such-path',
          'This link is no longer valid: its recipient or the record was removed, or the recipient may no longer read it.',
        )
      return send(reply, await openAttachment(deps, place, Number(claim.position)))
    },
  }),
  endpoint({
    tag,
    who: 'administrator',
    method: 'get',
    path: '/api/deliveries/{deliveryId}/attachments/{position}',
    id: 'readAttachment',
    summary: 'A document of an e-mail',
    description: 'For administrators.',
    params: { deliveryId, position },
    answers,
    handle: async ({ params, reply }, deps: AttachmentDeps) => {
      const place = await findStoredPlace(deps.pool, params.deliveryId)
      return send(reply, place && (await openAttachment(deps, place, params.position)))
    },
  }),
]

/** Always as a download: whatever it contains, a browser does not run it here. */
const send = (reply: FastifyReply, document: OpenedAttachment | undefined) => {
  if (!document) throw apiError('delivery.unknown', 'There is no such attachment any more.')
  return reply
    .type(document.mimetype)
    .header('Content-Disposition', dispositionOf('attachment', document.filename))
    .header('Cache-Control', 'private, no-store')
    .header('Content-Length', document.bytes)
    .send(document.content)
}

/** What the check of a recipient needs. */
type RecipientCheckDeps = VisibilityDeps & { readonly pool: Pool }

type Place = { readonly mailingId: number; readonly audience: string }

/** Where the attachments of a delivery are. */
const findStoredPlace = (pool: Pool, deliveryId: number): Promise<Place | undefined> =>
  queryRow<Place>(
    pool,
    sql`
SELECT mailing_id AS "mailingId", audience
FROM docket.delivery
WHERE id = ${bigint(deliveryId)}`,
  )

type Sent = Place & {
  readonly userId: number
  readonly roleKey: string
  readonly entityKey: string
  readonly entityId: number
  readonly showsHidden: boolean
  /** Its rule also notifies users who may not read the record. */
  readonly skipsRights: boolean
}

/**
 * The same for the recipient, as long as they are active, the record exists, they may have what the e-mail
 * shows of it, and their role may still read what the attachments show.
 */
const findForRecipient = async (
  deps: RecipientCheckDeps,
  deliveryId: number,
): Promise<Place | undefined> => {
  const sent = await findSent(deps.pool, deliveryId)
  const entity = sent && deps.catalog.entities.get(sent.entityKey)
  if (!entity) return undefined
  const person = personOf(int(sent.userId), text(sent.roleKey))
  const record = await queryRow<{ mayRead: boolean | null }>(
    deps.pool,
    sql`
SELECT ${entitledOrReadableBy(deps, entity, 't', person)} AS "mayRead"
FROM ${table(entity)} t
WHERE t.id = ${int(sent.entityId)} AND NOT t._is_deleted`,
  )
  if (!record) return undefined
  if (sent.showsHidden) return sent
  const mayRead = record.mayRead === true
  // Attachments for users who may not read the record contain only what is the same for everybody.
  const isTheirs = audienceOf(deps, entity, sent, mayRead) === audienceOfAnyReading(sent.audience)
  return isTheirs && (mayRead || sent.skipsRights) ? sent : undefined
}

const findSent = (pool: Pool, deliveryId: number): Promise<Sent | undefined> =>
  queryRow<Sent>(
    pool,
    sql`
SELECT d.mailing_id AS "mailingId", d.audience, u.id AS "userId", coalesce(${userRoleKeys}, '') AS "roleKey",
  m.entity_key AS "entityKey", m.entity_id AS "entityId",
  coalesce((m.data->'sight'->>'shows_hidden')::boolean, false) AS "showsHidden",
  coalesce((m.data->'sight'->>'skips_rights')::boolean, false) AS "skipsRights"
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
JOIN ${table('user')} u ON u.id = d.user_id
LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND ${notDeleted('r')}
WHERE d.id = ${bigint(deliveryId)} AND ${activeUser('u')}`,
  )
