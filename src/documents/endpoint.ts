/** `GET /<entity>/{entityId}/documents/{code}`: a printable document (docs/printable-documents.md). */
import type { Permissions } from '../auth/permissions.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { text } from '../http/endpoint/parameters.ts'
import { media, plainText } from '../http/openapi/operation.ts'
import { recordParams } from '../records/record-request.ts'
import { dispositionOf } from './document-name.ts'
import { type DocumentDeps, renderDocument } from './render-document.ts'

export type DocumentEndpointDeps = DocumentDeps & { readonly permissions: Permissions }

const print = entityEndpoint({
  verb: 'print',
  method: 'get',
  path: '/{entityId}/documents/{code}',
  right: 'read',
  summary: ({ name }) => `A PDF of a record of “${plainText(name)}”`,
  description: 'Fields and links that your role may not see are not in it.',
  params: {
    ...recordParams,
    code: text('Code of a printable document of this entity.', { isRequired: true, maxLength: 63 }),
  },
  errors: ['document.unknown', 'document.invalid', 'request.saturated'],
  answers: () => ({
    200: media('The document, to be shown or saved.', 'application/pdf', {
      headers: ['Content-Disposition'],
      schema: { type: 'string', format: 'binary' },
    }),
  }),
  handle: async ({ caller, entity, scope, params, reply }, deps: DocumentEndpointDeps) => {
    const { userId } = caller
    const { pdf, filename } = await renderDocument(deps, {
      ...{ entity, id: params.entityId, code: params.code ?? '', actorId: userId },
      reader: { access: deps.permissions.accessOf(caller), scope, userId },
    })
    return reply
      .type('application/pdf')
      .header('Content-Disposition', dispositionOf(filename))
      .header('Cache-Control', 'private, no-store')
      .send(pdf)
  },
})

/** One path of every entity. */
export const documentSection: ApiSection<DocumentEndpointDeps> = { endpoints: [print] }
