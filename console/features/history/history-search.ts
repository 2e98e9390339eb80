/** The filter of a history in the address of its record. */
import type { HistoryFilter } from '../../api/records/history.ts'

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseHistorySearch = ({
  by,
  field,
}: Readonly<Record<string, unknown>>): HistoryFilter => ({
  ...(typeof by === 'number' && Number.isSafeInteger(by) && by > 0 && { by }),
  ...(typeof field === 'string' && field !== '' && { field }),
})
