/** What every input of a field gets. */
import type { Field } from '../../api/types.ts'

export type InputProps = {
  readonly id: string
  readonly field: Field
  readonly value: unknown
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
  /** Names the element that tells more. */
  readonly describedBy: string | undefined
  /** For a link also with what the linked record is called. */
  readonly onChange: (value: unknown, linked?: string) => void
}
