/** Which linked records come with a record. */
import type { Entity, Field } from '../../api/types.ts'
import { unitPathOf } from '../format/format-value.ts'
import { ownerColumn } from './ownership.ts'

/** The link behind which the unit of a number stands. */
const linkOfUnit = (field: Field): string[] => {
  const path = unitPathOf(field) ?? ''
  const end = path.lastIndexOf('.')
  return end > 0 ? [path.slice(0, end)] : []
}

/** The links of an entity whose records the page shows by name: its own, and the one to its owner or another of the system. */
export const includedLinks = (
  { fields }: Entity,
  entities: ReadonlyMap<string, Entity>,
  systemLinks: readonly string[] = [ownerColumn],
): string | undefined => {
  const mayRead = (key: string) => (entities.get(key)?.permissions.read ?? false) !== false
  const links = fields.filter(
    ({ type, entity: target, linkName, column, isSystem }) =>
      type === 'manyToOne' &&
      (linkName !== undefined || (target && mayRead(target))) &&
      (!isSystem || systemLinks.includes(column ?? '')),
  )
  const included = new Set([...links.map(({ key }) => key), ...fields.flatMap(linkOfUnit)])
  return included.size > 0 ? [...included].join(',') : undefined
}
