/** A service with users, mailings to queue, and senders with the provider of a test. */
import { randomUUID } from 'node:crypto'
import { loadConfig } from '../../../src/config/load-config.ts'
import { createListener } from '../../../src/database/listener.ts'
import type { Connection, Pool } from '../../../src/database/pool.ts'
import type { NotificationRule } from '../../../src/definitions/notification-rules.ts'
import { storeBatches } from '../../../src/notify/send-notifications.ts'
import type { OpenChannel, OutgoingEvent } from '../../../src/outbox/channel.ts'
import { prepared } from '../../../src/outbox/channels/email.ts'
import { queueDeliveries } from '../../../src/outbox/channels.ts'
import { queuedChannel } from '../../../src/outbox/delivery.ts'
import type { Email, EmailProvider } from '../../../src/outbox/email/email.ts'
import type { NotificationEvent } from '../../../src/outbox/events/notification-event.ts'
import { openSenders, sendDeliveries } from '../../../src/outbox/send-deliveries.ts'
import { afterwards } from '../afterwards.ts'
import { entityFile } from '../definitions/files.ts'
import { anEmail } from '../email/an-email.ts'
import { collectObservations } from '../observed.ts'
import { shareService, startTestService, type TestService } from '../service.ts'
import { until } from '../wait.ts'

/**
 * A service for all files of a process: users 2 to 8 have the address `u<id>@example.com`, 9 has none, 1 is the
 * administrator. There is one order.
 */
