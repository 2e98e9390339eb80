/** What a filter on an entity needs to be put into the words of the user. */
import { useMemo } from 'react'
import { placeKey, type RecordPlace, useRecordNames } from '../../api/record-names.ts'
import type { Condition, Entity, Field } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type Comparison, kindOf } from '../format/field-kinds.ts'
import { useReading, useSession } from '../session/session.ts'
import { comparisonOf, otherField, otherPathOf } from './comparisons.ts'
import { comparisonWords, type Wording } from './describe-filter.ts'
import { type Filter, type FilterRule, parseFilter } from './filter.ts'
import { filterFieldAt, listFieldAt } from './filter-fields.ts'

/** A comparison of a record that has a field, as one of the record that leads to it. */
const behind = (start: string, rule: FilterRule): FilterRule => {
  const { comparison, value } = comparisonOf(rule)
  const other = otherPathOf(comparison, value)
  return {
    ...rule,
    path: `${start}.${rule.path}`,
    value: other === undefined ? rule.value : otherField(`${start}.${other}`),
  }
}

/** All comparisons of a filter; those of records of a one-to-many field begin with it. */
export const rulesIn = (filter: Filter): readonly FilterRule[] => {
  if (filter.kind === 'rule') return [filter]
  if (filter.kind === 'many') return rulesIn(filter.item).map((rule) => behind(filter.path, rule))
  return filter.kind === 'not' ? rulesIn(filter.item) : filter.items.flatMap(rulesIn)
}

const rulesOf = (where: Condition | undefined): readonly FilterRule[] => {
  const filter = where && parseFilter(where)
  return filter ? rulesIn(filter) : []
}

/** The words for a filter, with the names of the records that it compares with. */
export const useWording = (entity: Entity, where?: Condition): Wording => {
  const texts = useWorkTexts().filter
  const reading = useReading()
  const { entities } = useSession()
  const places = useMemo(
    () =>
      rulesOf(where).flatMap(({ path, value }): RecordPlace[] => {
        const found = filterFieldAt(path, entity, entities)
        if (!found || !kindOf(found.field).isLink || !found.field.entity) return []
        const { owner, field } = found
        const place = { entity: found.field.entity, by: { owner, field } }
        const ids = Array.isArray(value) ? value : [value]
        return ids.filter(Number.isSafeInteger).map((id) => ({ ...place, id }))
      }),
    [where, entity, entities],
  )
  const names = useRecordNames(places, entities)
  return useMemo(() => {
    const wordingOf = (one: Entity): Wording => ({
      fieldAt: (path) => filterFieldAt(path, one, entities),
      listAt: (path) => {
        const list = listFieldAt(path, one, entities)
        const target = entities.get(list?.field.entity ?? '')
        return list && target && { label: list.label, wording: wordingOf(target) }
      },
      nameOf: (key, id) => names?.get(placeKey({ entity: key, id })),
      reading,
      texts,
    })
    return wordingOf(entity)
  }, [entity, entities, names, reading, texts])
}

export const useComparisonWords = (): ((
  comparison: Comparison,
  field: Field | undefined,
  hasTime: boolean,
) => string) => {
  const texts = useWorkTexts().filter
  return (comparison, field, hasTime) => comparisonWords(comparison, field, texts, hasTime)
}
