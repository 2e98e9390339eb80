/** The error of a delivery that did not succeed, and whether it is tried again. */

type Reason = {
  /** Whether the same may succeed later. */
  readonly retryable: boolean
  /** When the receiver said how long to wait. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Why a receiver did not accept a delivery. The message is shown to operators and contains no secret. */
export class DeliveryError extends Error {
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined

  constructor(message: string, { retryable, retryAfterMs, cause }: Reason) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DeliveryError'
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }
}
