/** What every input of a field gets. */
import type { Field } from '../../api/types.ts'

export type InputProps = {
  readonly id: string
  readonly field: Field
  readonly value: unknown
  /** What the linked record is called, for a link. */
  readonly linked: string | undefined
  readonly timeZone: string
  readonly isInvalid: boolean
  /** Names the element that tells more. */
  readonly describedBy: string | undefined
  readonly onChange: (value: unknown) => void
}
