/** `GET /:entityKey/:entityId/documents/:code`: a printable document of a record (docs/printable-documents.md). */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import { callerOf } from '../http/caller-of.ts'
import { readId, readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { shorten } from '../issues.ts'
import { unknownRecord } from '../records/read-records.ts'
import { dispositionOf } from './document-name.ts'
import { type DocumentDeps, type DocumentRequest, renderDocument } from './render-document.ts'

export type DocumentRouteDeps = DocumentDeps & {
  readonly permissions: Permissions
}

type Params = { Params: { entityKey: string; entityId: string; code: string } }

/** Mounts the path. */
export const documentRoutes =
  (deps: DocumentRouteDeps): Routes =>
  (server) => {
    server.get<Params>('/:entityKey/:entityId/documents/:code', async (request, reply) => {
      const caller = callerOf(request)
      const { pdf, filename } = await renderDocument(deps, readWish(deps, caller, request))
      return reply
        .type('application/pdf')
        .header('Content-Disposition', dispositionOf(filename))
        .header('Cache-Control', 'private, no-store')
        .send(pdf)
    })
  }

/** Everything that can be refused without the database is refused here. */
const readWish = (
  { permissions }: DocumentRouteDeps,
  caller: Caller,
  { params, query }: FastifyRequest<Params>,
): DocumentRequest => {
  const entity = permissions.entityFor(caller, params.entityKey)
  readQuery(query, {})
  const scope = permissions.permit(caller, 'read', entity)
  const id = readId(params.entityId, 'entityId')
  if (id === undefined) throw unknownRecord(entity, shorten(params.entityId, 30))
  const reader = { access: permissions.accessOf(caller), scope, userId: caller.userId }
  return { code: params.code, entity, id, actorId: caller.userId, reader }
}
