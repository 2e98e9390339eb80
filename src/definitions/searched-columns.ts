/** The texts by which the search over all entities finds records: what names a record, and its title (docs/search.md). */
import type { Column, Entity } from './catalog.ts'

// An index of the parts of longer texts would be larger than the table.
const longestText = 1000

/** The display field. */
export const nameColumn = ({ definition, columnsByName }: Entity): Column | undefined =>
  columnsByName.get(definition.displayField ?? '')

/** The first other `string` field among the columns of exports: what a record is about, if a number names it. */
export const titleColumn = (entity: Entity): Column | undefined => {
  if (entity.isNative) return undefined
  const { columnDefs } = entity.definition.exportSettings ?? {}
  const exported = columnDefs
    ? columnDefs.flatMap(({ field }) => entity.columnsByName.get(field) ?? [])
    : entity.columns
  return exported.find(
    (column) =>
      column.field.type === 'string' &&
      !column.isSystem &&
      column !== nameColumn(entity) &&
      isIndexedByPart(column),
  )
}

/** The columns that have an index of the parts of their texts. */
export const columnsByPart = (entity: Entity): readonly Column[] =>
  [nameColumn(entity), titleColumn(entity)].flatMap((column) =>
    column && isIndexedByPart(column) ? [column] : [],
  )

const isIndexedByPart = ({ type: { isSearchedByPart, maxLength = 0 } }: Column): boolean =>
  isSearchedByPart && maxLength <= longestText
