/** The attachments of e-mails over HTTP: behind the link that an e-mail carries, and for administrators. */
import type { FastifyReply } from 'fastify'
import { apiError } from '../../errors.ts'
import { endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { type Parameter, text } from '../../http/endpoint/parameters.ts'
import { dispositionOf } from '../../http/file-name.ts'
import { media } from '../../http/openapi/operation.ts'
import { deliveryId, emailTag as tag } from '../delivery-endpoints.ts'
import type { Attachment } from '../email/email.ts'
import type { Signer } from '../signed-token.ts'
import { readAttachment } from './attachment-store.ts'
import { findForRecipient, findStoredPlace, type RecipientCheckDeps } from './stored-place.ts'

export type AttachmentDeps = RecipientCheckDeps & {
  readonly signer: Signer
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
      token: text('As in the link of the e-mail; valid for 30 days.', { isRequired: true }),
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
      return send(reply, await readAttachment(deps.pool, place, Number(claim.position)))
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
    handle: async ({ params, reply }, { pool }: AttachmentDeps) => {
      const place = await findStoredPlace(pool, params.deliveryId)
      return send(reply, place && (await readAttachment(pool, place, params.position)))
    },
  }),
]

/** Always as a download: whatever it contains, a browser does not run it here. */
const send = (reply: FastifyReply, document: Attachment | undefined) => {
  if (!document) throw apiError('delivery.unknown', 'There is no such attachment any more.')
  return reply
    .type(document.mimetype)
    .header('Content-Disposition', dispositionOf('attachment', document.filename))
    .header('Cache-Control', 'private, no-store')
    .send(document.data)
}
