/** One connection receives the notifications of every subscription, and is reopened when it is lost. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createListener, type Subscription } from '../../../src/database/listener.ts'
import { connectListener, serveListener } from '../../../src/database/share-listener.ts'
import { afterwards } from '../../support/afterwards.ts'
import { createTestDatabase } from '../../support/database.ts'
import { until } from '../../support/wait.ts'

const database = await createTestDatabase()
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

test('a statement waits for the one before it, as the driver asks', async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  const listener = await startListener()
  const several = [recorded('tasks'), recorded('users'), recorded('roles')]
  for (const { subscription } of several) listener.subscribe(subscription)
  await until('all listen', () => several.every(({ events }) => events.length === 1))
  process.off('warning', onWarning)
  assert.deepEqual(warnings, [])
})

test('a subscription after the start shares the connection, until it is ended', async () => {
  const tasks = recorded('tasks')
  const listener = await startListener(tasks.subscription)
  const { events, subscription } = recorded('users')
  const end = listener.subscribe(subscription)
  await until('it listens', () => events.length === 1)
  await database.pool.query(`SELECT pg_notify('users', 'a')`)
  await until('it has received its notification', () => events.length === 2)
  assert.equal((await connections()).length, 1)
  end()
  await database.pool.query(`SELECT pg_notify('users', 'b'), pg_notify('tasks', 'c')`)
  await until('the other one has received the next', () => tasks.events.includes('c'))
  assert.deepEqual(events, ['listening', 'a'])
})

test('a thread subscribes and signals on the connection of another one', async () => {
  const listener = await startListener()
  const { port1, port2 } = new MessageChannel()
  serveListener(listener, port1)
  const remote = connectListener(port2)
  afterwards(remote.close)
  const { events, subscription } = recorded('tasks')
  remote.subscribe(subscription)
  await until('it listens', () => remote.isListening())
  const channel = { name: 'tasks', payloadOf: (values: readonly unknown[]) => values.join() }
  await remote.signaller.signal([{ channel, values: ['a', 'b'] }])
  await until('it has received its own signal', () => events.includes('a,b'))
  const [{ pid }] = await connections()
  await database.pool.query('SELECT pg_terminate_backend($1)', [pid])
  await until('it listens again', () => events.lastIndexOf('listening') > 0)
  assert.deepEqual(
    events.filter((event) => event !== 'silent'),
    ['listening', 'a,b', 'lost', 'listening'],
  )
  assert.equal((await connections()).length, 1)
})
