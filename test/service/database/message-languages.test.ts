/** What an error of PostgreSQL means does not depend on the language of its messages (lc_messages). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { test } from 'node:test'
import { databaseError, isLastOfConnection } from '../../../src/database/database-errors.ts'
import { createPool, queryRows } from '../../../src/database/pool.ts'
import { raw } from '../../../src/database/sql.ts'
import { fromPlainError, toPlainError } from '../../../src/processes/plain-error.ts'
import { afterwards } from '../../support/afterwards.ts'
import { createTestDatabase } from '../../support/database.ts'
import { until } from '../../support/wait.ts'

// The server that is installed with the packages speaks English alone; texts of the same length keep its protocol.
const german: readonly (readonly [english: string, german: string])[] = [
  ['canceling statement due to statement timeout', 'storniere Anfrage wegen Zeitueberschreitung.'],
  ['canceling statement due to lock timeout', 'storniere Anfrage wegen einer Sperre...'],
  ['canceling statement due to user request', 'storniere Anfrage wegen Aufforderung...'],
  ['cached plan must not change result type', 'Plan darf den Ergebnistyp nicht aendern'],
]

/** In front of a server: its messages in German. */
const translate = () =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const text = german.reduce(
        (said, [from, to]) => said.replaceAll(from, to),
        chunk.toString('latin1'),
      )
      done(undefined, Buffer.from(text, 'latin1'))
    },
  })

/** The address of a database whose server speaks German. */
const startGerman = async (connectionString: string): Promise<string> => {
  const url = new URL(connectionString)
  const folder = url.searchParams.get('host')
  const port = Number(url.port || 5432)
  const open = () =>
    folder === null ? connect(port, url.hostname) : connect(`${folder}/.s.PGSQL.${port}`)
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = open()
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
    client.pipe(server)
    server.pipe(translate()).pipe(client)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  afterwards(async () => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const own = new URL(connectionString)
  own.searchParams.delete('host')
  own.hostname = '127.0.0.1'
  own.port = String((proxy.address() as AddressInfo).port)
  return own.href
}

const database = await createTestDatabase()
const english = database.pool
await english.query('CREATE TABLE item (id integer)')
const pool = createPool({
  connectionString: await startGerman(database.connectionString),
  size: 2,
  work: { kind: 'requests', timeoutSeconds: 1 },
  observe: () => undefined,
})
afterwards(() => pool.end())

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => assert.fail('The statement did not fail.'),
    (error: Error) => error,
  )

const codesOf = (error: Error) => [
  databaseError(error)?.code,
  databaseError(fromPlainError(toPlainError(error)))?.code,
]

test('a statement that takes too long is too slow', async () => {
  const error = await failureOf(pool.query('SELECT pg_sleep(60)'))
  assert.match(error.message, /Zeitueberschreitung/)
  assert.deepEqual(codesOf(error), ['request.too-slow', 'request.too-slow'])
})

test('a statement that an operator cancels is too slow, and keeps its connection', async () => {
  const connection = await pool.connect()
  const { pid } = (await connection.query('SELECT pg_backend_pid() AS pid')).rows[0]
  await connection.query('SET statement_timeout = 0')
  const failed = failureOf(connection.query('SELECT pg_sleep(60)'))
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'`
  await until('the statement runs', async () => (await english.query(cancel, [pid])).rowCount === 1)
  const error = await failed
  connection.release(true)
  assert.match(error.message, /Aufforderung/)
  assert.deepEqual(codesOf(error), ['request.too-slow', 'request.too-slow'])
  assert.equal(isLastOfConnection(error), false)
})

test('a lock that others hold is contended', async () => {
  const holder = await english.connect()
  await holder.query('BEGIN; LOCK TABLE item')
  const error = await failureOf(pool.query('SELECT FROM item'))
  await holder.query('ROLLBACK')
  holder.release()
  assert.match(error.message, /Sperre/)
  assert.deepEqual(codesOf(error), ['request.contended', 'request.contended'])
})

test('a statement that was prepared before a column changed is repeated on another connection', async () => {
  const connection = await pool.connect()
  const read = raw('SELECT * FROM item')
  await queryRows(connection, read)
  await english.query('ALTER TABLE item ADD COLUMN name text')
  const error = await failureOf(queryRows(connection, read))
  connection.release(true)
  assert.match(error.message, /Ergebnistyp/)
  assert.deepEqual(codesOf(error), ['database.unavailable', 'database.unavailable'])
  assert.equal(isLastOfConnection(error), true)
})
