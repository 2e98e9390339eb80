/** The parts of a workbook (ECMA-376, part 1) around its rows: sheets by name, which styles are days, and shared texts. */
import { createReadStream, read } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { shorten } from '../../issues.ts'
import { createSharedTexts, type SharedTexts } from './shared-texts.ts'
import { SheetFault, type SheetLimits } from './sheet.ts'
import { attribute, createXmlScanner, type XmlEvents } from './xml-scanner.ts'

const attributes = {
  Id: attribute('Id'),
  Target: attribute('Target'),
  Type: attribute('Type'),
  date1904: attribute('date1904'),
  formatCode: attribute('formatCode'),
  name: attribute('name'),
  numFmtId: attribute('numFmtId'),
  state: attribute('state'),
}

/** How a number of a style is read. */
export type NumberStyle =
  | { readonly kind: 'number' | 'day' | 'percent' }
  /** Zeros before a number are shown up to so many digits: codes of articles and places. */
  | { readonly kind: 'padded'; readonly digits: number }

export type WorkbookSheet = {
  readonly name: string
  readonly part: string
  readonly isVisible: boolean
}

export type Workbook = {
  readonly sheets: readonly WorkbookSheet[]
  readonly styles: readonly NumberStyle[]
  readonly sharedTexts: SharedTexts
  /** Whether days are counted from 1904. */
  readonly since1904: boolean
}

type Archive = { readonly zip: ZipFile; readonly entries: ReadonlyMap<string, Entry> }

/** What the archive, its compression or its encoding reports is a fault of the file. */
const damagedZip = (cause: unknown): unknown => {
  const isOfFile =
    cause instanceof Error && (cause.constructor === Error || 'code' in cause || 'errno' in cause)
  return isOfFile && !(cause instanceof SheetFault)
    ? new SheetFault(
        /signature not found/.test(cause.message)
          ? 'The workbook is damaged: its end is missing.'
          : `The workbook is damaged: ${shorten(cause.message)}.`,
      )
    : cause
}

const pieceBytes = 128 * 1024
const mostParts = 10_000
// A small part may repeat much.
const smallPart = 16 * 1024 ** 2

const close = (_fd: number, done?: (error?: null) => void): void => done?.()

/** An open file, which stays open when the archive is closed: it is read several times. */
class OpenFile extends yauzl.RandomAccessReader {
  readonly #file: FileHandle

  constructor(file: FileHandle) {
    super()
    this.#file = file
  }

  override _readStreamForRange(start: number, end: number) {
    return createReadStream('', { fd: this.#file.fd, start, end: end - 1, fs: { read, close } })
  }
}

const openArchive = async (file: FileHandle): Promise<ZipFile> => {
  const { size } = await file.stat()
  return yauzl.fromRandomAccessReaderPromise(new OpenFile(file), size, { autoClose: false })
}

/** Opens the archive for `use`, and closes it. */
export async function* withArchive<T>(
  file: FileHandle,
  limits: SheetLimits,
  use: (archive: Archive) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const zip = await openArchive(file).catch((cause: unknown) => {
    throw damagedZip(cause)
  })
  try {
    const entries = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) {
      if (entries.size === mostParts) throw new SheetFault('The workbook has too many parts.')
      entries.set(entry.fileName.toLowerCase(), entry)
    }
    checkSizes([...entries.values()], limits)
    yield* use({ zip, entries })
  } catch (cause) {
    throw damagedZip(cause)
  } finally {
    zip.close()
  }
}

const checkSizes = (entries: readonly Entry[], { unpacked, ratio }: SheetLimits): void => {
  const xml = entries.filter(({ fileName }) => /\.(?:xml|rels)$/i.test(fileName))
  const bytes = xml.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  const isBomb = xml.some(
    ({ uncompressedSize, compressedSize }) =>
      uncompressedSize > smallPart && uncompressedSize > ratio * compressedSize,
  )
  if (isBomb || bytes > unpacked)
    throw new SheetFault(
      `The workbook unpacks to more than is read (${Math.ceil(bytes / 1024 ** 2)} MiB); save the sheet as CSV.`,
    )
}

/** The text of a part in pieces; the archive checks its size and yields no more than it says. */
export async function* readPart({ zip, entries }: Archive, part: string): AsyncGenerator<string> {
  const entry = entries.get(part.toLowerCase())
  if (!entry) throw new SheetFault(`The workbook is damaged: it has no part ${part}.`)
  const stream = await zip.openReadStreamPromise(entry)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    // Small pieces cost more than what is in them.
    let pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of stream) {
      pieces.push(piece as Buffer)
      bytes += piece.length
      if (bytes < pieceBytes) continue
      yield decoder.decode(Buffer.concat(pieces), { stream: true })
      pieces = []
      bytes = 0
    }
    yield decoder.decode(Buffer.concat(pieces))
  } finally {
    stream.destroy()
  }
}

