/** The filter of a history in the address of its record. */
import type { HistoryFilter } from '../../api/records/history.ts'
import { asId, asText, givenOf } from '../session/address-values.ts'

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseHistorySearch = ({
  by,
  field,
}: Readonly<Record<string, unknown>>): HistoryFilter =>
  givenOf({ by: asId(by), field: asText(field) })
