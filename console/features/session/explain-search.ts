/** The address of the explanation of who is notified. */
import { asId, asText, givenOf } from './address-values.ts'

export type ExplainSearch = {
  readonly entity?: string
  readonly record?: number
  readonly operation?: string
  readonly action?: string
  /** The user who does it. */
  readonly actor?: number
  /** The user whose notification is explained. */
  readonly user?: number
}

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseExplainSearch = (search: Readonly<Record<string, unknown>>): ExplainSearch => {
  const operation = asText(search.operation)
  return givenOf({
    entity: asText(search.entity),
    record: asId(search.record),
    operation,
    action: operation === 'proceedToStep' ? asText(search.action) : undefined,
    actor: asId(search.actor),
    user: asId(search.user),
  })
}
