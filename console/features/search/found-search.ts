/** The words of a search in its address. */

export type FoundSearch = {
  /** Words. */
  readonly q?: string
}

/** Reads an address that anybody may have written: digits without quotation marks are words too. */
export const parseFoundSearch = ({ q }: Readonly<Record<string, unknown>>): FoundSearch => {
  const words = Number.isSafeInteger(q) ? String(q) : q
  return typeof words === 'string' && words !== '' ? { q: words } : {}
}
