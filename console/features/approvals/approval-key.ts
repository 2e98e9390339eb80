/** Names a record of the queue. */
import type { Approval } from '../../api/types.ts'

export const approvalKey = ({ entity, id }: Pick<Approval, 'entity' | 'id'>): string =>
  `${entity}/${id}`
