/** What sends e-mails: one small interface for every provider. */
import type { Email } from './email.ts'

export type EmailProvider = {
  readonly name: string
  /** The largest e-mail that it takes, attachments encoded. */
  readonly maxBytes: number
  /** Resolves when the provider has taken the e-mail; throws a DeliveryError when not. */
  readonly send: (email: Email, signal: AbortSignal) => Promise<void>
  /**
   * Whether it has taken an e-mail of this message id before; absent where a provider cannot tell.
   * Asked before a try that is not the first one.
   */
  readonly hasTaken?: (messageId: string, signal: AbortSignal) => Promise<boolean>
  readonly close: () => Promise<void>
}
