/** Builds the console into dist/console, with compressed copies of every file that shrinks by it. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, zstdCompress } from 'node:zlib'
import { build } from 'vite'

const output = join(import.meta.dirname, '../dist/console')

const brotli = promisify(brotliCompress)
const zstd = promisify(zstdCompress)
const encodings = {
  br: (body: Buffer) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  zst: (body: Buffer) => zstd(body, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
}

/** Writes `<file>.br` and `<file>.zst` beside a file. */
const compress = async (file: string): Promise<void> => {
  const body = await readFile(file)
  for (const [extension, encode] of Object.entries(encodings)) {
    const encoded = await encode(body)
    if (encoded.length < body.length) await writeFile(`${file}.${extension}`, encoded)
  }
}

await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
const assets = join(output, 'assets')
await Promise.all((await readdir(assets)).map((name) => compress(join(assets, name))))
