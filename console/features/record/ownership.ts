/** Who looks after a record. */
import type { RecordRow } from '../../api/types.ts'

/** The link of a record to its owner, and the name under which that user comes with it. */
export const ownerColumn = '_owned_by'
const ownerPlace = 'owned_by'

export type Owner = { readonly id: number; readonly name: string | undefined }

/** Undefined where there is none, or the role hides it. */
export const ownerOf = (record: RecordRow): Owner | undefined => {
  const id = record[ownerColumn]
  if (typeof id !== 'number') return undefined
  const user = record[ownerPlace]
  const name = typeof user === 'object' && user !== null && 'full_name' in user && user.full_name
  return { id, name: typeof name === 'string' ? name : undefined }
}
