/** Parses a PDF with an independent library: its text, its fonts and its metadata. */
import { getDocumentProxy } from 'unpdf'

export type ReadPdf = {
  /** The text of each page, line by line. */
  readonly pages: readonly string[]
  /** The pieces of text of the first page by their line, from right to left. */
  readonly fromTheRight: readonly string[]
  /** Names of embedded fonts, without the subset prefix. `missing:` marks a font that is not embedded. */
  readonly fonts: readonly string[]
  /** `2B` for PDF/A-2b; undefined when it declares none. */
  readonly conformance: string | undefined
  readonly version: unknown
  readonly title: unknown
  readonly language: unknown
  readonly createdAt: unknown
}

type Font = { readonly name: string; readonly missingFile?: boolean }
type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

/** Throws when it is not a PDF. */
export const readPdf = async (bytes: Uint8Array): Promise<ReadPdf> => {
  // The library takes ownership of the bytes.
  const pdf = await getDocumentProxy(Uint8Array.from(bytes))
  try {
    const pages = await Promise.all(
      Array.from({ length: pdf.numPages }, (_, index) => pdf.getPage(index + 1)),
    )
    const items = await Promise.all(pages.map(itemsOf))
    const fonts = await Promise.all(pages.map((page, index) => fontsOf(page, items[index] ?? [])))
    const { info, metadata } = await pdf.getMetadata()
    const { PDFFormatVersion, Title, Language, CreationDate } = info as Record<string, unknown>
    const part = metadata?.get('pdfaid:part')
    return {
      pages: items.map((inPage) =>
        inPage.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join(''),
      ),
      fromTheRight: linesFromTheRight(items[0] ?? []),
      fonts: [...new Set(fonts.flat())].sort(),
      conformance: part ? `${part}${metadata?.get('pdfaid:conformance')}` : undefined,
      version: PDFFormatVersion,
      title: Title,
      language: Language,
      createdAt: CreationDate,
    }
  } finally {
    await pdf.cleanup()
  }
}

const itemsOf = async (page: Page) => {
  const { items } = await page.getTextContent()
  return items.flatMap((item) => ('str' in item ? [item] : []))
}

type Item = Awaited<ReturnType<typeof itemsOf>>[number]

const fontsOf = async (page: Page, items: readonly Item[]): Promise<string[]> => {
  // Fonts are known only after the page was read as drawings.
  await page.getOperatorList()
  return [...new Set(items.map(({ fontName }) => fontName))].map((id) => {
    const { name, missingFile } = page.commonObjs.get(id) as Font
    return `${missingFile ? 'missing:' : ''}${name.replace(/^[A-Z]{6}\+/, '')}`
  })
}

/** The library reorders words itself; their positions show their order. */
const linesFromTheRight = (items: readonly Item[]): string[] => {
  const lines = new Map<number, Item[]>()
  for (const item of items)
    if (item.str.trim() !== '') {
      const height = Math.round(item.transform[5])
      lines.set(height, [...(lines.get(height) ?? []), item])
    }
  return [...lines.values()].map((line) =>
    line
      .toSorted((a, b) => b.transform[4] - a.transform[4])
      .map(({ str }) => str.trim())
      .join(' '),
  )
}
