/** What a file is by its first bytes, how its text is encoded, and its text in pieces. */
import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { shorten } from '../../issues.ts'
import {
  type GivenDialect,
  SheetFault,
  type SheetFormat,
  type SheetNote,
  type TextEncoding,
} from './sheet.ts'

// Larger ones are not faster, and their texts stay in memory until much more is collected.
export const pieceBytes = 64 * 1024

/** The first bytes of a file. */
export const readHead = async (file: FileHandle): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, 0)
  return buffer.subarray(0, bytesRead)
}

const startsWith = (head: Buffer, ...bytes: readonly number[]) =>
  bytes.every((byte, index) => head[index] === byte)

/** What people give where a text or a workbook is wanted, by its first bytes, and what to do. */
const others: readonly { readonly bytes: string | readonly number[]; readonly message: string }[] =
  [
    {
      bytes: [0xd0, 0xcf, 0x11, 0xe0],
      message:
        'is a workbook of Excel 97 to 2003 (xls), or one with a password; save it as an Excel workbook (xlsx) without a password',
    },
    { bytes: '%PDF', message: 'is a PDF; import the table that it was made from' },
    { bytes: 'PAR1', message: 'is Parquet; export it as CSV, NDJSON or XLSX' },
    { bytes: '{\\rtf', message: 'is a document (rtf); save its table as CSV' },
    { bytes: [0x1f, 0x8b], message: 'is compressed (gzip); unpack it first' },
    { bytes: [0x28, 0xb5, 0x2f, 0xfd], message: 'is compressed (zstd); unpack it first' },
    { bytes: 'Rar!', message: 'is an archive (rar); unpack it first' },
    { bytes: [0x37, 0x7a, 0xbc, 0xaf], message: 'is an archive (7z); unpack it first' },
    { bytes: [0x89, 0x50, 0x4e, 0x47], message: 'is a picture' },
    { bytes: [0xff, 0xd8, 0xff], message: 'is a picture' },
  ]

const bytesOf = (bytes: string | readonly number[]) =>
  typeof bytes === 'string' ? [...Buffer.from(bytes)] : bytes

export const isZip = (head: Buffer): boolean => startsWith(head, 0x50, 0x4b, 0x03, 0x04)

/** Throws if the file is of a kind that is never imported. */
export const refuseOthers = (head: Buffer): void => {
  if (head.length === 0) throw new SheetFault('The file is empty.')
  const other = others.find(({ bytes }) => startsWith(head, ...bytesOf(bytes)))
  if (other) throw new SheetFault(`The file ${other.message}.`)
}

type Found = { readonly encoding: TextEncoding; readonly note?: SheetNote }

const note = (message: string): SheetNote => ({ about: 'encoding', message })

/** The encoding that a byte order mark names. */
const markedEncoding = (head: Buffer): TextEncoding | undefined => {
  if (startsWith(head, 0xef, 0xbb, 0xbf)) return 'utf-8'
  if (startsWith(head, 0xff, 0xfe)) return 'utf-16le'
  return startsWith(head, 0xfe, 0xff) ? 'utf-16be' : undefined
}

/** The given encoding, that of the byte order mark, or that which fits all of the bytes. */
export const findEncoding = async (
  file: FileHandle,
  head: Buffer,
  { encoding, languages = [] }: GivenDialect,
): Promise<Found> => {
  const known = encoding ?? markedEncoding(head)
  if (known) return { encoding: known }
  const wide = wideEncoding(head)
  if (wide)
    return {
      encoding: wide,
      note: note(`The file is read as ${wide}, although it has no byte order mark.`),
    }
  if (head.includes(0)) throw new SheetFault('The file is neither a text nor a workbook.')
  if (await isUtf8File(file)) return { encoding: 'utf-8' }
  await refuseBinary(file)
  return assumedEncoding(head, languages)
}

// Languages whose letters Windows-1252 lacks. Of German and of most signs both encodings have the same bytes.
const centralEuropean = new Set(['bs', 'cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl', 'sq', 'sr'])

