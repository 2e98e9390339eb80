/** The interface of a provider of e-mails; `providers/` has those that there are, and `open-provider.ts` there opens one. */
import type { Email } from './email.ts'

export type EmailProvider = {
  readonly name: string
  /** The largest e-mail that it accepts, with encoded attachments. */
  readonly maxBytes: number
  /** Resolves when the provider has accepted the e-mail; otherwise throws a DeliveryError. */
  readonly send: (email: Email, signal: AbortSignal) => Promise<void>
  /**
   * Whether it has accepted an e-mail with this message id before; absent if the provider cannot be asked.
   * Called before every attempt except the first.
   */
  readonly hasTaken?: (messageId: string, signal: AbortSignal) => Promise<boolean>
  readonly close: () => Promise<void>
}
