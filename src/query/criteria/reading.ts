/** The state of the parser of criteria, with its limits, and the shapes that several keys share. */
import { kindOf } from '../../definitions/values/check-value.ts'
import { addIssue, type Issue, isFull } from '../../issues.ts'
import { criteriaLimits } from './criteria-limits.ts'

/** `isOver` when a limit is reached or there are enough issues: then parsing stops. */
export type Reading = {
  readonly issues: Issue[]
  conditions: number
  listed: number
  searches: number
  movingTimes: number
  /** How many `$some` and `$none` what is read now is in. */
  lists: number
  isOver: boolean
  /** Whether values may be those of the caller, as in conditions of actions. */
  readonly namesCaller: boolean
  /** Whether it may ask if linked records are readable, as in conditions of reading. */
  readonly asksReadable: boolean
}

export const newReading = (namesCaller = false, asksReadable = false): Reading => ({
  namesCaller,
  asksReadable,
  issues: [],
  conditions: 0,
  listed: 0,
  searches: 0,
  movingTimes: 0,
  lists: 0,
  isOver: false,
})

/** Adds an issue. */
export const wrong = (
  reading: Reading,
  path: string,
  message: string,
  hint?: () => string,
): undefined => {
  addIssue(reading.issues, { path, message }, hint)
  if (isFull(reading.issues)) reading.isOver = true
}

/** Adds the issue of a name that is too long. */
export const tooLong = (reading: Reading, at: string): undefined =>
  wrong(reading, at, `is longer than ${criteriaLimits.name} characters, so it names no field`)

type Name = { readonly name: string; readonly at: string }

/** An array of fields or paths. */
export const readNames = (
  value: unknown,
  at: string,
  reading: Reading,
  most: number = criteriaLimits.names,
): Name[] => {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    wrong(reading, at, `must be an array of field names, not ${kindOf(value)}`)
    return []
  }
  if (value.length === 0) wrong(reading, at, 'must not be empty')
  if (value.length > most) {
    wrong(reading, at, `has ${value.length} entries, at most ${most} are allowed`)
    return []
  }
  return value.flatMap((name: unknown, index): Name[] => {
    const place = `${at}[${index}]`
    if (typeof name !== 'string' || name === '')
      wrong(reading, place, `must be the name of a field, not ${kindOf(name)}`)
    else if (name.length > criteriaLimits.name) tooLong(reading, place)
    else return [{ name, at: place }]
    return []
  })
}
