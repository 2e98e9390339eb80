/** What the address of the page of a new record says. */

/** The search parameters of the page of a new record. */
export type NewRecordSearch = {
  /** By column. */
  readonly values?: Readonly<Record<string, unknown>>
}

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseNewRecordSearch = ({
  values,
}: Readonly<Record<string, unknown>>): NewRecordSearch =>
  typeof values === 'object' && values !== null && !Array.isArray(values)
    ? { values: Object.fromEntries(Object.entries(values)) }
    : {}
