/** Reads values of options; missing or invalid ones are usage errors. */
import { StartupError } from '../errors.ts'

/** Ends a command with the exit code of a usage error. */
export class UsageError extends StartupError {}

type Value = string | boolean | undefined

/** A required option. */
export const requiredText = (value: Value, name: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`--${name} is required.`)
}

/** `--id` of a record. */
export const requiredId = (value: Value): number => {
  const text = requiredText(value, 'id')
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new UsageError(`--id must be the number of a record; it is "${text}".`)
}
