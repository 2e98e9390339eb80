/** A service with users who have notifications. */
import { createPool, type Pool } from '../../../src/database/pool.ts'
import {
  changedChannel,
  notificationIds,
  type StoredContent,
} from '../../../src/inbox/notification.ts'
import type { EventNotifications, Recipients } from '../../../src/inbox/store-notifications.ts'
import { storeBatches } from '../../../src/notify/send-notifications.ts'
import { createObservationHub } from '../../../src/observations.ts'
import type { NotificationEvent } from '../../../src/outbox/events/notification-event.ts'
import { createService } from '../../../src/runtime/create-service.ts'
import { openRuntime } from '../../../src/runtime/open-runtime.ts'
import { insertPerson } from '../a-person.ts'
import type { TestDatabase } from '../database.ts'
import { collectObservations } from '../observed.ts'
import { shareService, startTestService } from '../service.ts'

/** A notification as the API returns it. */
export type ListedNotification = {
  readonly _id: string
  readonly user_id: number
  readonly entity_key: string
  readonly entity_id: number
  readonly content: {
    readonly icon: string
    readonly title: string
    readonly message: string
    readonly url: string | null
    readonly due_date: string | null
  }
  readonly timestamp: string
  readonly seen: boolean
  readonly snoozed_until?: string
}

const project = {
  'docket.json': { name: 'Inbox', timeZone: 'Europe/Zagreb', locale: 'de' },
  'entities/order.json': { key: 'order', fields: [{ key: 'number', type: 'string' }] },
  'roles/removed.json': { key: 'removed', permissions: {} },
  'roles/buyer.json': { key: 'buyer', permissions: { order: { read: true } } },
}

/** Starts a service, on a given database or its own, whose project has the locale German and the time zone of Zagreb. */
export const startInbox = async (database?: TestDatabase) => {
  const service = await startTestService(project, {}, database)
  const send = async (name: string, method: string, path: string, body?: object) => {
    const options = { as: `${name}@example.com`, ...(body && { body }) }
    return (await service.ask(method, `/api/notifications${path}`, options)).json(200)
  }
  return {
    ...service,
    /** Creates a user and returns the id; `as` of a request is the e-mail address, `<name>@example.com`. */
    addUser: (name: string) => insertPerson(service.database.pool, name, 'buyer'),
    /** The list of a user, with the given query. */
    list: (name: string, query = ''): Promise<ListedNotification[]> => send(name, 'GET', query),
    count: async (name: string, status = 'all'): Promise<number> =>
      (await send(name, 'GET', `/count?status=${status}`)).count,
    mark: async (name: string, body: object): Promise<number> =>
      (await send(name, 'PUT', '/mark', body)).count,
  }
}
export type Inbox = Awaited<ReturnType<typeof startInbox>>

/** The inbox of all files of a process, in which each test has users of its own. */
export const shareInbox = shareService(() => startInbox())

let users = 0

/** Creates a user whom no other test has. */
export const newUser = async (inbox: Inbox): Promise<{ name: string; id: number }> => {
  const name = `user${++users}`
  return { name, id: await inbox.addUser(name) }
}

/** As if the version with months had been installed long ago: processes of an earlier one do not run any more. */
export const afterRollOut = (pool: Pool) =>
  pool.query(`UPDATE docket.migration SET applied_at = applied_at - interval '8 days'`)

let events = 0

/** A new event. */
export const newEvent = (values: Partial<NotificationEvent> = {}): NotificationEvent => ({
  id: `event-${++events}`,
  rule: '0',
  entityKey: 'order',
  entityId: 1,
  at: '2026-05-04T08:30:00.000Z',
  ...values,
})

/** The notifications of an event, ready to be stored. */
export const notificationsOf = (
  recipients: Recipients,
  event: NotificationEvent = newEvent(),
): EventNotifications => ({ event, recipients, ids: notificationIds(event, recipients.userIds) })

export const aContent = (values: Partial<StoredContent> = {}): StoredContent => ({
  icon: 'bell',
  title: 'Order approved',
  message: 'PO-1 was approved.',
  url: '/console/order/1',
  due_at: null,
  ...values,
})

/** Notifies users in a transaction of its own; returns the number of new notifications. */
export const notifyUsers = async (
  pool: Pool,
  userIds: readonly number[],
  values: Partial<NotificationEvent & StoredContent> = {},
): Promise<number> => {
  const { id, rule, entityKey, entityId, at, historyId, ...content } = { ...newEvent(), ...values }
  const event = { id, rule, entityKey, entityId, at, historyId }
  const recipients = { userIds, content: aContent(content) }
  const [one] = await storeBatches(pool, [{ event, recipients }])
  await pool.signaller.signal([{ channel: changedChannel, values: userIds }])
  return one?.stored ?? 0
}

/** Starts another service on the same database with its own connections, like another process. */
export const startOtherService = async ({ project: loaded, config, database }: Inbox) => {
  const { observations, observe, assertNoFault } = collectObservations()
  const { connectionString } = database
  const pool = createPool({ connectionString, size: 5, observe })
  const hub = createObservationHub(observe)
  const runtime = openRuntime({ config, project: loaded, connectionString, hub })
  const service = await createService({ runtime, commands: pool })
  const url = await service.server.listen({ host: '127.0.0.1', port: 0 })
  const stop = async () => {
    await service.stop()
    await runtime.close()
    await pool.end()
    assertNoFault()
  }
  return { url, runtime, observations, stop }
}

export type OtherService = Awaited<ReturnType<typeof startOtherService>>
