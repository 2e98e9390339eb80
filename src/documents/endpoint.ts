/** `GET /<entity>/{entityId}/documents`: its printable documents, as PDFs or pictures (docs/printable-documents.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf, recordDone } from '../audit/record-audit.ts'
import { authorOf, type Caller } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { Entity } from '../definitions/catalog.ts'
import { apiError } from '../errors.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { text } from '../http/endpoint/parameters.ts'
import { dispositionOf } from '../http/file-name.ts'
import {
  dataOf,
  type HeaderDescriptions,
  json,
  media,
  objectOf,
  plainText,
  type ValueOf,
} from '../http/openapi/operation.ts'
import type { Observe } from '../observations.ts'
import type { RecordScope } from '../query/access.ts'
import { unknownRecord } from '../records/read-records.ts'
import { recordParams } from '../records/record-request.ts'
import { listDocuments } from './printable-document.ts'
import { type DocumentDeps, renderDocument } from './render-document.ts'
import { maxPicturedPages } from './typst/engine.ts'

type DocumentEndpointDeps = DocumentDeps & {
  readonly permissions: Permissions
  readonly observe: Observe
}

const documentParams = {
  ...recordParams,
  code: text('Code of a printable document of this entity.', { isRequired: true, maxLength: 63 }),
}

const unprintedHeader = 'X-Missing-Scripts'

const documentHeaders: HeaderDescriptions = {
  [unprintedHeader]: {
    description:
      'The scripts in the document that no font has, so that boxes are printed; only if there are any.',
    schema: { type: 'string', examples: ['Thai, emoji'] },
  },
}

const common = {
  method: 'get',
  right: 'read',
  description: 'Fields and links that your role may not see are not in it.',
  params: documentParams,
} as const

type Call = {
  readonly caller: Caller
  readonly entity: Entity
  readonly scope: RecordScope
  readonly params: { readonly entityId: number; readonly code?: string | undefined }
  readonly request: FastifyRequest
}

const render = async (
  { caller, entity, scope, params, request }: Call,
  deps: DocumentEndpointDeps,
  withPicture: boolean,
) => {
  const { entityId, code = '' } = params
  const made = await renderDocument(deps, {
    entity,
    id: entityId,
    code,
    actorId: caller.userId,
    withPicture,
    reader: { access: deps.permissions.accessOf(caller), scope, userId: caller.userId },
  })
  recordDone(deps, {
    kind: 'printDocument',
    by: authorOf(caller),
    entityKey: entity.key,
    entityId,
    origin: originOf(request),
    detail: { code },
  })
  return made
}

/** Pages of this service alone may show it in a frame. */
const framing = "frame-ancestors 'self'"

/** A picture opened by itself runs and loads nothing; images are in it. */
const picturePolicy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox; ${framing}`

type Shown = {
  readonly type: string
  readonly filename: string
  readonly policy: string
  readonly unprinted: readonly string[]
}

const sendShown = (
  reply: FastifyReply,
  body: Uint8Array | string,
  { type, filename, policy, unprinted }: Shown,
) =>
  reply
    .type(type)
    .headers(unprinted.length > 0 ? { [unprintedHeader]: unprinted.join(', ') } : {})
    .header('Content-Disposition', dispositionOf('inline', filename))
    .header('Content-Security-Policy', policy)
    .header('Cache-Control', 'private, no-store')
    .send(body)

const print = entityEndpoint({
  ...common,
  verb: 'print',
  path: '/{entityId}/documents/{code}',
  summary: ({ name }) => `A PDF of a record of “${plainText(name)}”`,
  errors: ['document.unknown', 'document.invalid', 'request.saturated'],
  answers: () => ({
    200: media('The document, to be shown or saved.', 'application/pdf', {
      headers: ['Content-Disposition', unprintedHeader],
      schema: { type: 'string', format: 'binary' },
    }),
  }),
  handle: async (call, deps: DocumentEndpointDeps) => {
    const { pdf, ...made } = await render(call, deps, false)
    return sendShown(call.reply, pdf, { ...made, type: 'application/pdf', policy: framing })
  },
})

const picture = entityEndpoint({
  ...common,
  verb: 'picture',
  path: '/{entityId}/documents/{code}/picture',
  summary: ({ name }) => `A picture of a document of a record of “${plainText(name)}”`,
  description: `All pages below each other, at most ${maxPicturedPages}, where no PDF can be shown.`,
  errors: ['document.unknown', 'document.invalid', 'request.saturated', 'answer.too-large'],
  answers: () => ({
    200: media('The pages.', 'image/svg+xml', {
      headers: ['Content-Disposition', unprintedHeader],
    }),
  }),
  handle: async (call, deps: DocumentEndpointDeps) => {
    const { picture: svg, pages, filename, unprinted } = await render(call, deps, true)
    if (svg === undefined)
      throw apiError('answer.too-large', `The document has ${pages} pages. Request it as a PDF.`)
    const name = filename.replace(/pdf$/, 'svg')
    return sendShown(call.reply, svg, {
      type: 'image/svg+xml',
      filename: name,
      policy: picturePolicy,
      unprinted,
    })
  },
})

const documentName = objectOf({ code: { type: 'string' }, name: { type: 'string' } })
export type DocumentName = ValueOf<typeof documentName>

const list = entityEndpoint({
  verb: 'listDocuments',
  method: 'get',
  path: '/{entityId}/documents',
  right: 'read',
  summary: ({ name }) => `The printable documents of a record of “${plainText(name)}”`,
  description: 'For everybody who may read the record, by name; at most 100.',
  params: recordParams,
  answers: () => ({
    200: json('What can be printed.', dataOf(documentName)),
  }),
  handle: async ({ entity, scope, params }, deps: DocumentEndpointDeps) => {
    const { entityId: id } = params
    const data = await listDocuments(deps.pool, { entity, id, scope })
    if (!data) throw unknownRecord(entity, id)
    return { data }
  },
})

export const documentSection: ApiSection<DocumentEndpointDeps> = {
  headers: documentHeaders,
  endpoints: [list, print, picture],
}
