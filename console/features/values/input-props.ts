/** What every input of a field gets, and what the inputs of all types have in common. */
import { useState } from 'react'
import type { RecordPlace } from '../../api/records/documents.ts'
import type { Field } from '../../api/types.ts'

export type InputProps = {
  readonly id: string
  readonly field: Field
  readonly value: unknown
  /** The record that has the value, if it is saved. */
  readonly place?: RecordPlace | undefined
  /** What the linked record is called, for a link. */
  readonly linked: string | undefined
  /** For a link: criteria that its choices match. */
  readonly choices?: Readonly<Record<string, unknown>> | undefined
  /** Of a number, where it is known. */
  readonly unit?: string | undefined
  readonly timeZone: string
  /** Whether a moment without a time is a whole day: of what is compared with. */
  readonly isSpan?: boolean | undefined
  readonly isInvalid: boolean
  /** Names the element that says more. */
  readonly describedBy: string | undefined
  /** For a link also with what the linked record is called. */
  readonly onChange: (value: unknown, linked?: string) => void
}

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

/** Shows what was typed until the input is left, and then what the value reads like. */
export const useTypedText = (shown: string) => {
  const [typed, setTyped] = useState<string>()
  return { text: typed ?? shown, setTyped, forget: () => setTyped(undefined) }
}
