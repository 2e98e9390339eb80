/** Names by which the columns of a file are told from each other, also where the file has none for one, or the same for several. */
import { columnLetters, type SheetLimits, type SheetRow } from './sheet.ts'

const hasValue = ({ cells }: SheetRow, position: number): boolean =>
  (cells[position]?.text ?? '').trim() !== ''

/** What a column with values and without a head is called: by its letters, as a spreadsheet does. */
const lettersOf = (position: number): string => `(${columnLetters(position)})`

export const isHeadless = (head: string, position: number): boolean => head === lettersOf(position)

/**
 * Heads as they stand in the file, but of several that are the same the further ones with a number, and letters above values without a
 * head. Those of a column without values stay empty.
 */
export const uniqueHeads = (
  heads: readonly string[],
  rows: readonly SheetRow[],
): readonly string[] => {
  const named = heads.map((head, position) =>
    head === '' && rows.some((row) => hasValue(row, position)) ? lettersOf(position) : head,
  )
  const used = new Set(named)
  const times = new Map<string, number>()
  return named.map((head) => {
    let time = (times.get(head) ?? 0) + 1
    if (head !== '' && time > 1) {
      while (used.has(`${head} (${time})`)) time += 1
      used.add(`${head} (${time})`)
    }
    times.set(head, time)
    return head === '' || time === 1 ? head : `${head} (${time})`
  })
}

/** The heads as they stand in the file. */
export const writtenHeads = (heads: readonly string[]): readonly string[] => {
  const before = new Set<string>()
  return heads.map((head) => {
    const [, written = ''] = /^(.+) \(\d+\)$/s.exec(head) ?? []
    before.add(head)
    return before.has(written) ? written : head
  })
}

/** The columns of a workbook's first rows: also those that stand to the right of all heads. */
export const widthOf = (rows: readonly SheetRow[], { heads: most }: SheetLimits): number =>
  Math.max(
    0,
    ...rows
      .filter(({ cells }) => cells.length <= most)
      .map((row) => row.cells.findLastIndex((_, position) => hasValue(row, position)) + 1),
  )
