/** Streams of several processes: pushes, lost connections, blocked users and stop. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import pg from 'pg'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'
import {
  type Inbox,
  newUser,
  notifyUsers,
  type OtherService,
  shareInbox,
  startOtherService,
} from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

let inbox: Inbox
let other: OtherService
let userName: string
let userId: number
const readers: Reader[] = []
before(async () => {
  inbox = await shareInbox()
  await inbox.database.pool.query(
    `UPDATE records.security_role SET _is_deleted = true WHERE key = 'removed'`,
  )
  other = await startOtherService(inbox)
})
beforeEach(async () => {
  ;({ name: userName, id: userId } = await newUser(inbox))
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
after(() => other.stop())

const open = async (url: string, name = userName): Promise<Reader> => {
  const reader = await openReader(url, await inbox.tokenOf(`${name}@example.com`))
  readers.push(reader)
  await until(() => reader.counts().length === 1)
  return reader
}
const notify = (values = {}) => notifyUsers(inbox.database.pool, [userId], values)

test('two processes push the changes of each other to their readers', async () => {
  const [here, there] = [await open(inbox.url), await open(other.url)]
  await notify()
  await until(() => here.notifications().length === 1 && there.notifications().length === 1)
  await until(() => here.counts().at(-1) === 1 && there.counts().at(-1) === 1)
  const [latest] = await inbox.list(userName)
  const response = await fetch(`${other.url}/api/notifications/mark`, {
    method: 'PUT',
    headers: {
      Authorization: `Bearer ${await inbox.tokenOf(`${userName}@example.com`)}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ ids: [latest?._id], status: 'seen' }),
  })
  assert.deepEqual(await response.json(), { count: 1 })
  await until(() => here.counts().at(-1) === 0 && there.counts().at(-1) === 0)
  assert.deepEqual(here.notifications(), there.notifications())
})

test('with concurrent writers every reader in two processes gets each notification once and in order', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `${userName}r${index}`)
  const userIds = await Promise.all(names.map((name) => inbox.addUser(name)))
  const all = await Promise.all(
    names.flatMap((name) => [open(inbox.url, name), open(other.url, name)]),
  )
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      notifyUsers(inbox.database.pool, index % 2 ? userIds : userIds.toReversed().slice(0, 5), {
        title: `${index}`,
      }),
    ),
  )
  for (const [index, name] of names.entries()) {
    const expected = await inbox.list(name, '?sortOrder=asc&limit=1000')
    for (const reader of all.slice(index * 2, index * 2 + 2)) {
      await until(() => reader.notifications().length >= expected.length)
      await until(() => reader.counts().at(-1) === expected.length)
      assert.deepEqual(reader.notifications(), expected)
    }
  }
})

test('an event with more than 500 recipients is pushed to every reader', async () => {
  const reader = await open(other.url)
  const many = Array.from({ length: 600 }, (_, index) => 1_000_000 + index)
  await notifyUsers(inbox.database.pool, [...many, userId])
  await until(() => reader.notifications().length === 1)
})

const setAllowConnections = async (allow: boolean) => {
  const address = new URL(inbox.database.connectionString)
  const name = pg.escapeIdentifier(address.pathname.slice(1))
  address.pathname = '/postgres'
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allow}`)
  await client.end()
}
const closeListeners = () =>
  inbox.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'docket listener' AND datname = current_database()`,
  )
const delays = () =>
  [...inbox.observations, ...other.observations].filter(
    ({ kind }) => kind === 'notificationPushDelayed',
  ).length

test('after the listening connections are closed no notification is lost or repeated', async () => {
  const [here, there] = [await open(inbox.url), await open(other.url)]
  for (let round = 0; round < 5; round++) {
    await closeListeners()
    await notify({ title: `${round}` })
  }
  const expected = await inbox.list(userName, '?sortOrder=asc')
  for (const reader of [here, there]) {
    await until(() => reader.notifications().length >= 5)
    assert.deepEqual(reader.notifications(), expected)
  }
})

test('while no process can listen, notifications are pushed with a delay', async () => {
  const [here, there] = [await open(inbox.url), await open(other.url)]
  const before = delays()
  await setAllowConnections(false)
  try {
    await closeListeners()
    await until(() => delays() >= before + 2)
    await notify()
    await until(() => here.notifications().length === 1 && there.notifications().length === 1)
  } finally {
    await setAllowConnections(true)
  }
  await notify()
  await until(() => here.notifications().length === 2 && there.notifications().length === 2)
})

for (const [what, change] of [
  ['blocked', 'is_blocked = true'],
  ['inactive', 'is_active = false'],
  ['removed', '_is_deleted = true'],
  [
    'in a removed role',
    `security_role_id = (SELECT id FROM records.security_role WHERE key = 'removed')`,
  ],
] as const)
  test(`the streams of a user who is ${what} end in every process, those of other users do not`, async () => {
    const otherUser = await inbox.addUser(`${userName}n`)
    const [here, there] = [await open(inbox.url), await open(other.url)]
    const otherReader = await open(inbox.url, `${userName}n`)
    await inbox.database.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [userId])
    assert.deepEqual(await Promise.all([here.ended, there.ended]), [true, true])
    await notifyUsers(inbox.database.pool, [otherUser])
    await until(() => otherReader.notifications().length === 1)
  })

test('a service that stops ends its streams without waiting for the readers', async () => {
  const third = await startOtherService(inbox)
  const reader = await open(third.url)
  await third.stop()
  assert.equal(await reader.ended, true)
})
