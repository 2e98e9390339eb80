/** Plans `$search`: where its words may occur, as conditions like those of `$where`. */
import { resolvePath } from '../../definitions/association-path.ts'
import type { Column } from '../../definitions/catalog.ts'
import { addIssue } from '../../issues.ts'
import { criteriaLimits } from '../criteria/criteria-limits.ts'
import { type Planning, refer } from '../refer.ts'
import type { ColumnRef, PlannedCondition } from '../select-plan.ts'
import { anywhere } from './patterns.ts'

/** Every word occurs in a text that the caller may see, or is a number. */
export const planSearch = (
  words: readonly string[],
  planning: Planning,
): PlannedCondition | undefined => {
  if (words.length === 0) return undefined
  const columns = searchedColumns(planning)
  const compared = words.length * columns.length
  if (compared > criteriaLimits.conditions) {
    const most = Math.floor(criteriaLimits.conditions / columns.length)
    addIssue(planning.issues, {
      path: '$search',
      message: `has ${words.length} words, at most ${most} are allowed for an entity with so many fields`,
    })
    return undefined
  }
  return {
    kind: 'and',
    conditions: words.map((word) => {
      const conditions = columns.flatMap((ref) => occurrence(word, ref))
      return conditions.length === 0 ? { kind: 'never' } : { kind: 'or', conditions }
    }),
  }
}

const isText = ({ type }: Column): boolean => type.comparison === 'text'
const isNumber = ({ type, target }: Column): boolean =>
  target === undefined && ['integer', 'bigint', 'decimal'].includes(type.cell)

/** The id and the declared fields, and the display fields of linked records. */
const searchedColumns = (planning: Planning): readonly ColumnRef[] => {
  const { entity, access } = planning
  const own = entity.columns
    .filter((column) => !column.isSystem || column.name === 'id')
    .filter((column) => (isText(column) || isNumber(column)) && access.maySee(entity, column))
    .map((column) => ({ alias: 't', column }))
  const linked = [...entity.associations.values()]
    .filter(({ isSystem }) => !isSystem)
    .flatMap((link) => linkedName(link, planning))
  return [...own, ...linked]
}

/** The display field of a linked record, if it is a text that the caller may see. */
const linkedName = ({ field, target }: Column, planning: Planning): readonly ColumnRef[] => {
  const { catalog, entity, access } = planning
  const display = catalog.entities.get(target ?? '')?.definition.displayField
  if (display === undefined) return []
  const path = `${field.key}.${display}`
  const result = resolvePath(catalog, entity, path, access.maySee)
  if ('message' in result || !isText(result.path.column)) return []
  const ref = refer(path, '$search', true, planning)
  return ref ? [ref] : []
}

const occurrence = (word: string, ref: ColumnRef): readonly PlannedCondition[] => {
  if (isText(ref.column)) {
    const values = [anywhere(word)]
    // Twice as fast as to fold every letter of every text.
    const isAscii = !/[^\x20-\x7e]/.test(word)
    return [{ kind: 'compare', ref, operator: '$ilike', values, isAscii }]
  }
  if (!/^-?\d+(\.\d+)?$/.test(word)) return []
  const { type } = ref.column
  const result = type.checkSearched(type.cell === 'integer' ? Number(word) : word, 'UTC')
  return 'value' in result
    ? [{ kind: 'compare', ref, operator: '$eq', values: [result.value] }]
    : []
}
