/** What a value reads where nothing but the value is known: a link is called what its record is called. */
import { useQuery } from '@tanstack/react-query'
import { nameQuery } from '../../api/record.ts'
import type { Field } from '../../api/types.ts'
import { useReading, useSession } from '../session/session.ts'
import { formatValue } from '../values/format-value.ts'

const noTarget = { key: '', displayField: 'id' }

/** Empty for no value; the id of a linked record as long as its name is not known, or may not be seen. */
export const useValueText = (value: unknown, field: Field, unit?: string): string => {
  const reading = useReading()
  const target = useSession().entities.get(field.entity ?? '')
  const id = field.type === 'manyToOne' && typeof value === 'number' ? value : undefined
  const isNamed = id !== undefined && target?.permissions.read !== false
  const { data } = useQuery({
    ...nameQuery(target ?? noTarget, id ?? 0),
    enabled: isNamed && target !== undefined,
  })
  const name = target && data?.[target.displayField]
  return name === undefined || name === null
    ? formatValue(value, field, reading, unit)
    : String(name)
}
