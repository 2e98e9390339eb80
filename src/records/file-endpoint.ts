/**
 * `GET /<entity>/{entityId}/file/{fileId}`: the bytes of a file of a record or of a comment on it (docs/files.md). A file has no right of
 * its own: it is read where its record and its field or its comment are, and one that is there no more by those who read the history.
 */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { BlobStore, ByteRange } from '../blobs/blob-store.ts'
import {
  type ThumbnailSize,
  type Thumbnails,
  thumbnailSizes,
} from '../blobs/thumbnails/thumbnails.ts'
import { type Queryable, queryShaped } from '../database/pool.ts'
import {
  anyOf,
  int,
  notDeleted,
  nothing,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { commentSettings } from '../definitions/comments.ts'
import { fileColumns } from '../definitions/files.ts'
import { recordParts } from '../definitions/native-entities.ts'
import { isMediaType, isNamedAs } from '../definitions/values/media-types.ts'
import { apiError } from '../errors.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import {
  id,
  ifNoneMatch,
  oneOfNumbers,
  text as textParameter,
} from '../http/endpoint/parameters.ts'
import { dispositionOf } from '../http/file-name.ts'
import { empty, media } from '../http/openapi/operation.ts'
import { hasAlready, mayBePart, readRange } from '../http/preconditions.ts'
import { type Access, type RecordScope, shownIn, withoutShared } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { quoted, type RecordDeps, recordParams } from './record-request.ts'

export type FileDeps = RecordDeps & { readonly blobs: BlobStore; readonly thumbnails: Thumbnails }

type FoundFile = {
  readonly sha256: string
  readonly filename: string
  readonly mimetype: string
  readonly bytes: number
}

type Asked = {
  readonly entity: Entity
  readonly id: number
  readonly fileId: number
  readonly access: Access
  /** The records that the caller reads, and those that the caller may remove, whose history stays readable when they are removed. */
  readonly scope: RecordScope
  readonly removable: RecordScope
  /** Those whose internal comments the caller reads. */
  readonly internal: RecordScope
}

/** One statement decides: who reads the history of the record, and the field in it. Otherwise there is no such file. */
export const findFile = async (database: Queryable, asked: Asked): Promise<FoundFile> => {
  const { entity, id: recordId, fileId, access, removable, internal } = asked
  const scope = withoutShared(asked.scope)
  const inScope = (one: RecordScope) => compileScope(one, entity.hasOwner, 't')
  const shown = fileColumns(entity)
    .filter((column) => access.maySee(entity, column))
    .map(
      (column) =>
        sql`(f.column_name = ${text(column.name)} AND ${inScope(withoutShared(shownIn(scope, column)))})`,
    )
  const ofRecord = sql`(f.entity_key = ${text(entity.key)} AND f.entity_id = t.id AND ${anyOf(shown)})`
  const [found] = await queryShaped<FoundFile>(
    database,
    sql`
      SELECT f.sha256, f.filename, f.mimetype, f.bytes
      FROM docket.file f
      JOIN ${table(entity)} t ON t.id = ${int(recordId)}
      WHERE f.id = ${int(fileId)} AND ${inScope(scope)} AND (${notDeleted('t')} OR ${inScope(removable)})
        AND ${anyOf([ofRecord, ...ofParts(entity, inScope(internal))])}`,
  )
  if (!found) throw unknownFile(entity, recordId, fileId)
  return found
}

/** Whether a file `f` is of a part of the record `t` that is read with it. */
const ofParts = (entity: Entity, seesConfined: Sql): readonly Sql[] =>
  [...recordParts].flatMap(([key, { readBy, confined }]) => {
    if (readBy !== 'read') return []
    const isShown = confined
      ? sql` AND (NOT ${ref(confined.flag, 'p')} OR ${seesConfined})`
      : nothing
    return [
      sql`(f.entity_key = ${text(key)} AND EXISTS (
          SELECT FROM ${table(key)} p
          WHERE p.id = f.entity_id AND p.key = ${text(entity.key)} AND p.entity_id = t.id${isShown}
        ))`,
    ]
  })

const unknownFile = (
  { key }: Pick<Entity, 'key'>,
  recordId: number | string,
  fileId: number | string,
) =>
  apiError('record.unknown', `There is no file ${fileId} of ${key} ${recordId} that you may read.`)

/** Pages of this service alone may show it in a frame. */
const framing = "frame-ancestors 'self'"
/** Opened by itself it runs and loads nothing. */
const sandbox = `default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; ${framing}`

/** What browsers show, with their policies; all else is saved. Browsers show no PDF in a sandbox, and run its scripts apart. */
const inlineTypes: Readonly<Record<string, string>> = {
  'image/png': sandbox,
  'image/jpeg': sandbox,
  'image/webp': sandbox,
  'image/avif': sandbox,
  'image/gif': sandbox,
  'video/mp4': sandbox,
  'text/plain': sandbox,
  'application/pdf': framing,
}

/** One whose name says something else is saved as well. */
const policyOf = ({ mimetype, filename }: FoundFile): string | undefined =>
  Object.hasOwn(inlineTypes, mimetype) && isNamedAs(mimetype, filename)
    ? inlineTypes[mimetype]
    : undefined

