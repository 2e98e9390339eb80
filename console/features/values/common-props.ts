/** Properties that the inputs of all types of fields have. */
import type { InputProps } from './input-props.ts'

export const commonProps = ({ id, field, isInvalid, describedBy }: InputProps) => ({
  id,
  name: field.column ?? field.key,
  'aria-required': field.required === true,
  'aria-invalid': isInvalid || undefined,
  'aria-describedby': describedBy,
  className: 'field-input',
})

/** An empty input of a field that needs no value is no value. */
export const orNull = (text: string): string | null => (text === '' ? null : text)

export const asText = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)
