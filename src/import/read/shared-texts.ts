/** The texts that cells of a workbook share, as bytes: a million texts as strings would take three times the memory. */
import { SheetFault } from './sheet.ts'

export type SharedTexts = {
  readonly add: (text: string) => void
  /** Undefined beyond the last one. */
  readonly at: (index: number) => string | undefined
}

const pageBytes = 1024 ** 2
const bytesOfPlace = 4

/** `longest`: bytes of all texts with their places. */
export const createSharedTexts = (longest: number): SharedTexts => {
  const pages: Buffer[] = []
  // Where each text begins in all pages, and the last one ends.
  let places = new Uint32Array(1024)
  let [count, end] = [0, 0]
  const append = (bytes: Buffer) => {
    for (let done = 0; done < bytes.length; ) {
      if (end === pages.length * pageBytes) pages.push(Buffer.allocUnsafeSlow(pageBytes))
      const page = pages[pages.length - 1] ?? bytes
      const copied = bytes.copy(page, end % pageBytes, done)
      done += copied
      end += copied
    }
  }
  return {
    add: (text) => {
      const bytes = Buffer.from(text)
      if (end + bytes.length + bytesOfPlace * count > longest)
        throw new SheetFault('The workbook has too many different texts; save the sheet as CSV.')
      append(bytes)
      count += 1
      if (count === places.length) {
        const longer = new Uint32Array(2 * places.length)
        longer.set(places)
        places = longer
      }
      places[count] = end
    },
    at: (index) => {
      if (!(index >= 0 && index < count)) return undefined
      const from = places[index] ?? 0
      const to = places[index + 1] ?? 0
      const page = Math.floor(from / pageBytes)
      const start = from - page * pageBytes
      const isWhole = start + to - from <= pageBytes
      if (isWhole) return pages[page]?.toString('utf8', start, start + to - from)
      const last = Math.floor(to / pageBytes)
      return Buffer.concat(pages.slice(page, last + 1)).toString('utf8', start, start + to - from)
    },
  }
}
