/** Reads a PDF back with a reader that is not ours: its text, its fonts and what it says of itself. */
import { getDocumentProxy } from 'unpdf'

export type ReadPdf = {
  /** The text of each page, line by line. */
  readonly pages: readonly string[]
  /** The pieces of text of the first page by the line they stand in, from the right to the left. */
  readonly fromTheRight: readonly string[]
  /** Names of embedded fonts, without the mark of a subset; `missing:` before one that is not in it. */
  readonly fonts: readonly string[]
  /** `2B` for PDF/A-2b; undefined where it claims none. */
  readonly conformance: string | undefined
  readonly version: unknown
  readonly title: unknown
  readonly language: unknown
  readonly createdAt: unknown
}

type Font = { readonly name: string; readonly missingFile?: boolean }
type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

/** Throws when it is none. */
export const readPdf = async (bytes: Uint8Array): Promise<ReadPdf> => {
  // The reader takes the bytes away.
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
  // Fonts are known once the page is read as drawings.
  await page.getOperatorList()
  return [...new Set(items.map(({ fontName }) => fontName))].map((id) => {
    const { name, missingFile } = page.commonObjs.get(id) as Font
    return `${missingFile ? 'missing:' : ''}${name.replace(/^[A-Z]{6}\+/, '')}`
  })
}

/** Words are turned round by the reader itself; their places tell how they follow each other. */
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
