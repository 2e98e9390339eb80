/** Files that are sent before a record uses them, over HTTP (docs/files.md). */
import { isUtf8 } from 'node:buffer'
import { originOf } from '../audit/record-audit.ts'
import { type Caller, lackingRoles } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import { removeUpload } from '../blobs/blob-rows.ts'
import { keptFileName } from '../blobs/file-name.ts'
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { commentSettings } from '../definitions/comments.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import { apiError, validationError } from '../errors.ts'
import { fileBody, lengthOf } from '../http/endpoint/body.ts'
import { type ApiSection, endpoint } from '../http/endpoint/endpoint.ts'
import { limitedText, type Parameter } from '../http/endpoint/parameters.ts'
import { component, empty, json, objectOf } from '../http/openapi/operation.ts'
import type { StoredUpload, Uploads } from './receive-uploads.ts'

const issue = {
  issue: `must name the file, such as attachment; filename="offer.pdf", or for other characters filename*=UTF-8''%C5%A0ibenik.pdf`,
}

// A value with quotes has its own escapes; one without ends at the next semicolon.
const parameter = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g

/** The name as it is kept. `filename*` is preferred, if it can be read. */
export const contentDisposition: Parameter<string> = {
  description:
    'The name of the file, as in RFC 6266. Folders and control characters in it are left out.',
  schema: { type: 'string', examples: ['attachment; filename="offer.pdf"'] },
  absent: undefined,
  isRequired: true,
  read: (header) => {
    const values = new Map(
      [...header.matchAll(parameter)].map(([, name = '', quoted, plain = '']) => [
        name.toLowerCase(),
        quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain.trim(),
      ]),
    )
    const name = extended(values.get('filename*')) ?? asSent(values.get('filename'))
    return name === undefined || name === '' ? issue : keptFileName(name)
  },
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187); undefined if it is nothing of that kind. */
const extended = (value: string | undefined): string | undefined => {
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(value ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Node.js reads headers as Latin-1; many clients send UTF-8. */
const asSent = (value: string | undefined): string | undefined => {
  if (value === undefined) return undefined
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

export type UploadDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly uploads: Uploads
}

const pixels = { type: 'integer', description: 'Of an image, in pixels.' } as const

const upload = component(
  'Upload',
  objectOf(
    {
      upload: { type: 'string', description: 'What the write of a record names.' },
      sha256: { type: 'string' },
      bytes: { type: 'integer' },
      mimetype: { type: 'string', description: 'By its content, and by its name.' },
      filename: { type: 'string', description: 'As it is kept.' },
      width: pixels,
      height: pixels,
    },
    { required: ['upload', 'sha256', 'bytes', 'mimetype', 'filename'] },
  ),
)

export type UploadAnswer = ReturnType<typeof answerOf>

const answerOf = ({ id, sha256, bytes, mimetype, filename, width, height }: StoredUpload) => ({
  upload: id,
  sha256,
  bytes,
  mimetype,
  filename,
  ...(width !== null && { width }),
  ...(height !== null && { height }),
})

/** Callers who may write nothing have no use for uploads. What all users have of their own, such as views, has no files. */
const permitUpload = ({ catalog, permissions }: UploadDeps, caller: Caller): void => {
  const writes = [...catalog.entities.values()].some((entity) => {
    if (nativeEntity(entity).everyone) return false
    const { create, scopes, actions } = permissions.rightsOf(caller, entity)
    const comments = commentSettings(entity) !== undefined && scopes.comments !== false
    return create || scopes.update !== false || actions.size > 0 || comments
  })
  if (!writes)
    throw apiError(
      'caller.forbidden',
      `${lackingRoles(caller)} permission "create", "update" or "comments" on any entity.`,
    )
}

const common = { tag: 'Files', who: 'caller', isByRights: true } as const

export const uploadSection: ApiSection<UploadDeps> = {
  tags: [{ name: 'Files', description: 'Files that the caller sends, for records to use them.' }],
  endpoints: [
    endpoint({
      ...common,
      method: 'post',
      path: '/api/uploads',
      id: 'upload',
      summary: 'Send a file, for a record to use it',
      description:
        'The body is the file as it is, without a form around it. The upload is used once, by its user, within 24 hours.',
      headers: { contentDisposition },
      body: fileBody(['application/octet-stream']),
      errors: [
        'caller.forbidden',
        'request.saturated',
        'request.too-large',
        'upload.too-much',
        'upload.refused',
        'upload.not-scanned',
      ],
      answers: { 201: json('What was received.', upload) },
      handle: async ({ caller, headers, body, request, reply }, deps: UploadDeps) => {
        permitUpload(deps, caller)
        const { contentDisposition: filename } = headers
        if (filename === undefined)
          throw validationError('request.invalid', [
            { path: 'Content-Disposition', message: 'is required: it names the file' },
          ])
        const bytes = lengthOf(request) || undefined
        const origin = originOf(request)
        const sent = { caller, origin, filename, body, bytes, request: request.database }
        const stored = await deps.uploads.receive(sent)
        reply.status(201)
        return answerOf(stored)
      },
    }),
    endpoint({
      ...common,
      method: 'delete',
      path: '/api/uploads/{upload}',
      id: 'removeUpload',
      summary: 'Remove an upload that no record uses',
      params: { upload: limitedText('What the upload was answered with.', 40) },
      errors: ['upload.unknown'],
      answers: { 204: empty('It is removed.') },
      handle: async ({ caller, params }, { pool }: UploadDeps) => {
        if (!(await removeUpload(pool, caller.userId, params.upload ?? '')))
          throw apiError('upload.unknown', 'You have no such upload.')
      },
    }),
  ],
}
