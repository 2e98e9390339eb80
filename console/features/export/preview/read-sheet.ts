/** Reads the first rows of a workbook of the service as a spreadsheet shows them. */
import { readZipPart } from './read-zip.ts'

const parse = (xml: string): Document => new DOMParser().parseFromString(xml, 'application/xml')

/** How each style writes numbers: codes such as `#,##0.00` and `dd.mm.yyyy`, by the numbers of the styles. */
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

// Days since this one are the dates of spreadsheets; none of them has a time zone.
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
