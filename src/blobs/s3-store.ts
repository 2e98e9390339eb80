/** Stores bytes in a bucket of Amazon S3, or of a store with the same protocol. The library is loaded with the first use. */
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import type { FilesBucket } from '../config/files-place.ts'
import { errorText } from '../errors.ts'
import { type BlobStore, MissingBlob, type StoredBlob } from './blob-store.ts'
import { createUnnamed } from './received-file.ts'

const load = async ({ endpoint, region, credentials }: FilesBucket) => {
  const library = await import('@aws-sdk/client-s3')
  const client = new library.S3Client({
    region,
    // Stores that are not Amazon's know no checksums but their own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(credentials && { credentials }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
  })
  return { ...library, client }
}

export const openS3Store = (place: FilesBucket): BlobStore => {
  const { bucket: Bucket, prefix } = place
  const name = `s3://${Bucket}/${prefix}`
  let loading: ReturnType<typeof load> | undefined
  const s3 = () => (loading ??= load(place))
  const folder = `${prefix}sha256/`
  const at = (sha256: string) => ({
    Bucket,
    Key: `${folder}${sha256.slice(0, 2)}/${sha256.slice(2)}`,
  })
  return {
    name,
    isInBackups: false,
    findFault: async () => {
      const { client, ListObjectsV2Command } = await s3()
      // The answer to a HEAD would have no body, and so no reason. No object has such a name, so that this one is short.
      const nothing = { Bucket, Prefix: `${folder}-` }
      return client.send(new ListObjectsV2Command(nothing)).then(
        () => undefined,
        (error: unknown) => `${name}: ${errorText(error)}`,
      )
    },
    prepare: async () => tmpdir(),
    create: async () => {
      const file = await createUnnamed()
      return {
        file,
        keep: async (sha256) => {
          const { client, PutObjectCommand } = await s3()
          const { size } = await file.stat()
          const put = { ...at(sha256), Body: readAll(file), ContentLength: size }
          await client.send(new PutObjectCommand(put))
        },
        close: () => file.close(),
      }
    },
    open: async (sha256, range) => {
      const { client, GetObjectCommand } = await s3()
      const part = range && { Range: `bytes=${range.first}-${range.last}` }
      const found = await client
        .send(new GetObjectCommand({ ...at(sha256), ...part }))
        .catch((error: unknown) => {
          if (isMissing(error)) throw new MissingBlob(sha256, name, { cause: error })
          throw error
        })
      return found.Body as Readable
    },
    sizeOf: async (sha256) => {
      const { client, HeadObjectCommand } = await s3()
      const found = await client.send(new HeadObjectCommand(at(sha256))).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
      return found?.ContentLength
    },
    remove: async (sha256) => {
      const { client, DeleteObjectCommand } = await s3()
      await client.send(new DeleteObjectCommand(at(sha256)))
    },
    async *list() {
      const { client, paginateListObjectsV2 } = await s3()
      for await (const { Contents = [] } of paginateListObjectsV2(
        { client },
        { Bucket, Prefix: folder },
      ))
        yield Contents.flatMap(({ Key = '', Size = 0 }): StoredBlob[] => {
          const sha256 = Key.slice(folder.length).replace('/', '')
          return /^[0-9a-f]{64}$/.test(sha256) ? [{ sha256, bytes: Size }] : []
        })
    },
    // The system frees what has no name.
    removeAbandoned: async () => undefined,
  }
}

const readAll = (file: FileHandle): Readable =>
  file.createReadStream({ autoClose: false, start: 0, highWaterMark: 262_144 })

const isMissing = (error: unknown): boolean =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404
