/** The one-to-many fields of an entity, how their records are read, and which of these are typed as lines. */
import type { RelatedList } from '../../api/record.ts'
import type { Entity, Field } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { type ListSearch, orderOf } from '../grid/list-state.ts'
import {
  columnsAt,
  columnsOf,
  type Entities,
  isChosen,
  type ListColumn,
  pathsOf,
} from '../values/columns.ts'
import { defaultPaths } from '../values/main-columns.ts'
import { isEntered } from '../values/own-fields.ts'

export type Related = {
  readonly field: Field
  readonly child: Entity
  /** The column of the child that links here. */
  readonly column: string
  readonly columns: readonly ListColumn[]
  /** Those of a table in which its records are typed; none if the role does not write them so. */
  readonly typed: readonly ListColumn[]
}

/** What a table is made of in which records are typed. */
export type TypedList = Pick<Related, 'child' | 'typed'> & {
  readonly field: Pick<Field, 'key' | 'orderBy'>
}

// The list of the entity shows all columns, also of linked records.
const maxColumns = 7
const maxTypedColumns = 12

/** The one-to-many fields of an entity whose records the user may read. */
export const relatedOf = (entity: Entity, entities: Entities): readonly Related[] =>
  entity.fields.flatMap((field) => {
    const child = kindOf(field).isList ? entities.get(field.entity ?? '') : undefined
    const link = child?.fields.find(({ key }) => key === field.mappedBy)
    if (!child || child.permissions.read === false || !link || link.column === null) return []
    const { column } = link
    const { displayField, exportSettings } = child
    // Chosen by importance and shown in the order of the definition: an amount after the values that it is made of.
    const order = [displayField, ...exportSettings.columnDefs.map((one) => one.field)]
    const placeOf = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length)
    const columns = columnsAt(defaultPaths(child, entities), child, entities)
      .filter(({ place }) => place[0] !== link.key)
      .filter(({ place, link: behind }) => place.length === 1 || behind)
      .slice(0, maxColumns)
      .toSorted((one, other) => placeOf(one.path) - placeOf(other.path))
    const related = { field, child, column, columns, typed: [] }
    return [{ ...related, typed: typedColumns(related, link, entities) }]
  })

/** The field of a record that a cell of a column shows. */
export const ownFieldOf = ({ fields }: Entity, { link, path }: ListColumn): Field | undefined =>
  fields.find(({ column }) => column !== null && column === (link ? link.idColumn : path))

const typedColumns = (
  { child, columns }: Related,
  link: Field,
  entities: Entities,
): readonly ListColumn[] => {
  const { create, update, delete: remove } = child.permissions
  const isWritten = create || update !== false || remove !== false
  if (child.isNative || !isWritten || !isEntered(link)) return []
  const own = columnsOf(child, entities).filter((one) => {
    const field = ownFieldOf(child, one)
    const isShown = field && field !== link && !field.isSystem && isChosen(field, entities)
    return isShown && !kindOf(field).isStructured
  })
  const isMain = ({ path }: ListColumn) => columns.some((one) => one.path === path)
  const isNeeded = (one: ListColumn) => ownFieldOf(child, one)?.required === true || isMain(one)
  const needed = own.filter(isNeeded)
  const most = Math.max(maxTypedColumns, needed.length)
  const chosen = [...new Set([...needed, ...own])].slice(0, most)
  return own.filter((one) => chosen.includes(one))
}

// How many records stand next to a record; all of them are in the list of the entity.
const mostShown = 20
const mostTyped = 200
const mostOfAll = 1000

/** The request for the records that link to one: the first ones, or as many as are typed at once. */
export const requestOf = (related: Related, id: number, isWhole = false): RelatedList => {
  const { child, column, columns, typed } = related
  return {
    entity: child.key,
    column,
    id,
    paths: [
      ...new Set([
        ...['id', child.displayField],
        ...(typed.length > 0 ? ['_version', ...typed.flatMap(pathsOf)] : []),
        ...columns.flatMap(pathsOf),
      ]),
    ],
    order: orderOf(searchOf(related, id)),
    limit: isWhole ? mostOfAll : typed.length > 0 ? mostTyped : mostShown,
  }
}

/** The list of all records that link to one: by their position, those with a workflow newest first, others as they were entered. */
export const searchOf = ({ child, column, field }: Related, id: number): ListSearch => ({
  w: { [column]: id },
  ...(field.orderBy ? { s: [field.orderBy] } : child.workflow === null && { s: ['id'] }),
})
