/** Builds the console into dist/console, with compressed copies of every file that shrinks by it. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, zstdCompress } from 'node:zlib'
import { build } from 'vite'

const output = join(import.meta.dirname, '../dist/console')

const brotli = promisify(brotliCompress)
const zstd = promisify(zstdCompress)
const encodings = {
  br: (body: Buffer) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  // With the size it takes no more memory than the file needs.
  zst: (body: Buffer) =>
    zstd(body, {
      params: { [constants.ZSTD_c_compressionLevel]: 19 },
      pledgedSrcSize: body.length,
    }),
}

/** Writes `<file>.br` and `<file>.zst` next to a file. */
const compress = async (file: string): Promise<void> => {
  const body = await readFile(file)
  for (const [extension, encode] of Object.entries(encodings)) {
    const encoded = await encode(body)
    if (encoded.length < body.length) await writeFile(`${file}.${extension}`, encoded)
  }
}

await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
const assets = join(output, 'assets')
const names = (await readdir(assets)).values()
// A few at a time: each takes up to 100 MB of memory at its start.
const compressRest = async () => {
  for (const name of names) await compress(join(assets, name))
}
await Promise.all(Array.from({ length: availableParallelism() }, compressRest))
