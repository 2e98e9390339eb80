/** The words of a search in its address, and of the records that were removed. */
import { asText, givenOf } from '../session/address-values.ts'

export type FoundSearch = {
  /** Words. */
  readonly q?: string
}

/** Reads an address that anybody may have written: digits without quotation marks are words too. */
export const parseFoundSearch = ({ q }: Readonly<Record<string, unknown>>): FoundSearch => {
  const words = Number.isSafeInteger(q) ? String(q) : q
  return typeof words === 'string' && words !== '' ? { q: words } : {}
}

export type RemovedSearch = FoundSearch & {
  /** The key of an entity; without it all of them. */
  readonly entity?: string
}

export const parseRemovedSearch = (search: Readonly<Record<string, unknown>>): RemovedSearch => ({
  ...givenOf({ entity: asText(search.entity) }),
  ...parseFoundSearch(search),
})
