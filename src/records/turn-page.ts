/** The ends of a page as cursors: where the pages before and after it begin. */
import { printCursor } from '../query/cursor/cursor.ts'
import type { Page, PlannedCursor } from '../query/select-plan.ts'

/** A record as JSON text, and the values of the order in it as JSON text. */
export type PageRow = { readonly json: string; readonly place: string }

/** Cursors for `$after` and `$before`; null where nothing follows. */
export type Neighbours = { readonly next: string | null; readonly previous: string | null }

/** The rows in the requested order; one more row than the page has says that another page follows. */
export const turnPage = (
  found: readonly PageRow[],
  { limit, offset }: Page,
  { fingerprint, values, isReversed }: PlannedCursor,
): { readonly rows: readonly PageRow[]; readonly neighbours: Neighbours } => {
  const kept = found.slice(0, limit)
  const rows = isReversed ? kept.reverse() : kept
  const print = (row: PageRow | undefined, isFollowed: boolean): string | null =>
    row && isFollowed ? printCursor(fingerprint, row.place) : null
  const ahead = found.length > limit
  const behind = values !== undefined || offset > 0
  return {
    rows,
    neighbours: {
      next: print(rows.at(-1), isReversed ? behind : ahead),
      previous: print(rows[0], isReversed ? ahead : behind),
    },
  }
}
