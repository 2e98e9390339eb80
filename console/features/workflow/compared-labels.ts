/** What a condition compares, as the user reads it: labels of fields, and of values of their own. */
import type { ComparedPaths } from '../../api/open-actions.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { nameOfKey } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { columnsAt, textAt } from '../values/columns.ts'

/** Prints the list of what is compared; empty if the user may see none of it. */
export const useComparedLabels = (entity: Entity): ((compared: ComparedPaths) => string) => {
  const texts = useRecordPageTexts()
  const reading = useReading()
  const { entities, me } = useSession()
  const people = entities.get('user')
  // Users without a permission for users know their own record only.
  const labelAt = (path: string, start: Entity | undefined, row?: RecordRow) => {
    const [column] = start ? columnsAt([path], start, entities) : []
    const label = `“${column?.label ?? nameOfKey(path)}”`
    const value = column && row && column.place.length === 1 ? textAt(row, column, reading) : ''
    return value === '' ? label : `${label} (${value})`
  }
  return ({ fields, callerFields }) =>
    new Intl.ListFormat(reading.locale).format([
      ...fields.map((path) => labelAt(path, entity)),
      ...callerFields.map((path) => texts.yours(labelAt(path, people, me))),
    ])
}
