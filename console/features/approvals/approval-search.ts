/** The filter of approvals in the address of their page. */
import type { WantedApprovals } from '../../api/records/approvals.ts'

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Reads an address that anybody may have written. */
export const parseApprovalSearch = (search: Readonly<Record<string, unknown>>): WantedApprovals => {
  const [entity, action] = [textOf(search.entity), textOf(search.action)]
  return { ...(entity !== undefined && { entity }), ...(action !== undefined && { action }) }
}
