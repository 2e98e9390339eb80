/** Reads the values of options; what is missing or wrong is wrong usage. */
import { StartupError } from '../errors.ts'

/** Ends a command with the exit code of wrong usage. */
export class UsageError extends StartupError {}

type Value = string | boolean | undefined

/** An option that a command cannot do without. */
export const neededText = (value: Value, name: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`--${name} is needed.`)
}

/** `--id` of a record. */
export const neededId = (value: Value): number => {
  const text = neededText(value, 'id')
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new UsageError(`--id must be the number of a record; it is "${text}".`)
}
