/** The texts that cells of a workbook share, as bytes: a million texts as strings would take three times the memory. */
import { SheetFault } from './sheet.ts'

export type SharedTexts = {
  readonly add: (text: string) => void
  /** Undefined beyond the last one. */
  readonly at: (index: number) => string | undefined
}

const pageBytes = 1024 ** 2
const bytesOfPlace = 8

/** `longest`: bytes of all texts with their places. */
export const createSharedTexts = (longest: number): SharedTexts => {
  const pages: Buffer[] = []
  // Where each text begins, in all pages, and its bytes; a text is in one page.
  let places = new Uint32Array(1024)
  let [count, next, spent] = [0, 0, 0]
  return {
    add: (text) => {
      const bytes = Buffer.byteLength(text)
      spent += bytes + bytesOfPlace
      if (spent > longest || bytes > pageBytes)
        throw new SheetFault('The workbook has too many or too long texts; save the sheet as CSV.')
      if (next + bytes > pages.length * pageBytes) {
        next = pages.length * pageBytes
        pages.push(Buffer.allocUnsafeSlow(pageBytes))
      }
      pages.at(-1)?.write(text, next - (pages.length - 1) * pageBytes)
      if (2 * count === places.length) {
        const longer = new Uint32Array(2 * places.length)
        longer.set(places)
        places = longer
      }
      places[2 * count] = next
      places[2 * count + 1] = bytes
      count += 1
      next += bytes
    },
    at: (index) => {
      if (!(index < count)) return undefined
      const begin = places[2 * index] ?? 0
      const start = begin % pageBytes
      const page = pages[Math.floor(begin / pageBytes)]
      return page?.toString('utf8', start, start + (places[2 * index + 1] ?? 0))
    },
  }
}
