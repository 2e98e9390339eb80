/** Sends a running export: compressed as asked for, with a manifest at its end when wished. */
import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { RunningExport } from './run-export.ts'

type Encoding = { readonly name: string; readonly compress: () => Transform }

// Fast levels: an export waits for the slower of PostgreSQL and the compressor.
const encodings: readonly Encoding[] = [
  {
    name: 'zstd',
    compress: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  },
  { name: 'gzip', compress: () => createGzip({ level: 4 }) },
]

/** The encoding that the caller asks for by `Accept-Encoding`, zstd before gzip. */
export const chooseEncoding = (header: string | undefined): Encoding | undefined => {
  const accepted = (header ?? '')
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim())
  return encodings.find(({ name }) => accepted.includes(name))
}

/**
 * Trailers (RFC 9110, 6.5): `X-Row-Count`, and `Digest` (RFC 3230) over the bytes as they are sent.
 * They come only after a whole answer.
 */
const manifest = (reply: FastifyReply, { rows }: RunningExport): Transform => {
  const hash = createHash('sha256')
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      reply.raw.addTrailers({
        'X-Row-Count': String(rows()),
        Digest: `sha-256=${hash.digest('base64')}`,
      })
      done()
    },
  })
}

type Sending = {
  readonly reply: FastifyReply
  readonly running: RunningExport
  readonly acceptEncoding: string | undefined
  readonly withManifest: boolean
  /** Told once: with the error when the stream broke. */
  readonly onEnd: (error: Error | null | undefined, bytes: number) => void
}

/** Answers with the stream; the connection is cut when the stream breaks. */
export const sendExport = ({ reply, running, acceptEncoding, withManifest, onEnd }: Sending) => {
  const encoding = chooseEncoding(acceptEncoding)
  reply.header('Vary', 'Accept, Accept-Encoding')
  if (encoding) reply.header('Content-Encoding', encoding.name)
  // HTTP/1.0 has no trailers.
  const hasTrailers = withManifest && reply.request.raw.httpVersion !== '1.0'
  if (hasTrailers) reply.header('Trailer', 'X-Row-Count, Digest')
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(null, chunk)
    },
  })
  // A reset, for over HTTP/1.0 a plain end of the connection would be the end of a whole answer.
  counter.once('error', () => reply.raw.socket?.resetAndDestroy())
  const stages = [
    running.stream,
    ...(encoding ? [encoding.compress()] : []),
    ...(hasTrailers ? [manifest(reply, running)] : []),
    counter,
  ]
  // One pipeline: whichever part breaks, all of them end.
  pipeline(stages as unknown as [Readable, Transform], (error) => onEnd(error, bytes))
  return reply.send(counter)
}
