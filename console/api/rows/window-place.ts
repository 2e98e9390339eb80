/** From which known row of a list a window of it is read, so that the service skips as few records as possible. */

/** Records that a window of a list shows. */
export const rowsPerWindow = 100

/** Cursors of the rows after and before a page of a search; null where there are none. */
export type Cursors = { readonly next: string | null; readonly previous: string | null }

/** A page by its number alone, or by the number of pages from a cursor; null is the start or the end of the list. */
export type PageFrom = {
  readonly cursor: { readonly $after?: string | null; readonly $before?: string | null }
  /** From 1. */
  readonly page: number
}

/** What a search for a window asks for besides the criteria of its list. */
export type WindowPlace = PageFrom & { readonly limit: number }

/** The last window of a list of so many rows. */
export const lastWindow = (total: number): number =>
  Math.max(Math.ceil(total / rowsPerWindow) - 1, 0)

/** The place by its number alone. */
export const placeFromStart = (index: number): WindowPlace => ({
  cursor: {},
  limit: rowsPerWindow,
  page: index + 1,
})

/** The nearest place to a window, by the windows that are known and by the number of rows, where that is known. */
export const nearestPlace = (
  index: number,
  known: ReadonlyMap<number, Cursors>,
  total: number | undefined,
): WindowPlace => {
  const limit = rowsPerWindow
  let nearest: WindowPlace = { cursor: { $after: null }, limit, page: index + 1 }
  if (index > 0 && total !== undefined && index === lastWindow(total))
    nearest = { cursor: { $before: null }, limit: total - index * rowsPerWindow, page: 1 }
  for (const [at, { next, previous }] of known) {
    const page = Math.abs(index - at)
    if (page === 0 || page >= nearest.page) continue
    if (at < index && next !== null) nearest = { cursor: { $after: next }, limit, page }
    if (at > index && previous !== null) nearest = { cursor: { $before: previous }, limit, page }
  }
  return nearest
}

/** Where a row of a known window is found again, as a page of one row. `index` is that in the list, `length` that of the window. */
export const placeOfRow = (
  index: number,
  { next, previous }: Cursors,
  length: number,
): PageFrom => {
  const at = index % rowsPerWindow
  // Both cursors are those of rows in the window: of its last and of its first one.
  if (index === at) return { cursor: { $after: null }, page: index + 1 }
  if (at > 0 && previous !== null) return { cursor: { $after: previous }, page: at }
  if (next !== null) return { cursor: { $before: next }, page: length - 1 - at }
  return { cursor: { $before: null }, page: length - at }
}
