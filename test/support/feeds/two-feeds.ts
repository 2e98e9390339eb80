/** A service whose notifications are on two servers, with users on both, and its worker. */
import assert from 'node:assert/strict'
import { homeOf } from '../../../src/database/feeds/rendezvous.ts'
import { migrate } from '../../../src/database/migrate.ts'
import type { Pool } from '../../../src/database/pool.ts'
import type { NotificationRule } from '../../../src/definitions/notification-matching.ts'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import { afterwards } from '../afterwards.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from '../database.ts'
import { engineFiles } from '../notifications/an-engine-project.ts'
import { type ProjectFiles, startTestService, type TestService, writeProject } from '../service.ts'
import { until } from '../wait.ts'

/** A user of the test. */
export type Person = { readonly id: number; readonly mail: string; readonly feed: string }

/** Everybody of the group is notified of a new request, also by e-mail. */
export const toAll: NotificationRule = {
  operation: 'create',
  recipient: { userGroups: ['everybody'] },
  content: { title: 'New: {{ record.number }}', message: 'x' },
} as NotificationRule

type Options = {
  readonly rules?: readonly NotificationRule[]
  readonly files?: ProjectFiles
  /** Addresses of the servers; default: two databases. */
  readonly addresses?: Readonly<Record<string, string>>
  readonly people?: number
}

/** The setting for these servers. */
export const feedUrl = (addresses: Readonly<Record<string, string>>): string =>
  Object.entries(addresses)
    .map(([name, url]) => `${name}=${url}`)
    .join(' ')

/** Starts it with its worker. */
export const startOnFeeds = async ({
  rules = [toAll],
  files = {},
  addresses = {},
  people: count = 12,
}: Options = {}) => {
  const own: TestDatabase[] = []
  const urls: Record<string, string> = {}
  const feeds: Record<string, Pool> = {}
  // With the tables that a server gets.
  const template = await templateDatabase('feed', ({ pool }) => migrate(pool))
  for (const name of ['a', 'b']) {
    const database = await createTestDatabase({ template })
    own.push(database)
    urls[name] = addresses[name] ?? database.connectionString
    feeds[name] = database.pool
  }
  const directory = await writeProject({ ...engineFiles(rules), ...files })
  const service = await startTestService(directory, { FEED_DATABASE_URL: feedUrl(urls) })
  const people = await addPeople(service, count)
  const worker = await createWorker(service.runtime, { watch: false })
  const settled = () => noJobs(service.database.pool)
  return {
    ...service,
    /** Users 1 to 12 and more, with the server of each. */
    people,
    /** The database of a server. */
    feeds,
    settled,
    /** Users of a server. */
    on: (feed: string) => people.filter((one) => one.feed === feed),
    /** Creates a request and returns its id, when everybody has been notified. */
    create: async (values: object = {}): Promise<number> => {
      const reply = await service.ask('POST', '/request', { body: values })
      assert.equal(reply.status, 201, reply.text)
      await settled()
      return reply.json().id
    },
    stop: afterwards(async () => {
      await worker.stop()
      await service.stop()
      for (const database of own) await database.drop()
    }),
  }
}
export type FeedService = Awaited<ReturnType<typeof startOnFeeds>>

/** Users who belong to the group of everybody. */
export const addPeople = async (service: TestService, count: number): Promise<Person[]> => {
  const { pool } = service.database
  const group = await pool.query<{ id: number }>(
    `INSERT INTO records.user_group (code, name) VALUES ('everybody', 'Everybody') RETURNING id`,
  )
  const people: Person[] = []
  for (let index = 1; index <= count; index++) {
    const id = await insertUser(pool, {
      identity_provider_user_id: `p${index}`,
      first_name: `P${index}`,
      last_name: 'Example',
      full_name: `P${String(index).padStart(3, '0')} Example`,
      email: `p${index}@example.com`,
      role_key: 'reader',
    })
    assert.ok(id)
    await pool.query(
      'INSERT INTO records.user_group_member (user_group_id, user_id) VALUES ($1, $2)',
      [group.rows[0]?.id, id],
    )
    people.push({ id, mail: `p${index}@example.com`, feed: homeOf(['a', 'b'], id) })
  }
  return people
}

/** Waits until no job is due or runs. */
export const noJobs = async (pool: Pool): Promise<void> => {
  await until('no job is due', async () => {
    const { rows } = await pool.query(
      'SELECT FROM graphile_worker._private_jobs WHERE attempts = 0 OR locked_at IS NOT NULL',
    )
    return rows.length === 0
  })
}

/** The users of notifications, in order. */
export const usersIn = async (feed: Pool | undefined): Promise<number[]> => {
  const rows = await feed?.query<{ user_id: number }>(
    'SELECT user_id FROM docket.notification ORDER BY user_id, _id',
  )
  return (rows?.rows ?? []).map(({ user_id: id }) => id)
}
