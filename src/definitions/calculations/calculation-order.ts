/** Which calculated fields read which others, across entities. */
import { type Catalog, type Column, calculatedColumns, type Entity } from '../catalog.ts'
import { fieldsIn, formulaOf } from './formulas.ts'
import { decidingColumns, findRollup } from './rollups.ts'

export type Calculated = { readonly entity: Entity; readonly column: Column }

/** The columns that a calculation reads, of its own entity or of a linked one. */
export const columnsReadBy = (
  catalog: Catalog,
  { entity, column }: Calculated,
): readonly Calculated[] => {
  const formula = formulaOf(column)
  const found = findRollup(catalog, entity, column)
  const rollup = found && 'rollup' in found ? found.rollup : undefined
  return [
    ...(formula ? fieldsIn(formula) : []).flatMap((name) => {
      const read = entity.columnsByName.get(name)
      return read ? [{ entity, column: read }] : []
    }),
    ...(rollup
      ? decidingColumns(rollup).map((read) => ({ entity: rollup.child, column: read }))
      : []),
  ]
}

/** All that a calculation names: the columns that it reads, and of a rollup the link by which the records are found. */
export const calculationInputs = (catalog: Catalog, one: Calculated): readonly Calculated[] => {
  const found = findRollup(catalog, one.entity, one.column)
  const linked =
    found && 'rollup' in found ? [{ entity: found.rollup.child, column: found.rollup.link }] : []
  return [...columnsReadBy(catalog, one), ...linked]
}

/** The columns of its own record that a calculated column follows from, directly or through calculated ones. */
export const enteredInputs = (catalog: Catalog, one: Calculated): readonly Column[] => {
  const { entity } = one
  const found = new Set([one.column])
  // The set grows during the loop. A rollup reads other records, also of the same entity.
  for (const column of found)
    if (formulaOf(column))
      for (const read of columnsReadBy(catalog, { entity, column })) found.add(read.column)
  return [...found].filter(({ isCalculated }) => !isCalculated)
}

/** Whether a calculated column follows from other records, directly or through calculated ones. */
export const readsOthers = (catalog: Catalog, { entity, column }: Calculated): boolean => {
  if (!column.isCalculated) return false
  if (findRollup(catalog, entity, column)) return true
  return columnsReadBy(catalog, { entity, column }).some((read) => readsOthers(catalog, read))
}

/** All calculated columns, each after those that it reads. */
export const inOrderOfCalculation = (catalog: Catalog): readonly Calculated[] => {
  const sorted = new Map<Column, Calculated>()
  const add = (one: Calculated, path: readonly Column[]) => {
    const { column } = one
    if (!column.isCalculated || sorted.has(column) || path.includes(column)) return
    for (const read of columnsReadBy(catalog, one)) add(read, [...path, column])
    sorted.set(column, one)
  }
  for (const entity of catalog.entities.values())
    for (const column of calculatedColumns(entity)) add({ entity, column }, [])
  return [...sorted.values()]
}

/** The path from a calculated column back to itself; undefined if there is none. */
export const circleOf = (catalog: Catalog, start: Calculated): readonly string[] | undefined => {
  const paths = new Map([[start.column, { one: start, path: [nameOf(start)] }]])
  // The map grows during the loop.
  for (const { one, path } of paths.values())
    for (const next of columnsReadBy(catalog, one)) {
      if (next.column === start.column) return [...path, nameOf(next)]
      if (next.column.isCalculated && !paths.has(next.column))
        paths.set(next.column, { one: next, path: [...path, nameOf(next)] })
    }
  return undefined
}

const nameOf = ({ entity, column }: Calculated): string => `${entity.key}.${column.name}`
