/** What a role may see, printed for the database, which decides by it who sees shared records. */
import { findList } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import type { Access } from '../query/access.ts'
import { maySeeByPath } from '../query/user-visibility.ts'

// What links lead to, where it can be named but not read; no entity is called so.
const named = (key: string): string => `${key} by name`

/** By entity: the names in paths that the role may see, with the target of each association. */
export const printSight = (catalog: Catalog, access: Access): string => {
  const { entities } = catalog
  const { readScope, maySee } = access
  const placeOf = (target: string): string => {
    const entity = entities.get(target)
    return entity && readScope(entity) === 'none' ? named(target) : target
  }
  const namesOf = (entity: Entity, isSeen: Access['maySee']) => {
    const columns = entity.columns.filter((column) => isSeen(entity, column))
    return Object.fromEntries([
      ...columns.map(({ name }) => [name, null] as const),
      ...columns.flatMap(({ field, target }) =>
        target ? [[field.key, placeOf(target)] as const] : [],
      ),
      ...[...entity.oneToMany.values()].flatMap(({ key, entity: target }) =>
        findList(catalog, entity, key, maySee) ? [[key, target] as const] : [],
      ),
    ])
  }
  const known = [...entities.values()].map((entity) =>
    readScope(entity) === 'none'
      ? ([named(entity.key), namesOf(entity, maySeeByPath(access))] as const)
      : ([entity.key, namesOf(entity, maySee)] as const),
  )
  return JSON.stringify(
    Object.fromEntries(known.filter(([, names]) => Object.keys(names).length > 0)),
  )
}
