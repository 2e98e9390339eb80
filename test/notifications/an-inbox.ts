/** A service with people who are told things, and readers of the stream that tells them. */
import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { createPool, type Pool } from '../../src/database/pool.ts'
import type { NotificationEvent } from '../../src/deliveries/event-data/notification-event.ts'
import type { StoredContent } from '../../src/notifications/inbox/notification.ts'
import { notificationIds } from '../../src/notifications/inbox/notification-id.ts'
import { notifyStreams } from '../../src/notifications/inbox/notify-streams.ts'
import type {
  EventNotifications,
  Recipients,
} from '../../src/notifications/inbox/store-notifications.ts'
import { storeBatches } from '../../src/notifications/jobs/notify-users.ts'
import { createObservationHub, type Observation } from '../../src/observations.ts'
import { createService } from '../../src/runtime/create-service.ts'
import { openRuntime } from '../../src/runtime/open-runtime.ts'
import { insertUser } from '../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { within } from '../support/wait.ts'

/** The record of the interface as it travels. */
export type Told = {
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
}

export type Inbox = TestService & {
  /** Creates a user and answers with the id; `as` of a request is the e-mail, `<word>@example.com`. */
  readonly addUser: (word: string) => Promise<number>
  /** The list of a user, as the query asks for it. */
  readonly list: (word: string, query?: string) => Promise<Told[]>
  readonly count: (word: string, status?: string) => Promise<number>
  readonly mark: (word: string, body: object) => Promise<number>
}

const project = {
  'docket.json': { name: 'Inbox', timeZone: 'Europe/Zagreb', locale: 'de' },
  'entities/order.json': { key: 'order', fields: [{ key: 'number', type: 'string' }] },
  'roles/leaver.json': { key: 'leaver', permissions: {} },
  'roles/buyer.json': { key: 'buyer', permissions: { order: { read: true } } },
}

/** Starts a service whose project speaks German and lives in Zagreb. */
export const startInbox = async (): Promise<Inbox> => {
  const service = await startTestService(await writeProject(project))
  const as = (word: string) => `${word}@example.com`
  const answered = async (asked: ReturnType<TestService['ask']>) => {
    const reply = await asked
    assert.equal(reply.status, 200, reply.text)
    return reply.json()
  }
  return {
    ...service,
    addUser: (word) => addUser(service.database.pool, word),
    list: (word, query = '') =>
      answered(service.ask('GET', `/api/notifications${query}`, { as: as(word) })),
    count: async (word, status) => {
      const query = status === undefined ? '' : `?status=${status}`
      const path = `/api/notifications/count${query}`
      return (await answered(service.ask('GET', path, { as: as(word) }))).count
    },
    mark: async (word, body) => {
      const path = '/api/notifications/mark'
      return (await answered(service.ask('PUT', path, { as: as(word), body }))).count
    },
  }
}

/** Creates a user whose subject, e-mail and name follow from one word. */
export const addUser = async (pool: Pool, word: string): Promise<number> => {
  const id = await insertUser(pool, {
    identity_provider_user_id: word,
    first_name: word,
    last_name: 'Example',
    full_name: `${word} Example`,
    email: `${word}@example.com`,
    role_key: 'buyer',
  })
  assert.ok(id)
  return id
}

let events = 0

/** An event that never was before. */
export const newEvent = (values: Partial<NotificationEvent> = {}): NotificationEvent => ({
  id: `event-${++events}`,
  rule: '0',
  entityKey: 'order',
  entityId: 1,
  at: '2026-05-04T08:30:00.000Z',
  ...values,
})

/** The notifications of an event, as they are stored. */
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

/** Notifies users in a transaction of its own; answers how many notifications are new. */
export const notifyUsers = async (
  pool: Pool,
  userIds: readonly number[],
  values: Partial<NotificationEvent & StoredContent> = {},
): Promise<number> => {
  const { id, rule, entityKey, entityId, at, ...content } = { ...newEvent(), ...values }
  const event = { id, rule, entityKey, entityId, at }
  const recipients = { userIds, content: aContent(content) }
  const [one] = await storeBatches(pool, [{ event, recipients }])
  await notifyStreams(pool, userIds)
  return one?.stored ?? 0
}

export type ServerSentEvent = { readonly id: string; readonly event: string; readonly data: string }

export type Reader = {
  readonly response: IncomingMessage
  /** Begins to read, where it was opened paused. */
  readonly resume: () => void
  /** The events that have come so far. */
  readonly events: readonly ServerSentEvent[]
  /** The notifications among them. */
  readonly told: () => Told[]
  /** The unseen counts among them. */
  readonly counts: () => number[]
  /** The whole text so far. */
  readonly text: () => string
  /** True when the other side ended the stream as it should, false when it was cut. */
  readonly ended: Promise<boolean>
  readonly close: () => void
}

type Reading = {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Reads nothing until it is resumed. */
  readonly isPaused?: boolean
}

/** Opens the stream; throws with the answer's text when it is refused. */
export const openReader = async (
  url: string,
  token: string,
  { path = '/api/notifications/stream', headers = {}, isPaused = false }: Reading = {},
): Promise<Reader> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      { agent: false, headers: { Authorization: `Bearer ${token}`, ...headers } },
      resolve,
    )
    sent.on('error', reject)
    sent.end()
  })
  response.setEncoding('utf8')
  let text = ''
  const found: ServerSentEvent[] = []
  let rest = ''
  const ended = new Promise<boolean>((resolve) => {
    response.on('close', () => resolve(response.complete))
    response.on('error', () => undefined)
  })
  const resume = () =>
    response.on('data', (chunk: string) => {
      text += chunk
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      found.push(...blocks.flatMap(readEvent))
    })
  if (!isPaused) resume()
  if (response.statusCode !== 200) {
    await ended
    throw new Error(`${response.statusCode} ${text}`)
  }
  const dataOf = (event: string) =>
    found.filter((one) => one.event === event).map(({ data }) => JSON.parse(data))
  return {
    response,
    resume,
    events: found,
    told: () => dataOf('notification'),
    counts: () => dataOf('count').map(({ unseen }) => unseen),
    text: () => text,
    get ended() {
      return within('the stream ends', ended)
    },
    close: () => response.destroy(),
  }
}

const readEvent = (block: string): ServerSentEvent[] => {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name, value.join(': ')]
    }),
  )
  const { id, event, data } = fields
  return id !== undefined && event && data ? [{ id, event, data }] : []
}

export type Other = {
  readonly url: string
  readonly observations: readonly Observation[]
  readonly stop: () => Promise<void>
}

/** Another service on the same database, with connections of its own, as another process is. */
export const startOther = async ({ project: known, config, database }: Inbox): Promise<Other> => {
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const { connectionString } = database
  const pool = createPool({ connectionString, size: 5, observe })
  const hub = createObservationHub(observe)
  const runtime = openRuntime({ config, project: known, connectionString, hub })
  const service = await createService({ runtime, commands: pool })
  const url = await service.server.listen({ host: '127.0.0.1', port: 0 })
  const stop = async () => {
    await service.stop()
    await pool.end()
  }
  return { url, observations, stop }
}
