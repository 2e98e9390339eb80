/** A file of a page as it is served: compressed once for each encoding, with its entity tag. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding, type Encoding } from '../export/encodings.ts'
import { hasAlready } from '../http/preconditions.ts'

export type Asset = {
  readonly type: string
  readonly body: Buffer
  readonly etag: string
  /**
   * By the name of the encoding. Cached, because otherwise unknown callers could cause this work for each
   * request.
   */
  readonly compressed: Map<string, Promise<Buffer>>
}

/** The content of a type, with its digest as entity tag. */
export const createAsset = (type: string, content: string | Buffer): Asset => {
  const body = Buffer.from(content)
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { type, body, etag: `"${digest}"`, compressed: new Map() }
}

const compress = ({ body, compressed }: Asset, { name, compress }: Encoding): Promise<Buffer> => {
  const known = compressed.get(name)
  if (known !== undefined) return known
  const stream = compress()
  const made = buffer(stream.end(body))
  compressed.set(name, made)
  return made
}

/** Compressed as requested; the tag is weak, because it is the same for every encoding. */
export const sendAsset = async (asset: Asset, request: FastifyRequest, reply: FastifyReply) => {
  const { type, body, etag } = asset
  reply.headers({
    ETag: `W/${etag}`,
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding, Authorization, Cookie',
  })
  if (hasAlready(request.headers['if-none-match'], etag)) return reply.status(304).send()
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  reply.type(type)
  if (!encoding) return reply.send(body)
  const compressed = await compress(asset, encoding)
  return reply.header('Content-Encoding', encoding.name).send(compressed)
}
