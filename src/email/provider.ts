/** What sends e-mails: one small interface, and how a refusal is told. */
import type { Email } from './email.ts'

export type EmailProvider = {
  readonly name: string
  /** The largest e-mail that it takes, attachments encoded. */
  readonly maxBytes: number
  /** Resolves when the provider has taken the e-mail; throws a SendFault when not. */
  readonly send: (email: Email, signal: AbortSignal) => Promise<void>
  /**
   * Whether it has taken an e-mail of this message id before; absent where a provider cannot tell.
   * Asked before a try that is not the first one.
   */
  readonly hasTaken?: (messageId: string, signal: AbortSignal) => Promise<boolean>
  readonly close: () => Promise<void>
}

type CheckResult = {
  /** `again`: the same e-mail may be taken later; `never`: it will not be. */
  readonly verdict: 'again' | 'never'
  /** When the provider said how long to wait. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Why a provider did not take an e-mail. The message is shown to operators: it holds no secret. */
export class DeliveryError extends Error {
  readonly verdict: 'again' | 'never'
  readonly retryAfterMs: number | undefined

  constructor(message: string, { verdict, retryAfterMs, cause }: CheckResult) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DeliveryError'
    this.verdict = verdict
    this.retryAfterMs = retryAfterMs
  }
}
