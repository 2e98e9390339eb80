/** The columns that an export of an entity can have, each with its path and label. */
import type { Entity } from '../../api/types.ts'
import { columnsAt, columnsOf, type Entities, linkedEntity } from '../values/columns.ts'

export type ExportColumn = { readonly path: string; readonly label: string }

/** Whether several columns have this label, so that they need their paths. */
export const isAmbiguous = (columns: readonly ExportColumn[], label: string): boolean =>
  columns.filter((column) => column.label === label).length > 1

/** The columns of the export settings that the user may read. */
export const definedPaths = ({ exportSettings }: Entity): readonly string[] =>
  exportSettings.columnDefs.map(({ field }) => field)

/** The column of a path; without a label it has its path. */
export const exportColumn = (path: string, entity: Entity, entities: Entities): ExportColumn => {
  const defined = entity.exportSettings.columnDefs.find(({ field }) => field === path)?.label
  const [listed] = columnsAt([path], entity, entities)
  const setLabel = defined === path ? undefined : defined
  // A list shows the name of a link; an export may have its id too.
  const isId = listed !== undefined && listed.path !== path
  const label = listed && (isId ? `${listed.label} (id)` : listed.label)
  return { path, label: setLabel ?? label ?? path }
}

/** The columns over two links and more. */
const pathsBehind = (entity: Entity, entities: Entities): readonly string[] =>
  entity.fields.flatMap((field) => {
    const linked = linkedEntity(field, entities)
    return linked ? columnsOf(linked, entities).map(({ path }) => `${field.key}.${path}`) : []
  })

/** All columns to choose from: those of lists and of the export settings, the ids of links, and columns behind links. */
export const exportColumns = (entity: Entity, entities: Entities): readonly ExportColumn[] => {
  const listed = columnsOf(entity, entities)
  const paths = [
    ...listed.map(({ path }) => path),
    ...definedPaths(entity),
    ...listed.flatMap(({ link }) => link?.idColumn ?? []),
    ...pathsBehind(entity, entities),
  ]
  return [...new Set(paths)].map((path) => exportColumn(path, entity, entities))
}

const mostFound = 20

/** The columns whose label or path has these words, and the column with exactly this path. */
export const findColumns = (
  all: readonly ExportColumn[],
  words: string,
  entity: Entity,
  entities: Entities,
): readonly ExportColumn[] => {
  const path = words.trim()
  const parts = path.toLowerCase().split(/\s+/)
  const found = all.filter((one) => {
    const text = `${one.label}\n${one.path}`.toLowerCase()
    return parts.every((word) => text.includes(word))
  })
  const isFurther =
    !all.some((one) => one.path === path) && columnsAt([path], entity, entities).length > 0
  return [
    ...(isFurther ? [exportColumn(path, entity, entities)] : []),
    ...found.slice(0, mostFound),
  ]
}
