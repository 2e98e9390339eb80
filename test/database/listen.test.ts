/** One connection receives the notifications of every subscription, and is reopened when it is lost. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createListener, type Subscription } from '../../src/database/listen.ts'
import { afterwards } from '../support/afterwards.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const applicationName = 'docket listener'

const recorded = (channel: string) => {
  const events: string[] = []
  const subscription: Subscription = {
    channels: { [channel]: (payload) => void events.push(payload) },
    onListening: () => void events.push('listening'),
    onSilent: () => void events.push('silent'),
    onLost: () => void events.push('lost'),
  }
  return { events, subscription }
}

const startListener = async (...subscriptions: Subscription[]) => {
  const listener = createListener({ ...database, applicationName })
  for (const subscription of subscriptions) listener.subscribe(subscription)
  afterwards(listener.close)
  await listener.start()
  return listener
}

const connections = async () => {
  const { rows } = await database.pool.query(
    `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`,
    [applicationName],
  )
  return rows
}

test('all subscriptions share one connection, and several may listen to one channel', async () => {
  const [tasks, users, others] = [recorded('tasks'), recorded('users'), recorded('users')]
  await startListener(tasks.subscription, users.subscription, others.subscription)
  assert.equal((await connections()).length, 1)
  await database.pool.query(`SELECT pg_notify('tasks', 'a'), pg_notify('users', 'b')`)
  await until(
    'all subscriptions have received their notification',
    () => others.events.length === 2,
  )
  assert.deepEqual(tasks.events, ['listening', 'a'])
  assert.deepEqual(users.events, ['listening', 'b'])
  assert.deepEqual(others.events, ['listening', 'b'])
})

test('a lost connection is reopened, and each subscription is notified once of both', async () => {
  const { events, subscription } = recorded('tasks')
  await startListener(subscription)
  const [{ pid }] = await connections()
  await database.pool.query('SELECT pg_terminate_backend($1)', [pid])
  await until('the listener listens again', () => events.lastIndexOf('listening') > 0)
  assert.deepEqual(
    events.filter((event) => event !== 'silent'),
    ['listening', 'lost', 'listening'],
  )
  assert.ok(events.indexOf('silent') < events.lastIndexOf('listening'))
})

test('a subscription after the start throws', async () => {
  const listener = await startListener(recorded('tasks').subscription)
  assert.throws(() => listener.subscribe(recorded('users').subscription), /has started/)
})
