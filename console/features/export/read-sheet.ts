/** Reads the first rows of a workbook of the service as a spreadsheet shows them. */

const parse = (xml: string): Document => new DOMParser().parseFromString(xml, 'application/xml')

/** The number format of each style: codes such as `#,##0.00` and `dd.mm.yyyy`. */
const readFormats = (styles: Document): readonly (string | undefined)[] => {
  const codes = [...styles.getElementsByTagName('numFmt')].map(
    (one) => [one.getAttribute('numFmtId'), one.getAttribute('formatCode')] as const,
  )
  const byId = new Map(codes)
  const [list] = styles.getElementsByTagName('cellXfs')
  return [...(list?.children ?? [])].map(
    (style) => byId.get(style.getAttribute('numFmtId')) ?? undefined,
  )
}

// Spreadsheets store dates as days since this one, without a time zone.
const dayZero = Date.UTC(1899, 11, 30)
const secondsPerDay = 86_400

const momentOf = (serial: string, code: string): string => {
  const seconds = Math.round(Number(serial) * secondsPerDay)
  const text = new Date(dayZero + seconds * 1000).toISOString()
  const [, yyyy = '', month = '', dd = '', time = ''] = /^(.+)-(..)-(..)T(.{8})/.exec(text) ?? []
  const parts: Readonly<Record<string, string>> = { yyyy, dd, mm: month, 'hh:mm:ss': time }
  return code.replaceAll(
    /"(.)"|hh:mm:ss|yyyy|mm|dd/g,
    (part, literal?: string) => literal ?? parts[part] ?? part,
  )
}

const numberOf = (value: string, code: string | undefined, locale: string): string => {
  if (code?.includes('yyyy')) return momentOf(value, code)
  const decimals = code?.split('.')[1]?.length ?? 0
  const { format } = new Intl.NumberFormat(locale, {
    useGrouping: code?.startsWith('#') ?? false,
    minimumFractionDigits: decimals,
    maximumFractionDigits: 20,
  })
  return format(value as Intl.StringNumericLiteral)
}

/** `_x000D_` is a carriage return (ECMA-376, part 1, 22.4.2.4). */
const decoded = (text: string): string =>
  text.replaceAll(/_x([0-9A-F]{4})_/gi, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

/** The first rows of the first sheet; the first of them are the headers. */
export const readSheet = async (
  bytes: Uint8Array<ArrayBuffer>,
  locale: string,
): Promise<readonly (readonly string[])[]> => {
  const formats = readFormats(parse(await readZipPart(bytes, 'xl/styles.xml')))
  const sheet = parse(await readZipPart(bytes, 'xl/worksheets/sheet1.xml'))
  const textOf = (cell: Element): string => {
    const text = cell.textContent
    const kind = cell.getAttribute('t')
    if (text === '' || kind === 'inlineStr') return decoded(text)
    if (kind === 'b') return text === '1' ? 'TRUE' : 'FALSE'
    return numberOf(text, formats[Number(cell.getAttribute('s') ?? 0)], locale)
  }
  return [...sheet.getElementsByTagName('row')].map((row) => [...row.children].map(textOf))
}

const endSignature = 0x06054b50
const endBytes = 22
const entryBytes = 46
const headBytes = 30

/** The place of the end record of a zip archive (APPNOTE.TXT of PKWARE, 4.3), which a comment may follow. */
const findEnd = (view: DataView): number => {
  for (let at = view.byteLength - endBytes; at >= 0; at -= 1)
    if (view.getUint32(at, true) === endSignature) return at
  throw new Error('This is not a zip archive.')
}

type Entry = { readonly name: string; readonly data: Uint8Array<ArrayBuffer> }

function* entriesOf(bytes: Uint8Array<ArrayBuffer>): Generator<Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const nameBytes = view.getUint16(at + 28, true)
    const head = view.getUint32(at + 42, true)
    const begin =
      head + headBytes + view.getUint16(head + 26, true) + view.getUint16(head + 28, true)
    const name = new TextDecoder().decode(
      bytes.subarray(at + entryBytes, at + entryBytes + nameBytes),
    )
    yield { name, data: bytes.subarray(begin, begin + view.getUint32(at + 20, true)) }
    at += entryBytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
}

/** The text of a part, which is compressed as all parts of a workbook are. */
const readZipPart = async (bytes: Uint8Array<ArrayBuffer>, wanted: string): Promise<string> => {
  const entry = [...entriesOf(bytes)].find(({ name }) => name === wanted)
  if (!entry) throw new Error(`The archive has no part ${wanted}.`)
  const inflated = new Blob([entry.data])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
  return new Response(inflated).text()
}
