/** What a value reads where nothing but the value is known: a link is called what its record is called. */
import { placeKey, useRecordNames } from '../../api/record-names.ts'
import type { Entity, Field } from '../../api/types.ts'
import { formatValue } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'

type Context = {
  /** The entity that has the field. */
  readonly owner?: Entity
  readonly unit?: string | undefined
}

/** Empty for no value; the id of a linked record as long as its name is not known, or may not be seen. */
export const useValueText = (value: unknown, field: Field, { owner, unit }: Context): string => {
  const reading = useReading()
  const { entities } = useSession()
  const isLink = field.type === 'manyToOne' && typeof value === 'number'
  const place = isLink && { entity: field.entity ?? '', id: value }
  const places = place ? [{ ...place, ...(owner && { by: { owner, field } }) }] : []
  const name = useRecordNames(places, entities)?.get(place ? placeKey(place) : '')
  return name || formatValue(value, field, reading, unit)
}
