/** Which linked records come with a record. */
import type { Entity } from '../../api/types.ts'
import { ownerColumn } from './ownership.ts'

/** The links of an entity whose records the page shows by name: its own, and the one to its owner. */
export const includedLinks = (
  { fields }: Entity,
  entities: ReadonlyMap<string, Entity>,
): string | undefined => {
  const mayRead = (key: string) => (entities.get(key)?.permissions.read ?? false) !== false
  const links = fields.filter(
    ({ type, entity: target, column, isSystem }) =>
      type === 'manyToOne' && target && mayRead(target) && (!isSystem || column === ownerColumn),
  )
  return links.length > 0 ? links.map(({ key }) => key).join(',') : undefined
}
