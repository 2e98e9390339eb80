/** How an answer is compressed; each encoding is a row. */
import type { Transform } from 'node:stream'
import { constants, createGzip, createZstdCompress } from 'node:zlib'

export type Encoding = { readonly name: string; readonly compress: () => Transform }

// Fast levels: an export waits for the slower of PostgreSQL and the compressor.
const encodings: readonly Encoding[] = [
  {
    name: 'zstd',
    compress: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  },
  { name: 'gzip', compress: () => createGzip({ level: 4 }) },
]

export const findEncoding = (name: string | undefined): Encoding | undefined =>
  encodings.find((encoding) => encoding.name === name)

/** The first accepted encoding, zstd before gzip. */
export const firstEncoding = (isAccepted: (name: string) => boolean): Encoding | undefined =>
  encodings.find(({ name }) => isAccepted(name))
