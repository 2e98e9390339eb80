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

/** The encoding that the caller asks for by `Accept-Encoding`, zstd before gzip. */
export const chooseEncoding = (header: string | undefined): Encoding | undefined => {
  const accepted = (header ?? '')
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim())
  return encodings.find(({ name }) => accepted.includes(name))
}
