/** What the page explains, as its address says it: a record, what happens to it, by whom, and who is asked for. */
import type { NotifiedOperation } from '../../api/admin/explain.ts'

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

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const asId = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseExplainSearch = (search: Readonly<Record<string, unknown>>): ExplainSearch => {
  const entity = asText(search.entity)
  const record = asId(search.record)
  const operation = operations.find((one) => one === search.operation)
  const action = asText(search.action)
  const [actor, user] = [asId(search.actor), asId(search.user)]
  return {
    ...(entity !== undefined && { entity }),
    ...(record !== undefined && { record }),
    ...(operation && { operation }),
    ...(operation === 'proceedToStep' && action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...(user !== undefined && { user }),
  }
}
