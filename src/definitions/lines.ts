/** Lines: the records of a one-to-many field, which are written with the record that has the field. */
import type { List } from './association-path.ts'
import { type Catalog, type Entity, writableColumns } from './catalog.ts'

/** The most lines of one request, of all lists together. */
export const maxLines = 1000

/** Whether requests write the records of a list in the body of the record that has it. */
export const isWrittenWithRecord = ({ target, link }: List): boolean =>
  !target.isNative &&
  link.writtenBy.length === 0 &&
  writableColumns(target).some(({ name }) => name === link.name)

/** Where a path leads that may go through a list whose records are written with those of the entity: `lines.position`. */
type WrittenPath = {
  /** The list, if it goes through one. */
  readonly list: List | undefined
  /** Of which the rest is a path. */
  readonly entity: Entity
  readonly path: string
}

/** The path in the records of the list at its beginning, or the same path if it begins with none. */
export const throughList = (catalog: Catalog, entity: Entity, path: string): WrittenPath => {
  const [name = ''] = path.split('.', 1)
  const list = writtenLists(catalog, entity).find(({ field }) => field.key === name)
  return list && path.length > name.length
    ? { list, entity: list.target, path: path.slice(name.length + 1) }
    : { list: undefined, entity, path }
}

/** The lists of an entity whose records are written with its own. */
export const writtenLists = (catalog: Catalog, entity: Entity): readonly List[] =>
  [...entity.oneToMany.values()].flatMap((field) => {
    const target = catalog.entities.get(field.entity)
    const link = target?.associations.get(field.mappedBy)
    const list = target && link && { field, target, link }
    return list && isWrittenWithRecord(list) ? [list] : []
  })
