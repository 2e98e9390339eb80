/** A service with people, mailings to queue, and senders whose provider does as a test says. */
import { createListener } from '../../src/database/listen.ts'
import type { Queryable } from '../../src/database/pool.ts'
import { sql, toStatement } from '../../src/database/sql.ts'
import type { Mailing } from '../../src/deliveries/delivery.ts'
import type { TakenDelivery } from '../../src/deliveries/delivery-store.ts'
import { wakingSenders } from '../../src/deliveries/queue-deliveries.ts'
import { type SenderDeps, sendDeliveries } from '../../src/deliveries/sending/send-deliveries.ts'
import type { Email } from '../../src/email/email.ts'
import type { EmailProvider } from '../../src/email/provider.ts'
import type { Occasion } from '../../src/notifications/inbox/notification.ts'
import { storeNotifications } from '../../src/notifications/inbox/store-notifications.ts'
import type { Observation } from '../../src/observations.ts'
import { anEmail } from '../email/an-email.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

/** People 2 to 8 have the address `u<id>@example.com`, 9 has none; 1 is the administrator. */
export const startWithPeople = async (): Promise<TestService> => {
  const recipient = { userFields: ['_created_by'] }
  const notifications = ['create', 'takeOwnership'].map((operation) => ({ operation, recipient }))
  const hooks = [
    { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
  ]
  const service = await startTestService(
    await writeProject({
      'entities/order.json': {
        key: 'order',
        ownership: true,
        fields: [{ key: 'number', type: 'string' }],
        notifications,
        hooks,
      },
      'roles/buyer.json': { key: 'buyer', permissions: { order: { read: true } } },
    }),
  )
  await service.database.pool.query(
    `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
     SELECT 'u' || n, 'U', 'N', 'User ' || n, 'u' || n || '@example.com', CASE WHEN n = 9 THEN '' ELSE 'u' || n || '@example.com' END, r.id FROM generate_series(2, 9) n, records.security_role r WHERE r.key = 'buyer' ORDER BY n`,
  )
  return service
}

export type Queued = Mailing & Occasion

/** What is queued where a test says nothing else. */
export const mailing: Queued = {
  event: 'event',
  entry: '0',
  entityKey: 'order',
  entityId: 1,
  at: '2026-01-01T00:00:00.000Z',
  operation: 'create',
  templateId: undefined,
  data: {
    record: {},
    actor: {},
    entity: { key: 'order', name: 'Order' },
    action: {},
    comment: null,
  },
  wished: { printableDocuments: [], documentFunctions: [] },
}

/** Queues e-mails in a transaction of their own; answers who has no address. */
export const queueFor = (
  { database }: TestService,
  userIds: readonly number[],
  more: Partial<Queued> = {},
): Promise<readonly number[]> => queueOn(database.pool, userIds, more)

/** The same on a connection, whose transaction may be open. */
export const queueOn = async (
  database: Queryable,
  userIds: readonly number[],
  more: Partial<Queued> = {},
): Promise<readonly number[]> => {
  const { event, entry, entityKey, entityId, at, ...mailed } = { ...mailing, ...more }
  const occasion = { event, entry, entityKey, entityId, at }
  const content = { icon: 'plus', title: '', message: '', url: null, due_at: null }
  const telling = { occasion, recipients: { userIds, content }, mailing: mailed }
  const [stored] = await storeNotifications(database, [telling])
  await database.query(toStatement(sql`SELECT ${wakingSenders}`))
  return stored?.unreachable ?? []
}

/** Removes what was queued and wished. */
export const empty = ({ database }: TestService): Promise<unknown> =>
  database.pool.query('TRUNCATE docket.mailing, docket.email_preference CASCADE')

/** Of every delivery, by the id of its recipient. */
export const statuses = async ({ database }: TestService): Promise<string[]> => {
  const text = 'SELECT status FROM docket.delivery ORDER BY user_id'
  return (await database.pool.query(text)).rows.map(({ status }) => status)
}

export type Sending = {
  /** Addresses, in the order in which the provider took them. */
  readonly sent: readonly string[]
  readonly observed: readonly Observation[]
  readonly stop: (graceMs?: number) => Promise<void>
}

/** Begins to send by a provider that does as it is told. */
export const startSending = async (
  { database }: TestService,
  send: (email: Email, signal: AbortSignal) => Promise<void> | void,
  { hasTaken, ...more }: Partial<SenderDeps> & Pick<EmailProvider, 'hasTaken'> = {},
): Promise<Sending> => {
  const sent: string[] = []
  const observed: Observation[] = []
  const provider: EmailProvider = {
    name: 'test',
    maxBytes: 1_000_000,
    send: async (email, signal) => {
      await send(email, signal)
      sent.push(email.to.address)
    },
    ...(hasTaken && { hasTaken }),
    close: async () => undefined,
  }
  const { pool, connectionString } = database
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const sender = sendDeliveries({
    pool,
    listener,
    provider,
    compose: async ({ address }: TakenDelivery) => anEmail({ to: { name: 'x', address } }),
    atOnce: 3,
    maxTries: 8,
    maxPerSecond: undefined,
    observe: (observation) => observed.push(observation),
    ...more,
  })
  await listener.start()
  const stop = async (graceMs = 5_000) => {
    await sender.stop(graceMs)
    await listener.close()
  }
  return { sent, observed, stop }
}