const longestTag = 100_000
/** UTF-16 units of a part that is no sheet and no list of texts. */
const longestPart = 16 * 1024 ** 2

const scanPart = async (
  archive: Archive,
  part: string,
  events: Partial<XmlEvents>,
  { longest, all } = { longest: longestTag, all: longestPart },
): Promise<void> => {
  const nothing = () => undefined
  const scanner = createXmlScanner(
    { open: nothing, close: nothing, text: nothing, wantsText: () => false, ...events },
    longest,
  )
  let length = 0
  for await (const piece of readPart(archive, part)) {
    length += piece.length
    if (length > all) throw new SheetFault(`The workbook has too much in its part ${part}.`)
    scanner.write(piece)
  }
  scanner.end()
}

type Relation = { readonly type: string; readonly part: string }

/** What a part refers to, by id. */
const readRelations = async (archive: Archive, part: string): Promise<Map<string, Relation>> => {
  const folder = part.includes('/') ? part.slice(0, part.lastIndexOf('/') + 1) : ''
  const relations = new Map<string, Relation>()
  const path = `${folder}_rels/${part.slice(folder.length)}.rels`
  await scanPart(archive, path, {
    open: (name, tag) => {
      if (name !== 'Relationship') return
      const target = attributes.Target(tag) ?? ''
      relations.set(attributes.Id(tag) ?? '', {
        type: (attributes.Type(tag) ?? '').split('/').at(-1) ?? '',
        part: target.startsWith('/') ? target.slice(1) : inFolder(folder, target),
      })
    },
  })
  return relations
}

const inFolder = (folder: string, target: string): string =>
  new URL(target, `zip://parts/${folder}`).pathname.slice(1)

