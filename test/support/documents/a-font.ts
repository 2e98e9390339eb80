/** A font of a script that no shipped font has: the letters of the Hebrew font, under the code points of another script. */
import { readFile } from 'node:fs/promises'
import { fontPaths } from '../../../src/documents/typst/fonts.ts'

/** Has glyphs for `count` code points from the first one on. */
export const fontFor = async (first: number, count: number): Promise<Buffer> => {
  const path = fontPaths.find((one) => one.endsWith('NotoSansHebrew-Regular.ttf')) ?? ''
  const font = await readFile(path)
  const entry = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + index * 16).find(
    (at) => font.toString('latin1', at, at + 4) === 'cmap',
  )
  if (entry === undefined) throw new Error(`${path} has no table of characters`)
  const table = groups(first, count)
  font.writeUInt32BE(font.length, entry + 8)
  font.writeUInt32BE(table.length, entry + 12)
  return Buffer.concat([font, table])
}

/** A table of characters with one group, which begins with the third glyph. */
const groups = (first: number, count: number): Buffer => {
  const table = Buffer.alloc(40)
  table.writeUInt16BE(1, 2)
  table.writeUInt16BE(3, 4)
  table.writeUInt16BE(10, 6)
  table.writeUInt32BE(12, 8)
  table.writeUInt16BE(12, 12)
  table.writeUInt32BE(28, 16)
  table.writeUInt32BE(1, 24)
  table.writeUInt32BE(first, 28)
  table.writeUInt32BE(first + count - 1, 32)
  table.writeUInt32BE(3, 36)
  return table
}
