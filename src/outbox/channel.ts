/** The interface of a channel: a way to send the notifications of a rule besides the inbox. */
import type { VisibilityDeps } from '../auth/readable-records.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Config } from '../config/load-config.ts'
import type { Pool, Queryable } from '../database/pool.ts'
import type { NotificationRule } from '../definitions/notification-rules.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import type { TakenDelivery } from './delivery.ts'
import type { EventData, NotificationEvent, SharedContent } from './events/notification-event.ts'

/** An event with the recipients that a rule notifies. */
export type OutgoingEvent = {
  readonly event: NotificationEvent
  readonly operation: string
  readonly rule: NotificationRule
  readonly data: EventData
  readonly userIds: readonly number[]
  /** The ids of their notifications, in the same order. */
  readonly notificationIds: readonly string[]
  /** The zone of recipients who have chosen none. */
  readonly timeZone: string
  /** What all of them read alike, for a channel that sends one message for them together. */
  readonly shared?: SharedContent | undefined
}

/** A recipient to whom a channel sends nothing. */
export type Skipped = {
  readonly of: OutgoingEvent
  readonly userId: number
  readonly reason: string
}

export type ChannelOptions = VisibilityDeps & {
  readonly config: Config
  readonly pool: Pool
  readonly blobs: BlobStore
  /** Of moments in messages. */
  readonly timeZone: string
  /** Whether a changed template is used at the next delivery. */
  readonly watch: boolean
}

export type Channel = {
  readonly name: ChannelName
  /** Whether a rule uses it. */
  readonly wants: (rule: NotificationRule) => boolean
  /** Whether it sends a message to each recipient, or one for all of them together, to a room. */
  readonly sendsTo: 'each' | 'together'
  /**
   * Stores a delivery for each recipient, in the transaction that stores their notifications and after the
   * mailings of the events; deliveries of an earlier attempt stay. A channel that sends one message for all
   * gets each event when all its recipients are notified, with the first of them. Returns the recipients who get none.
   */
  readonly queue: (
    connection: Queryable,
    events: readonly OutgoingEvent[],
  ) => Promise<readonly Skipped[]>
  /** Opens what sends its deliveries. */
  readonly open: (options: ChannelOptions) => Promise<OpenChannel>
  /** Opens what only composes them: it changes and sends nothing. */
  readonly openPreview: (options: ChannelOptions) => Promise<ComposeMessage>
}

/** Composes what would be sent now; throws as `prepare` does. */
export type ComposeMessage = (delivery: TakenDelivery) => Promise<DeliveryMessage>

export type OpenChannel = {
  readonly name: ChannelName
  /** The name of the provider in the log. */
  readonly provider: string
  /** Maximum deliveries that the provider gets at the same time. */
  readonly maxConcurrent: number
  readonly maxTries: number
  /** For all processes together; undefined: no limit. */
  readonly maxPerSecond: number | undefined
  /**
   * Composes what is sent. Throws a DeliveryError if that fails, AttachmentsAwaited if the attachments are not created
   * yet.
   */
  readonly prepare: (delivery: TakenDelivery) => Promise<PreparedDelivery>
  readonly close: () => Promise<void>
}

/** What a channel sends to one recipient, for people to read. */
export type DeliveryMessage = {
  /** The e-mail address, or the name of the webhook. */
  readonly address: string
  readonly subject: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly html: string | null
  /** The template at the provider, with its data; null if the message is composed here. */
  readonly template: { readonly id: string; readonly data: object } | null
}

export type PreparedDelivery = {
  readonly message: DeliveryMessage
  /** False: the message is not stored, because it names records whose traces are found by their own deliveries. */
  readonly isStored?: boolean
  /** Resolves when the provider has accepted it; otherwise throws a DeliveryError. */
  readonly send: (signal: AbortSignal) => Promise<void>
  /**
   * Whether the provider has accepted it before; absent if it cannot be asked. Called before every attempt
   * except the first.
   */
  readonly wasTaken?: (signal: AbortSignal) => Promise<boolean>
}
