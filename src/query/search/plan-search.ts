/** Plans `$search`: where its words may occur, as conditions like those of `$where`. */
import type { Column, Entity } from '../../definitions/catalog.ts'
import { addIssue } from '../../issues.ts'
import type { Access } from '../access.ts'
import { criteriaLimits } from '../criteria/criteria-limits.ts'
import type { Planning } from '../refer.ts'
import type { ColumnRef, PlannedCondition } from '../select-plan.ts'
import { linkedScope } from '../user-visibility.ts'
import { patternOf } from './word-pattern.ts'

/** Every word occurs in a text that the caller may see, or is a number. */
export const planSearch = (
  words: readonly string[],
  planning: Planning,
): PlannedCondition | undefined => {
  if (words.length === 0) return undefined
  const places = searchedPlaces(planning)
  const compared = words.length * places.length
  if (compared > criteriaLimits.conditions) {
    const most = Math.floor(criteriaLimits.conditions / places.length)
    addIssue(planning.issues, {
      path: '$search',
      message: `has ${words.length} words, at most ${most} are allowed for an entity with so many fields`,
    })
    return undefined
  }
  return {
    kind: 'and',
    conditions: words.map((word) => {
      const conditions = places.flatMap((occurrences) => occurrences(word))
      return conditions.length === 0 ? { kind: 'never' } : { kind: 'or', conditions }
    }),
  }
}

const isText = ({ type }: Column): boolean => type.comparison === 'text'
const isNumber = ({ type, target }: Column): boolean =>
  target === undefined && type.comparedKind === 'number'

/** Where a word is looked for: a column, or the display field of a linked record. */
type Searched = (word: string) => readonly PlannedCondition[]

/** The id and the declared fields, and the display fields of linked records. */
const searchedPlaces = ({ catalog, entity, access }: Planning): readonly Searched[] => {
  const own = entity.columns
    .filter((column) => !column.isSystem || column.name === 'id')
    .filter((column) => (isText(column) || isNumber(column)) && access.maySee(entity, column))
    .map(
      (column): Searched =>
        (word) =>
          occurrence(word, { alias: 't', column }),
    )
  const linked = [...entity.associations.values()]
    .filter((link) => !link.isSystem && access.maySee(entity, link))
    .flatMap((link) => {
      const target = catalog.entities.get(link.target ?? '')
      return target ? linkedName(link, target, access) : []
    })
  return [...own, ...linked]
}

/** The display field of a linked record, if it is a text that the caller may see. */
const linkedName = (link: Column, target: Entity, access: Access): readonly Searched[] => {
  const display = target.columnsByName.get(target.definition.displayField ?? '')
  const scope = display ? linkedScope(access, target, display) : 'none'
  if (!display || !isText(display) || scope === 'none') return []
  const name = { alias: 'linked', column: display }
  const place = { link: { alias: 't', column: link }, entity: target, alias: name.alias }
  return [
    (word) =>
      occurrence(word, name).map((condition) => ({ kind: 'linked', ...place, scope, condition })),
  ]
}

const occurrence = (word: string, ref: ColumnRef): readonly PlannedCondition[] => {
  if (isText(ref.column)) {
    return [
      {
        kind: 'occurs',
        ref,
        pattern: patternOf(ref.column.type.searchedPart(word, false)),
        isIndexed: false,
      },
    ]
  }
  if (!/^-?\d+(\.\d+)?$/.test(word)) return []
  const { type } = ref.column
  const result = type.checkSearched(type.cell === 'integer' ? Number(word) : word, 'UTC')
  return 'value' in result
    ? [{ kind: 'compare', ref, operator: '$eq', values: [result.value] }]
    : []
}