export const shareWithUsers = shareService(async () => {
  const recipient = { userFields: ['_created_by'] }
  const notifications = ['create', 'takeOwnership'].map((operation) => ({ operation, recipient }))
  const hooks = [
    { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
  ]
  const service = await startTestService({
    ...entityFile('order', { ownership: true, notifications, hooks }, [
      { key: 'number', type: 'string' },
    ]),
    'roles/buyer.json': { key: 'buyer', permissions: { order: { read: true } } },
    'roles/nobody.json': { key: 'nobody', permissions: {} },
  })
  await service.database.pool.query(
    `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
     SELECT 'u' || n, 'U', 'N', 'User ' || n, 'u' || n || '@example.com', CASE WHEN n = 9 THEN '' ELSE 'u' || n || '@example.com' END, r.id FROM generate_series(2, 9) n, records.security_role r WHERE r.key = 'buyer' ORDER BY n;
     INSERT INTO records."order" (number) VALUES ('A-1')`,
  )
  return service
})

/** An event with the delivery options of the rule that matches it. */
export type Queued = NotificationEvent &
  Pick<OutgoingEvent, 'operation' | 'data'> &
  Pick<NotificationRule, 'emailTemplateId' | 'attachments' | 'urgent'> & { readonly title?: string }

/** The default event to queue. */
export const mailing: Queued = {
  id: 'event',
  rule: '0',
  entityKey: 'order',
  entityId: 1,
  at: '2026-01-01T00:00:00.000Z',
  operation: 'create',
  data: {
    record: {},
    actor: {},
    entity: { key: 'order', name: 'Order' },
    action: {},
    comment: null,
  },
}

/** Queues e-mails in a transaction of their own; returns the users without an address. */
export const queueFor = async (
  { database: { pool } }: TestService,
  userIds: readonly number[],
  more: Partial<Queued> = {},
): Promise<readonly number[]> => {
  const [notified] = await storeBatches(pool, [batchFor(userIds, more)])
  await pool.signaller.signal([{ channel: queuedChannel, values: [1] }])
  return (notified?.skipped ?? []).map(({ userId }) => userId)
}

/** Queues e-mails in an open transaction. */
export const queueOn = async (
  connection: Connection,
  userIds: readonly number[],
  more: Partial<Queued> = {},
): Promise<void> => {
  const { event, outgoing } = batchFor(userIds, more)
  const notificationIds = userIds.map(() => randomUUID())
  const outgoingEvent = { event, userIds, notificationIds, ...outgoing }
  await queueDeliveries(connection, [outgoingEvent])
}

const batchFor = (userIds: readonly number[], more: Partial<Queued> = {}) => {
  const {
    operation,
    data,
    emailTemplateId,
    attachments,
    urgent,
    title = '',
    ...event
  } = { ...mailing, ...more }
  const content = { icon: 'plus', title, message: '', url: null, due_at: null }
  const rule: NotificationRule = {
    operation: 'create',
    recipient: {},
    ...(emailTemplateId !== undefined && { emailTemplateId }),
    ...(attachments && { attachments }),
    ...(urgent && { urgent }),
  }
  return {
    event,
    recipients: { userIds, content },
    outgoing: { operation, rule, data, timeZone: 'UTC' },
  }
}

/** Removes all mailings, preferences and jobs. */
export const removeMailings = ({ database }: TestService): Promise<unknown> =>
  database.pool.query(
    `TRUNCATE docket.mailing, docket.delivery_choice, docket.delivery_times CASCADE;
     DELETE FROM docket.job`,
  )

/** The status of every delivery, by the id of its recipient. */
export const statuses = async ({ database }: TestService): Promise<string[]> => {
  const text = 'SELECT status FROM docket.delivery ORDER BY user_id'
  return (await database.pool.query(text)).rows.map(({ status }) => status)
}

const testSender = { name: 'Docket', address: 'docket@example.com' }

export type Send = (email: Email, signal: AbortSignal) => Promise<void> | void

/** A provider that accepts everything. */
export const accept: Send = () => undefined

/** Starts sending through a provider; returns its addresses, in the order in which the provider accepted them. */
export const startSending = async (
  { database }: TestService,
  send: Send,
  { hasTaken, pool = database.pool, leaseSeconds = 30, ...limits }: SendingOptions = {},
) => {
  const sent: string[] = []
  const { observations: observed, observe, expectFault, assertNoFault } = collectObservations()
  const provider = {
    send: async (email: Email, signal: AbortSignal) => {
      await send(email, signal)
      sent.push(email.to.address)
    },
    ...(hasTaken && { hasTaken }),
  }
  const { connectionString } = database
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const channel: OpenChannel = {
    name: 'email',
    provider: 'test',
    maxConcurrent: 3,
    maxTries: 8,
    maxPerSecond: undefined,
    prepare: async ({ address }) =>
      prepared(provider, anEmail({ to: { name: 'x', address } }), testSender),
    close: async () => undefined,
    ...limits,
  }
  const sender = sendDeliveries({
    pool,
    listener,
    channel,
    leaseSeconds,
    observe,
  })
  await listener.start()
  let stopped: Promise<void> | undefined
  const stop = (graceMs = 5_000) => {
    stopped ??= sender
      .stop(graceMs)
      .then(() => listener.close())
      .then(assertNoFault)
    return stopped
  }
  afterwards(() => stop(0))
  return { sent, observed, expectFault, stop }
}

type SendingOptions = Partial<Pick<OpenChannel, 'maxConcurrent' | 'maxTries' | 'maxPerSecond'>> &
  Pick<EmailProvider, 'hasTaken'> & { readonly pool?: Pool; readonly leaseSeconds?: number }

/** Starts the senders of all channels, as `docket start` does with these settings; returns how to stop them. */
export const startSenders = async (
  { runtime, database, project }: TestService,
  environment: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> => {
  const { pool, connectionString } = database
  const { catalog, directory } = project
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const sender = await openSenders({
    config: loadConfig({ PROJECT: directory, DATABASE_URL: connectionString, ...environment }),
    catalog,
    pool,
    blobs: runtime.blobs,
    permissions: runtime.permissions,
    timeZone: runtime.timeZone,
    listener,
    observe: () => undefined,
    watch: false,
  })
  await listener.start()
  return afterwards(async () => {
    await sender.stop(5_000)
    await listener.close()
  })
}

/** Waits until all deliveries have a status. */
export const untilAll = (service: TestService, status: string): Promise<boolean> =>
  until(`all are ${status}`, async () => (await statuses(service)).every((one) => one === status))

/** Sends until all deliveries have a status, and stops. */
export const sendUntil = async (
  service: TestService,
  status: string,
  ...[send, options]: [send?: Send, options?: SendingOptions]
) => {
  const sending = await startSending(service, send ?? accept, options)
  await untilAll(service, status)
  await sending.stop()
  return sending
}

/** The ids of all deliveries, oldest first. */
export const idsOfAll = async (service: TestService): Promise<number[]> => {
  const { data } = (await service.ask('GET', '/api/deliveries')).json()
  return data.map(({ id }: { id: number }) => id).toReversed()
}
