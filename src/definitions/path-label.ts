/** What people call a path: the names of the fields on it. */
import { resolvePath } from './association-path.ts'
import type { Catalog, Column, Entity } from './catalog.ts'

/** `Supplier › Country`; the path itself if it cannot be followed. */
export const pathLabel = (catalog: Catalog, entity: Entity, path: string): string => {
  const resolved = resolvePath(catalog, entity, path)
  if ('message' in resolved) return path
  const { steps, column } = resolved.path
  const nameOf = ({ field }: Column) => field.name ?? field.key
  return [...steps, column].map(nameOf).join(' › ')
}
