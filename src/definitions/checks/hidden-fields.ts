/** Hidden fields that writers of other fields learn something of. */
import { fieldsIn } from '../calculations/compile-formula.ts'
import { formulaColumns, formulaOf } from '../calculations/formulas.ts'
import { rollupsFrom } from '../calculations/rollups.ts'
import { type Catalog, type Column, type Entity, uniqueIndexes } from '../catalog.ts'
import type { Permission, RoleDefinition } from '../schemas/role-definition.ts'

/** What writers of other fields learn of each hidden one, by its index. */
export const toldByWriting = (entity: Entity, permission: Permission) => [
  ...hiddenUniques(entity, permission.hiddenFields ?? []).map(({ index, columns }) => ({
    index,
    message: `is part of a unique index (${columns.join(', ')}): writers of the other fields learn that a combination exists`,
  })),
  ...hiddenOperands(entity, permission).map(({ index, formula, writable }) => ({
    index,
    message: `is read by the formula of "${formula}" beside "${writable}": whoever writes that learns the value from which results do not fit`,
  })),
]

/** Sums of other records that the role may not read, and adds to by writing parts of them. */
export const toldByParts = (
  catalog: Catalog,
  part: Entity,
  permissions: RoleDefinition['permissions'],
): readonly string[] => {
  const { create, update, hiddenFields: unseen = [] } = permissions[part.key] ?? {}
  if (!create && !update) return []
  return rollupsFrom(catalog, part).flatMap(({ parent, column, name, source }) => {
    const { read, hiddenFields = [] } = permissions[parent.key] ?? permissions['*'] ?? {}
    const isReadable = Boolean(read) && !hiddenFields.includes(column.field.key)
    const isWritable = source !== undefined && !unseen.includes(source.field.key)
    if (isReadable || !isWritable || name !== 'sum') return []
    return [
      `"${source.field.key}" adds to "${parent.key}.${column.field.key}", which the role may not read: whoever writes it learns the sum from which results do not fit`,
    ]
  })
}

/** Hidden fields in unique indexes, by their place in the list. */
const hiddenUniques = (entity: Entity, hidden: readonly string[]) =>
  hidden.flatMap((name, index) => {
    const column = entity.associations.get(name) ?? entity.columnsByName.get(name)
    return uniqueIndexes(entity)
      .filter(({ columns }) => columns.length > 1 && columns.includes(column?.name ?? ''))
      .map(({ columns }) => ({ index, columns }))
  })

/** Hidden fields that a formula calculates with a field that the role may write. */
const hiddenOperands = (
  entity: Entity,
  { create, update, hiddenFields: hidden = [] }: Permission,
) => {
  if (!create && !update) return []
  return formulaColumns(entity).flatMap((column) => {
    const operands = operandsOf(entity, column)
    const writable = operands.find(
      ({ field, isCalculated }) => !isCalculated && !hidden.includes(field.key),
    )
    if (!writable) return []
    return hidden.flatMap((name, index) =>
      operands.some(({ field }) => field.key === name)
        ? [{ index, formula: column.field.key, writable: writable.field.key }]
        : [],
    )
  })
}

/** What a formula reads, and what those read that it reads. */
const operandsOf = (entity: Entity, column: Column): readonly Column[] => {
  const found = new Set([column])
  // The set grows during the loop.
  for (const one of found) {
    const formula = formulaOf(one)
    for (const name of formula ? fieldsIn(formula) : []) {
      const operand = entity.columnsByName.get(name)
      if (operand) found.add(operand)
    }
  }
  return [...found].slice(1)
}
