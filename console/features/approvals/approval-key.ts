/** Names a record of the queue. */
import type { Approval } from '../../api/open-actions.ts'

export const approvalKey = ({ entity, id }: Pick<Approval, 'entity' | 'id'>): string =>
  `${entity}/${id}`

/** What records of one entity match. */
export const criteriaOf = (list: readonly Pick<Approval, 'id'>[]) => ({
  $where: { id: { $in: list.map(({ id }) => id) } },
})