const describeFile = (reply: FastifyReply, file: FoundFile): void => {
  const policy = policyOf(file)
  const charset = isMediaType('text/*', file.mimetype) ? '; charset=utf-8' : ''
  reply
    .type(policy === undefined ? 'application/octet-stream' : `${file.mimetype}${charset}`)
    .header('Content-Disposition', dispositionOf(policy ? 'inline' : 'attachment', file.filename))
    .header('Content-Security-Policy', policy ?? sandbox)
}

type Wanted = {
  readonly range?: string | undefined
  readonly ifRange?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

/** Sends the file, the part of it that is wanted, or that the caller has it. */
const sendFile = async (
  reply: FastifyReply,
  blobs: BlobStore,
  file: FoundFile,
  wanted: Wanted,
): Promise<FastifyReply> => {
  const { sha256, bytes } = file
  const etag = `"${sha256}"`
  reply.header('Accept-Ranges', 'bytes')
  if (hasAlready(wanted.ifNoneMatch, etag)) return reply.status(304).header('ETag', etag).send()
  const range = mayBePart(wanted.ifRange, etag) ? readRange(wanted.range, bytes) : undefined
  if (range === 'unsatisfiable')
    throw apiError('request.range-not-satisfiable', `The file has ${bytes} bytes.`, {
      headers: { 'Content-Range': `bytes */${bytes}` },
    })
  const isHead = reply.request.method === 'HEAD'
  const body = isHead ? Readable.from([]) : await blobs.open(sha256, range)
  describeFile(reply, file)
  reply.header('ETag', etag).header('Content-Length', lengthOf(range, bytes))
  if (range)
    reply.status(206).header('Content-Range', `bytes ${range.first}-${range.last}/${bytes}`)
  return reply.send(body)
}

/** Sends a small picture of it: no part, and nothing of the file but what it shows. */
const sendThumbnail = async (
  reply: FastifyReply,
  thumbnails: Thumbnails,
  file: FoundFile,
  size: ThumbnailSize,
  wanted: Wanted,
): Promise<FastifyReply> => {
  const etag = `"${file.sha256}-${size}"`
  if (hasAlready(wanted.ifNoneMatch, etag)) return reply.status(304).header('ETag', etag).send()
  const image = await thumbnails.find(file, size)
  return reply
    .type('image/webp')
    .header('Content-Disposition', dispositionOf('inline', `${file.filename}.webp`))
    .header('Content-Security-Policy', sandbox)
    .header('ETag', etag)
    .header('Content-Length', image.length)
    .send(reply.request.method === 'HEAD' ? Readable.from([]) : image)
}

const lengthOf = (range: ByteRange | undefined, bytes: number): number =>
  range ? range.last - range.first + 1 : bytes

const fileId = id({
  description: 'Id of the file, as the record or its history shows it.',
  unknown: (given, { entity, params }) =>
    unknownFile(entity ?? { key: 'record' }, params.entityId ?? '', given),
  errors: ['record.unknown'],
})

const bytesOf = (description: string, headers: readonly string[]) =>
  media(description, '*/*', { headers, schema: { type: 'string', format: 'binary' } })

const described = ['Content-Disposition', 'ETag', 'Accept-Ranges']

const download = entityEndpoint({
  verb: 'file',
  method: 'get',
  path: '/{entityId}/file/{fileId}',
  right: 'read',
  refuse: (entity) =>
    fileColumns(entity).length > 0 || commentSettings(entity)
      ? undefined
      : apiError('request.no-such-path', `Records of ${entity.key} have no files.`),
  summary: (entity) => `The bytes of a file of a record of ${quoted(entity)}`,
  description:
    'For everybody who reads the record and the field, or the comment that it is in; one that is there no more, too, because the history names it. Files of removed records are for callers with the permission `delete` on them. Pictures, PDFs, plain texts and MP4 are sent to be shown, all else to be saved.',
  params: { ...recordParams, fileId },
  query: {
    size: oneOfNumbers(thumbnailSizes, {
      description:
        'Of a PNG, JPEG, WebP, AVIF or GIF: a thumbnail as WebP, whose longer side has at most so many pixels.',
    }),
  },
  headers: {
    ifNoneMatch,
    range: textParameter(
      'Part of the bytes, such as `bytes=0-1023`; several parts are answered with the whole.',
    ),
    ifRange: textParameter(
      'The `ETag` of what the part belongs to: when the file has another one, the whole is answered.',
    ),
  },
  errors: ['request.range-not-satisfiable', 'file.no-thumbnail'],
  answers: () => ({
    200: bytesOf('The bytes, or the thumbnail.', described),
    206: bytesOf('The part of them.', [...described, 'Content-Range']),
    304: empty('Unchanged since it was read.', ['ETag']),
  }),
  handle: async ({ caller, entity, scope, params, query, headers, reply }, deps: FileDeps) => {
    const { permissions } = deps
    const asked = {
      entity,
      scope,
      id: params.entityId,
      fileId: params.fileId,
      access: permissions.accessOf(caller),
      removable: permissions.scopeOf(caller, 'delete', entity),
      internal: permissions.scopeOf(caller, 'internalComments', entity),
    }
    const file = await deps.read((pool) => findFile(pool, asked))
    return query.size === undefined
      ? sendFile(reply, deps.blobs, file, headers)
      : sendThumbnail(reply, deps.thumbnails, file, query.size, headers)
  },
})

export const fileEndpoints = [download]
