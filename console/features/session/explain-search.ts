/** What the page explains, as its address says it: a record, what happens to it, by whom, and who is asked for. */
import type { NotifiedOperation } from '../../api/admin/explain.ts'
import { asId, asText, givenOf } from './address-values.ts'

export type ExplainSearch = {
  readonly entity?: string
  readonly record?: number
  readonly operation?: NotifiedOperation
  readonly action?: string
  /** Who does it. */
  readonly actor?: number
  /** Who is asked for. */
  readonly user?: number
}

export const operations = [
  'create',
  'takeOwnership',
  'proceedToStep',
] as const satisfies readonly NotifiedOperation[]

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseExplainSearch = (search: Readonly<Record<string, unknown>>): ExplainSearch => {
  const operation = operations.find((one) => one === search.operation)
  return givenOf({
    entity: asText(search.entity),
    record: asId(search.record),
    operation,
    action: operation === 'proceedToStep' ? asText(search.action) : undefined,
    actor: asId(search.actor),
    user: asId(search.user),
  })
}
