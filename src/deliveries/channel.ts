/** What a channel is: a way by which a rule reaches its recipients beside their inbox. */
import type { VisibilityDeps } from '../auth/visibility.ts'
import type { Config } from '../config/load-config.ts'
import type { Pool, Queryable } from '../database/pool.ts'
import type { NotificationRule } from '../definitions/notification-matching.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import type { TakenDelivery } from './delivery-store.ts'
import type { EventData, NotificationEvent } from './event-data/notification-event.ts'

/** An event with those whom a rule notifies of it. */
export type OutgoingEvent = {
  readonly event: NotificationEvent
  readonly operation: string
  readonly rule: NotificationRule
  readonly data: EventData
  readonly userIds: readonly number[]
  /** Of their notifications, in the same order. */
  readonly notificationIds: readonly string[]
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
  /** Whether a template that changes is used at the next delivery. */
  readonly watch: boolean
}

export type Channel = {
  readonly name: ChannelName
  /** Whether a rule sends by it. */
  readonly wants: (rule: NotificationRule) => boolean
  /**
   * Stores a delivery for each recipient, in the transaction that stores their notifications and after
   * the mailings of the events; what an earlier attempt has stored stays. Answers who gets none.
   */
  readonly queue: (
    connection: Queryable,
    events: readonly OutgoingEvent[],
  ) => Promise<readonly Skipped[]>
  /** Opens what sends its deliveries. */
  readonly open: (options: ChannelOptions) => Promise<OpenChannel>
}

export type OpenChannel = {
  readonly name: ChannelName
  /** Who takes the deliveries, as the log names it. */
  readonly provider: string
  /** Deliveries that the provider is given at once. */
  readonly maxConcurrent: number
  readonly maxTries: number
  /** Of all processes together; undefined: as fast as the provider takes them. */
  readonly maxPerSecond: number | undefined
  /** Composes what is sent. Throws a DeliveryError where that fails, AttachmentsAwaited where it is too early. */
  readonly prepare: (delivery: TakenDelivery) => Promise<PreparedDelivery>
  readonly close: () => Promise<void>
}

export type PreparedDelivery = {
  /** Resolves when the provider has taken it; throws a DeliveryError when not. */
  readonly send: (signal: AbortSignal) => Promise<void>
  /**
   * Whether the provider has taken it before; absent where it cannot tell. Asked before an attempt that
   * is not the first one.
   */
  readonly wasTaken?: (signal: AbortSignal) => Promise<boolean>
}
