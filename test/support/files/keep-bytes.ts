/** Bytes that are put into a store without an upload. */
import { createHash } from 'node:crypto'
import type { BlobStore } from '../../../src/blobs/blob-store.ts'

/** Returns their SHA-256. */
export const keepBytes = async (store: BlobStore, content: string | Buffer): Promise<string> => {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const blob = await store.create()
  await blob.file.writeFile(content)
  await blob.keep(sha256).finally(() => blob.close())
  return sha256
}
