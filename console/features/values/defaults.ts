/** The values of a new record that the service would set by itself, so that they are seen before it is saved. */
import { namesMovingTime } from '../../../src/definitions/values/rules/moving-time-names.ts'
import {
  type Calendar,
  presentValue,
  readMovingTime,
} from '../../../src/definitions/values/rules/moving-times.ts'
import type { Entity, Field } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import type { Session } from '../session/session.ts'
import { isChosen } from './columns.ts'
import { fromLocalTime, toLocalTime } from './local-text.ts'
import { isEntered } from './own-fields.ts'

/** The values that the service would set now, of the fields that the user may set. */
export const defaultsOf = (
  { fields }: Entity,
  calendar: Calendar,
  session: Session,
): ReadonlyMap<string, unknown> =>
  new Map(
    fields.filter(isEntered).flatMap((field: Field) => {
      const { column } = field
      const value = callerDefault(field, session) ?? presentDefault(field, calendar)
      return column !== null && value !== undefined && value !== null
        ? [[column, value] as const]
        : []
    }),
  )

/** What the caller has, as far as it is shown: the service gives what is not. */
const callerDefault = (field: Field, { me, entities }: Session): unknown => {
  if (!namesCaller(field.default) || !isChosen(field, entities)) return undefined
  const own: Readonly<Record<string, unknown>> = me
  const name = field.default.$caller
  return kindOf(field).isLink && name !== 'id' ? own[`${name}_id`] : own[name]
}

const namesCaller = (value: unknown): value is { readonly $caller: string } =>
  typeof value === 'object' && value !== null && '$caller' in value

const minuteMs = 60_000

const presentDefault = (
  { default: value, type }: Field,
  { timeZone, firstDayOfWeek }: Calendar,
): unknown => {
  if (namesCaller(value)) return undefined
  if (kindOf({ type }).time === undefined || !namesMovingTime(value)) return value
  const read = readMovingTime(value)
  if ('issue' in read) return undefined
  const clock = {
    // People say a time by its minute, and would see all parts of it.
    now: Math.floor(Date.now() / minuteMs) * minuteMs,
    toLocal: (moment: string) => toLocalTime(moment, timeZone),
    fromLocal: (local: string) => fromLocalTime(local, timeZone) ?? '',
  }
  return presentValue(read.moving, type === 'date' ? type : 'timestamp', clock, firstDayOfWeek)
}