/** What a workbook has besides its rows. */
export const readWorkbook = async (archive: Archive, limits: SheetLimits): Promise<Workbook> => {
  const main = await mainPart(archive)
  const relations = await readRelations(archive, main)
  const sheets: WorkbookSheet[] = []
  let since1904 = false
  await scanPart(archive, main, {
    open: (name, tag) => {
      if (name === 'workbookPr') since1904 = ['1', 'true'].includes(attributes.date1904(tag) ?? '')
      // The id of the relation has a prefix, which programs choose; that of the sheet is another attribute.
      const relation = relations.get(/:id\s*=\s*["']([^"']*)/.exec(tag)?.[1] ?? '')
      if (name === 'sheet' && relation?.type === 'worksheet')
        sheets.push({
          name: attributes.name(tag) ?? '',
          part: relation.part,
          isVisible: (attributes.state(tag) ?? 'visible') === 'visible',
        })
    },
  })
  const partOf = (type: string) => [...relations.values()].find((one) => one.type === type)?.part
  const [styles, texts] = [partOf('styles'), partOf('sharedStrings')]
  return {
    sheets,
    since1904,
    styles: styles === undefined ? [] : await readStyles(archive, styles),
    sharedTexts: await readSharedTexts(archive, texts, limits),
  }
}

const mainPart = async (archive: Archive): Promise<string> => {
  const { entries } = archive
  const isOther = entries.has('mimetype') || entries.has('xl/workbook.bin')
  const relations = entries.has('_rels/.rels')
    ? [...(await readRelations(archive, '')).values()]
    : []
  const main = relations.find(({ type }) => type === 'officeDocument')?.part
  if (isOther || main === undefined || !/workbook/i.test(main))
    throw new SheetFault(
      'The file is an archive, but no workbook of the kind xlsx, whatever it is named; save it as an Excel workbook (xlsx) or as CSV.',
    )
  return main
}

// Formats that every program knows, which no list names (18.8.30): days, times and percents.
const builtInDays = new Set([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47],
  ...[27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58],
])
const builtInPercents = new Set([9, 10])

const day: NumberStyle = { kind: 'day' }
const percent: NumberStyle = { kind: 'percent' }
export const plainNumber: NumberStyle = { kind: 'number' }
const longestCode = 255

/** The style of a format by its code, such as `dd.mm.yyyy`, `0.00%`, `00000`. */
const styleOfCode = (code: string): NumberStyle => {
  const [positive = ''] = code.slice(0, longestCode).split(';')
  if (/^0{2,}$/.test(positive)) return { kind: 'padded', digits: positive.length }
  // Texts in quotes, single characters, blanks as wide as one, colours and conditions are no codes; `[h]` is one.
  const bare = code
    .slice(0, longestCode)
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, '')
    .replaceAll(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    .replaceAll(/general/gi, '')
  if (/[ymdhs]/i.test(bare)) return day
  return bare.includes('%') ? percent : plainNumber
}

const readStyles = async (archive: Archive, part: string): Promise<NumberStyle[]> => {
  const codes = new Map<number, string>()
  const styles: NumberStyle[] = []
  let isInCells = false
  await scanPart(archive, part, {
    open: (name, tag) => {
      const id = Number(attributes.numFmtId(tag) ?? 0)
      if (name === 'numFmt') codes.set(id, attributes.formatCode(tag) ?? '')
      else if (name === 'cellXfs') isInCells = true
      else if (name === 'xf' && isInCells) styles.push(styleOfFormat(id, codes))
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return styles
}

const styleOfFormat = (id: number, codes: ReadonlyMap<number, string>): NumberStyle => {
  const code = codes.get(id)
  if (code !== undefined) return styleOfCode(code)
  if (builtInDays.has(id)) return day
  return builtInPercents.has(id) ? percent : plainNumber
}

/** `_x000D_` is a carriage return (22.4.2.4). */
export const decodeCharacters = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-F]{4})_/gi, (_whole, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text

const readSharedTexts = async (
  archive: Archive,
  part: string | undefined,
  limits: SheetLimits,
): Promise<SharedTexts> => {
  const texts = createSharedTexts(limits.sharedTexts)
  if (part === undefined) return texts
  const reader = createTextReader(texts.add, limits)
  await scanPart(
    archive,
    part,
    {
      open: (name) => (name === 'si' ? reader.begin() : reader.open(name)),
      close: (name) => (name === 'si' ? reader.end() : reader.close(name)),
      text: reader.text,
      wantsText: reader.wantsText,
    },
    { longest: limits.cell, all: limits.unpacked },
  )
  return texts
}

type TextReader = {
  readonly begin: () => void
  readonly open: (name: string) => void
  readonly close: (name: string) => void
  readonly text: (text: string) => void
  readonly wantsText: () => boolean
  readonly end: () => void
}

/** Joins the runs of a rich text (`t` in `r`); how it is pronounced (`rPh`) is no part of it. */
const createTextReader = (found: (text: string) => void, { cell }: SheetLimits): TextReader => {
  let all = ''
  let [isText, isPronounced] = [false, false]
  return {
    begin: () => {
      all = ''
    },
    open: (name) => {
      if (name === 'rPh') isPronounced = true
      else if (name === 't') isText = !isPronounced
    },
    close: (name) => {
      if (name === 'rPh') isPronounced = false
      else if (name === 't') isText = false
    },
    text: (text) => {
      all += text
      if (all.length > cell) throw new SheetFault(`A cell has more than ${cell} characters.`)
    },
    wantsText: () => isText,
    end: () => found(decodeCharacters(all)),
  }
}
