/** The documents of e-mails: behind the link that an e-mail carries, and beside a delivery for administrators. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { type Pool, queryRows } from '../database/pool.ts'
import { bound, sql, toStatement } from '../database/sql.ts'
import { administratorRole } from '../definitions/check-role.ts'
import { fault } from '../errors.ts'
import { readId, readQuery, words } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { readDocument } from './documents-store.ts'
import type { Attachment } from './email.ts'
import type { Signer } from './signed-token.ts'

type AttachmentParts = {
  readonly pool: Pool
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  readonly signer: Signer
}

type Params = { Params: { deliveryId: string; position: string } }

/** Mounts /api/attachments and the attachments of /api/deliveries. */
export const attachmentRoutes =
  (parts: AttachmentParts): Routes =>
  (server) => {
    server.get('/api/attachments', async (request, reply) => {
      const { token = '' } = readQuery(request.query, { token: words })
      const claim = parts.signer.read(token)
      if (claim?.for !== 'attachment' || Date.parse(String(claim.until)) < Date.now())
        throw fault(
          'request.no-such-path',
          'This link was not made by the service, or it has ended.',
        )
      const { mailing, position } = claim
      return send(reply, await readDocument(parts.pool, Number(mailing), Number(position)))
    })
    server.get<Params>(
      '/api/deliveries/:deliveryId/attachments/:position',
      async (request, reply) => {
        const { roleKey } = await parts.authenticate(request)
        readQuery(request.query, {})
        if (roleKey !== administratorRole)
          throw fault('caller.forbidden', 'Only administrators see deliveries.')
        const id = readId(request.params.deliveryId, 'deliveryId')
        const mailing = id === undefined ? undefined : await findMailing(parts.pool, id)
        const position = /^\d{1,6}$/.test(request.params.position)
          ? Number(request.params.position)
          : -1
        const found =
          mailing === undefined ? undefined : await readDocument(parts.pool, mailing, position)
        return send(reply, found)
      },
    )
  }

const findMailing = async (pool: Pool, deliveryId: number): Promise<number | undefined> => {
  const select = sql`SELECT mailing_id FROM docket.delivery WHERE id = ${bound(deliveryId, 'bigint')}`
  const [row] = await queryRows<{ mailing_id: number }>(pool, toStatement(select))
  return row?.mailing_id
}

/** Always as a file to keep: whatever it holds, a browser does not run it here. */
const send = (reply: FastifyReply, document: Attachment | undefined) => {
  if (!document) throw fault('delivery.unknown', 'There is no such attachment any more.')
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
