/** What a filter on an entity needs to be put into the words of the user. */
import { useMemo } from 'react'
import { placeKey, type RecordPlace, useRecordNames } from '../../api/record-names.ts'
import type { Condition, Entity, Field } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type Comparison, kindOf } from '../format/field-kinds.ts'
import { useReading, useSession } from '../session/session.ts'
import { comparisonWords, type Wording } from './describe-filter.ts'
import { type Filter, type FilterRule, parseFilter } from './filter.ts'
import { filterFieldAt } from './filter-fields.ts'

/** All conditions of a filter. */
export const rulesIn = (filter: Filter): readonly FilterRule[] => {
  if (filter.kind === 'rule') return [filter]
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
  return useMemo(
    () => ({
      fieldAt: (path) => filterFieldAt(path, entity, entities),
      nameOf: (key, id) => names?.get(placeKey({ entity: key, id })),
      reading,
      texts,
    }),
    [entity, entities, names, reading, texts],
  )
}

export const useComparisonWords = (): ((
  comparison: Comparison,
  field: Field | undefined,
  hasTime: boolean,
) => string) => {
  const texts = useWorkTexts().filter
  return (comparison, field, hasTime) => comparisonWords(comparison, field, texts, hasTime)
}
