/** Reads a workbook: the archive by yauzl, its checksums, and the XML by a small strict parser. */
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'

/** A cell as a spreadsheet sees it. `style` is its index in styles.xml. */
export type XlsxCell = {
  readonly kind: 'text' | 'number' | 'boolean' | 'absent'
  readonly style: number
  readonly value: string
}

/** Every file of the archive by path. Fails on a wrong checksum. */
export const readArchive = async (bytes: Buffer): Promise<Map<string, string>> => {
  const archive = await yauzl.fromBufferPromise(bytes)
  const parts = new Map<string, string>()
  for await (const entry of archive.eachEntry()) {
    const content = await buffer(await archive.openReadStreamPromise(entry))
    assert.equal(crc32(content), entry.crc32, `The checksum of ${entry.fileName} is wrong.`)
    assert.ok(!parts.has(entry.fileName), `${entry.fileName} is in the archive twice.`)
    parts.set(entry.fileName, content.toString())
  }
  return parts
}

/** The cells of the first sheet, row by row. Every part of the workbook must be well-formed XML. */
export const readXlsx = async (bytes: Buffer): Promise<XlsxCell[][]> => {
  const parts = await readArchive(bytes)
  for (const [path, text] of parts) checkXml(path, text)
  return readSheet(parts.get('xl/worksheets/sheet1.xml') ?? '')
}

/** The names of the sheets, in order. */
export const sheetNames = (parts: ReadonlyMap<string, string>): string[] =>
  [...(parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(
    ([, name = '']) => decodeXml(name),
  )

const readSheet = (xml: string): XlsxCell[][] =>
  [...xml.matchAll(/<row>(.*?)<\/row>/gs)].map(([, cells = '']) =>
    [...cells.matchAll(/<c(?<head>[^>]*?)(?:\/>|>(?<inside>.*?)<\/c>)/gs)].map(({ groups }) =>
      readCell(groups?.head ?? '', groups?.inside),
    ),
  )

const readCell = (head: string, inside: string | undefined): XlsxCell => {
  const style = Number(/ s="(\d+)"/.exec(head)?.[1] ?? 0)
  if (inside === undefined) return { kind: 'absent', style, value: '' }
  const text = /^<is><t xml:space="preserve">(.*)<\/t><\/is>$/s.exec(inside)?.[1]
  if (text !== undefined) return { kind: 'text', style, value: decodeCharacters(decodeXml(text)) }
  const value = /^<v>([^<]+)<\/v>$/.exec(inside)?.[1]
  assert.ok(value !== undefined, `This is not a cell: ${inside.slice(0, 200)}`)
  return { kind: head.includes('t="b"') ? 'boolean' : 'number', style, value }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

const decodeXml = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
    code === undefined ? (entities[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  )

/** `_x000D_` is a carriage return (ECMA-376, part 1, 22.4.2.4). */
const decodeCharacters = (text: string): string =>
  text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

const tag = /<(\/?)([\w:.-]+)((?: [\w:.-]+="[^"<]*")*)(\/?)>/y
const characters = /(?:[^<>&]+|&(?:amp|lt|gt|quot|#\d+);)+/y
// A bare carriage return would be read as a line feed. XML forbids the other control characters.
const forbidden = /(?![\t\n\u007f-\u009f])[\p{Cc}\ufffe\uffff]/u

/** Fails unless the text is one well-formed document. */
const checkXml = (path: string, text: string): void => {
  const control = forbidden.exec(text)
  assert.equal(control, null, `${path} contains a control character at ${control?.index}.`)
  const start = /^<\?xml [^?]*\?>/.exec(text)?.[0].length ?? 0
  const open: string[] = []
  let at = start
  while (at < text.length) {
    tag.lastIndex = at
    characters.lastIndex = at
    const found = tag.exec(text)
    if (found) {
      const [whole, closing, name = '', , empty] = found
      if (closing) assert.equal(open.pop(), name, `${path}: </${name}> closes another tag.`)
      else if (!empty) open.push(name)
      at += whole.length
    } else {
      const run = characters.exec(text)
      assert.ok(run && open.length > 0, `${path}: ${text.slice(at, at + 80)} is not XML.`)
      at += run[0].length
    }
  }
  assert.deepEqual(open, [], `${path} ends before every tag is closed.`)
}