const assumedEncoding = (head: Buffer, languages: readonly string[]): Found => {
  const isCentral = languages.some((one) => centralEuropean.has(one.slice(0, 2).toLowerCase()))
  const encoding = isCentral ? 'windows-1250' : 'windows-1252'
  const [word] = /[^\s"';,|]*[^\p{ASCII}][^\s"';,|]*/u.exec(decodeHead(head, encoding)) ?? []
  const example = word === undefined ? '' : `, with words such as "${shorten(word, 40)}"`
  const other = isCentral ? 'windows-1252' : 'windows-1250'
  return {
    encoding,
    note: note(
      `The file is not UTF-8. It is read as ${encoding}${example}; if letters are wrong, give its encoding, such as ${other}, or save it as CSV UTF-8.`,
    ),
  }
}

const decodeHead = (head: Buffer, encoding: TextEncoding) =>
  new TextDecoder(encoding).decode(head.subarray(0, 16_384))

// Of the letters of most languages one byte of two is zero: the second one, if the low byte comes first.
const wideEncoding = (head: Buffer): TextEncoding | undefined => {
  const units = Math.floor(Math.min(head.length, 4096) / 2)
  if (units === 0) return undefined
  let [low, high] = [0, 0]
  for (let index = 0; index < units; index++) {
    if (head[2 * index] === 0) high += 1
    if (head[2 * index + 1] === 0) low += 1
  }
  if (low > units / 2 && high < units / 10) return 'utf-16le'
  return high > units / 2 && low < units / 10 ? 'utf-16be' : undefined
}

/**
 * The bytes of a file in pieces, each in the same memory as the one before it: a stream leaves all of its pieces for later. `kept`
 * says how many bytes at the end of a piece come again with the next one.
 */
async function* readBytes(
  file: FileHandle,
  kept: (piece: Buffer) => number = () => 0,
): AsyncGenerator<Buffer> {
  const memory = Buffer.allocUnsafeSlow(pieceBytes)
  let [rest, position] = [0, 0]
  for (;;) {
    const { bytesRead } = await file.read(memory, rest, memory.length - rest, position)
    position += bytesRead
    const piece = memory.subarray(0, rest + bytesRead)
    if (bytesRead === 0) {
      if (rest > 0) yield piece
      return
    }
    rest = kept(piece)
    yield piece.subarray(0, piece.length - rest)
    memory.copyWithin(0, piece.length - rest, piece.length)
  }
}

/** Letters that are not ASCII may come late, so that all bytes are looked at. */
const isUtf8File = async (file: FileHandle): Promise<boolean> => {
  for await (const piece of readBytes(file, beginningOfCharacter)) if (!isUtf8(piece)) return false
  return true
}

/** What begins as a text may go on as something else, of which every byte would be a letter of an old encoding. */
const refuseBinary = async (file: FileHandle): Promise<void> => {
  let before = 0
  for await (const piece of readBytes(file)) {
    const at = piece.indexOf(0)
    if (at !== -1)
      throw new SheetFault(
        `The file is damaged: from its byte ${before + at + 1} on it is no text.`,
      )
    before += piece.length
  }
}

/** How many bytes at the end begin a character that goes on in the next piece. */
const beginningOfCharacter = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}

/** The text without its byte order mark. Throws SheetFault where bytes are no text in the encoding. */
export async function* readText(file: FileHandle, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw new SheetFault(`The file is not ${encoding}; give the encoding that it has.`)
    }
  }
  for await (const piece of readBytes(file)) yield decode(piece)
  const end = decode()
  if (end !== '') yield end
}

/** The format of a text, by its first character; what people give wins. */
export const findTextFormat = (start: string, given: GivenDialect): SheetFormat => {
  const format = given.format
  if (format !== undefined && format !== 'xlsx') return format
  const first = start.trimStart()
  if (first.startsWith('<'))
    throw new SheetFault(
      'The file is a web page or XML, whatever it is named; open it in a spreadsheet and save it as CSV or XLSX.',
    )
  if (/^\[\s*[{\]]/.test(first)) return 'json'
  return /^\{\s*["}]/.test(first) ? 'ndjson' : 'csv'
}
