/** What the addresses of a record and of a new record say. */
import type { HistoryFilter } from '../../api/records/history.ts'
import { asId, asText, givenOf } from '../session/address-values.ts'

/** Reads the filter of the history from an address, which may say anything. */
export const parseHistorySearch = ({
  by,
  field,
}: Readonly<Record<string, unknown>>): HistoryFilter =>
  givenOf({ by: asId(by), field: asText(field) })

/** The search parameters of a new record. */
export type NewRecordSearch = {
  /** Its first values by column, such as the record that it belongs to. */
  readonly values?: Readonly<Record<string, unknown>>
}

/** Reads the values from an address, which may say anything. */
export const parseNewRecordSearch = ({
  values,
}: Readonly<Record<string, unknown>>): NewRecordSearch =>
  typeof values === 'object' && values !== null && !Array.isArray(values)
    ? { values: Object.fromEntries(Object.entries(values)) }
    : {}
