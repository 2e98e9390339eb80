/** The one-to-many fields of an entity: which records of which entity link to one of its records. */
import type { RelatedList } from '../../api/record.ts'
import type { Entity, Field } from '../../api/types.ts'
import { type ListSearch, orderOf } from '../grid/list-state.ts'
import { columnsAt, type Entities, type ListColumn, pathsOf } from '../values/columns.ts'
import { defaultPaths } from '../values/main-columns.ts'

export type Related = {
  readonly field: Field
  readonly child: Entity
  /** The column of the child that links here. */
  readonly column: string
  readonly columns: readonly ListColumn[]
}

// What stands beside other things of a record; the list of the entity shows all, and fields of linked records too.
const maxColumns = 7

/** Those whose records the user may read. */
export const relatedOf = (entity: Entity, entities: Entities): readonly Related[] =>
  entity.fields.flatMap((field) => {
    const child = field.type === 'oneToMany' ? entities.get(field.entity ?? '') : undefined
    const link = child?.fields.find(({ key }) => key === field.mappedBy)
    if (!child || child.permissions.read === false || !link || link.column === null) return []
    const { column } = link
    const { displayField, exportSettings } = child
    // Chosen by what people need first, and shown as the definition orders them: an amount after what it comes from.
    const order = [displayField, ...exportSettings.columnDefs.map((one) => one.field)]
    const placeOf = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length)
    const columns = columnsAt(defaultPaths(child, entities), child, entities)
      .filter(({ place }) => place[0] !== link.key)
      .filter(({ place, link: behind }) => place.length === 1 || behind)
      .slice(0, maxColumns)
      .toSorted((one, other) => placeOf(one.path) - placeOf(other.path))
    return [{ field, child, column, columns }]
  })

/** What is asked of the service for the records that link to one. */
export const requestOf = (related: Related, id: number): RelatedList => ({
  entity: related.child.key,
  column: related.column,
  id,
  paths: [...new Set(['id', related.child.displayField, ...related.columns.flatMap(pathsOf)])],
  order: orderOf(searchOf(related, id)),
})

/** The list of all that link to a record: parts as they were entered, what has steps of its own newest first. */
export const searchOf = ({ child, column }: Related, id: number): ListSearch => ({
  w: { [column]: id },
  ...(child.workflow === null && { s: ['id'] }),
})
