/** How many records an export will have, as the service counts them. */
import { useQuery } from '@tanstack/react-query'
import { countQuery } from '../../api/queries.ts'
import type { Condition, Entity } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import type { Choice } from './export-form.tsx'
import type { ExportRequest } from './export-request.ts'
import type { ExportedList } from './exported-list.ts'

/** Whether a role exports fewer records than it reads. */
export const exportsOwnOnly = ({ permissions }: Entity): boolean =>
  permissions.export === 'own' && permissions.read !== 'own'

const ownColumns = ({ ownership }: Entity): readonly string[] =>
  ownership ? ['_created_by', '_owned_by'] : ['_created_by']

/** The records of a user; undefined where the role may not know whose they are. */
const ownCondition = (entity: Entity, userId: number): Condition | undefined => {
  const columns = ownColumns(entity)
  const isKnown = columns.every((name) => entity.fields.some(({ column }) => column === name))
  return isKnown ? { $or: columns.map((column) => ({ [column]: { $eq: userId } })) } : undefined
}

/** Undefined: nobody knows before the export. */
export const useExportCount = (
  { entity, count, selected }: ExportedList,
  rows: Choice['rows'],
  { criteria }: ExportRequest,
): number | undefined => {
  const { id } = useSession().me
  const own = exportsOwnOnly(entity) ? ownCondition(entity, id) : undefined
  const { $where, $search } = criteria
  const narrowed = own && { $where: $where ? { $and: [$where, own] } : own }
  const counted = useQuery({
    ...countQuery({ entity: entity.key, criteria: { ...narrowed, ...($search && { $search }) } }),
    enabled: own !== undefined,
  })
  if (exportsOwnOnly(entity)) return own && counted.data
  return rows === 'selected' ? selected?.count : count
}
