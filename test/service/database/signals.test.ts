/** What a statement signals is sent to every listener after its commit, and never without one. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, beforeEach, test } from 'node:test'
import pg from 'pg'
import { createPool, queryRows } from '../../../src/database/pool.ts'
import { createSignaller } from '../../../src/database/signals.ts'
import {
  int,
  type SignalChannel,
  signalled,
  sql,
  toLiteralText,
} from '../../../src/database/sql.ts'
import { partOf, transaction, trial } from '../../../src/database/transaction.ts'
import { createTestDatabase } from '../../support/database.ts'
import { until } from '../../support/wait.ts'

const channel: SignalChannel = {
  name: 'test_numbers',
  payloadOf: (values) => (values.length === 0 ? undefined : values.join(' ')),
}

const database = await createTestDatabase()
const { connectionString } = database
const pool = createPool({ connectionString, size: 4, observe: () => undefined })
const listening = new pg.Client(connectionString)
const received: string[] = []
await listening.connect()
listening.on('notification', ({ payload = '' }) => received.push(payload))
await listening.query('LISTEN test_numbers')
after(async () => {
  await listening.end()
  await pool.endWithin(1_000)
  await database.drop()
})
beforeEach(() => {
  received.length = 0
})

const numbersTo = (last: number) =>
  sql`SELECT ${signalled(channel, sql`n`, 'number')} FROM generate_series(1, ${int(last)}) n`
/** The listener has received everything that was sent before. */
const untilAllReceived = async () => {
  await pool.signaller.settled()
  await pool.query(`SELECT pg_notify('test_numbers', 'end')`)
  await until(async () => received.at(-1) === 'end')
  received.pop()
}

const works: readonly [what: string, work: () => Promise<unknown>, received: string[]][] = [
  ['a statement signals the values of its rows', () => queryRows(pool, numbersTo(3)), ['1 2 3']],
  ['a statement without rows signals nothing', () => queryRows(pool, numbersTo(0)), []],
  [
    'a statement with null alone signals nothing',
    () => queryRows(pool, sql`SELECT ${signalled(channel, sql`NULL::integer`, 'number')}`),
    [],
  ],
  [
    'a transaction signals once, after its commit',
    () =>
      transaction(pool, async (connection) => {
        await queryRows(connection, numbersTo(2))
        await queryRows(connection, numbersTo(1))
        await untilAllReceived()
        assert.deepEqual(received, [])
      }),
    ['1 2 1'],
  ],
  [
    'a transaction that fails signals nothing',
    () =>
      assert.rejects(
        transaction(pool, async (connection) => {
          await queryRows(connection, numbersTo(1))
          throw new Error('The change is refused.')
        }),
        /refused/,
      ),
    [],
  ],
  [
    'a trial signals nothing',
    () => trial(pool, (connection) => queryRows(connection, numbersTo(1))),
    [],
  ],
  [
    'a part of a transaction signals with it',
    () =>
      transaction(pool, (connection) =>
        partOf(connection).transact((part) => queryRows(part, numbersTo(1))),
      ),
    ['1'],
  ],
]
for (const [what, work, expected] of works)
  test(what, async () => {
    await work()
    await untilAllReceived()
    assert.deepEqual(received, expected)
  })

test('what is committed while a signal is sent shares the next one', async () => {
  const sent: string[] = []
  const gates: (() => void)[] = []
  const signaller = createSignaller((statement) => {
    sent.push(toLiteralText(statement))
    return new Promise<void>((resolve) => gates.push(resolve))
  })
  const first = signaller.signal([{ channel, values: [1] }])
  const others = [2, 3, 4].map((number) => signaller.signal([{ channel, values: [number] }]))
  assert.equal(sent.length, 1)
  gates.shift()?.()
  await first
  await until(async () => gates.length === 1)
  gates.shift()?.()
  await Promise.all(others)
  assert.equal(sent.length, 2)
  assert.match(sent[1] ?? '', /'2 3 4'/)
})

test('a signal that cannot be sent does not stop the next one', async () => {
  let isBroken = true
  let sent = 0
  const signaller = createSignaller(async () => {
    if (isBroken) throw new Error('The connection ended.')
    sent++
  })
  await signaller.signal([{ channel, values: [1] }])
  isBroken = false
  await signaller.signal([{ channel, values: [2] }])
  assert.equal(sent, 1)
})

test('no statement of a change notifies: signals, heartbeats and changed callers alone do', async () => {
  const root = new URL('../../../src/', import.meta.url)
  const notifying: string[] = []
  for (const file of await readdir(root, { recursive: true })) {
    if (!/\.(ts|sql)$/.test(file)) continue
    const text = await readFile(new URL(file, root), 'utf8')
    const code = text.replace(/^\s*(\/\/|\*|--).*$/gm, '')
    if (/pg_notify|NOTIFY /.test(code)) notifying.push(file)
  }
  assert.deepEqual(notifying.sort(), [
    'auth/callers/caller-change-store.ts',
    'database/listener.ts',
    'database/signals.ts',
    // `docket doctor --server` tries it, on a channel of its own.
    'diagnosis/trial-checks.ts',
  ])
})

test('signals of a million values share a statement', async () => {
  const many = Array.from({ length: 500_000 }, (_, number) => number)
  const lengths: number[] = []
  const counted: SignalChannel = {
    name: 'test_numbers',
    payloadOf: (values) => {
      lengths.push(values.length)
      return undefined
    },
  }
  const first = Promise.withResolvers<void>()
  const { signal } = createSignaller(() => first.promise)
  const sent = signal([{ channel, values: [1] }])
  const shared = [many, many].map((values) => signal([{ channel: counted, values }]))
  first.resolve()
  await Promise.all([sent, ...shared])
  assert.deepEqual(lengths, [1_000_000])
})
