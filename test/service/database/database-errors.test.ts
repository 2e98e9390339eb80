/** Errors of a given database at the start: each is one sentence without a stack. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startTransactionPooler } from '../../support/transaction-pooler.ts'
import { assertSentence, runOn, writeThingProject } from './a-given-database.ts'

const database = await createTestDatabase()
const project = await writeThingProject()
// Nothing listens there.
const nowhere = 'postgres://shop:secret@127.0.0.1:1/shop'
after(() => database.drop())

const urlWith = (change: (url: URL) => void): string => {
  const url = new URL(database.connectionString)
  change(url)
  return url.href
}
const run = (args: readonly string[], url: string, wait?: string) => runOn(project, args, url, wait)

const commands = [
  ['start'],
  ['worker'],
  ['migrate'],
  ['seed'],
  ['token'],
  ['export', 'thing'],
  ['api-key', 'list'],
]

describe('a database server that cannot be reached', () => {
  for (const args of commands)
    test(`is reported by docket ${args.join(' ')}`, async () => {
      const outcome = await run(args, nowhere)
      assertSentence(
        outcome,
        /^PostgreSQL does not answer at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Start it, or correct DATABASE_URL\. DATABASE_WAIT_SECONDS/m,
      )
      assert.doesNotMatch(outcome.err, /secret/)
    })

  test('is reported when its host name cannot be resolved', async () => {
    const outcome = await run(['start'], 'postgres://shop:secret@nowhere.invalid/shop')
    assertSentence(
      outcome,
      /^The host of the database, nowhere\.invalid:5432, cannot be resolved\./m,
    )
  })
})

describe('a database server that rejects the connection', () => {
  test('a missing database is reported immediately, with the command that creates it', async () => {
    const url = urlWith((one) => {
      one.pathname = '/nowhere'
    })
    const outcome = await run(['start'], url, '600')
    assertSentence(
      outcome,
      /^There is no database "nowhere" at .*\. Create it \(createdb nowhere\), or correct DATABASE_URL\./m,
    )
    assert.doesNotMatch(outcome.err + outcome.out, /databaseAwaited/)
  })

  test('an unknown user is reported', async () => {
    const url = urlWith((one) => {
      one.username = 'nobody_there'
    })
    assertSentence(
      await run(['start'], url, '600'),
      /rejected the user "nobody_there": role "nobody_there" does not exist/,
    )
  })

  test('a wrong password is reported', async () => {
    // The PostgreSQL of the tests requires no password; this server answers like one that does.
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        const fields = 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "shop"\0\0'
        const message = Buffer.alloc(5 + fields.length)
        message.write('E', 0)
        message.writeInt32BE(4 + fields.length, 1)
        message.write(fields, 5)
        socket.end(message)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port: own } = server.address() as AddressInfo
    const outcome = await run(['start'], `postgres://shop:secret@127.0.0.1:${own}/shop`, '600')
    server.close()
    assertSentence(
      outcome,
      /^PostgreSQL at 127\.0\.0\.1:\d+ rejected the password of "shop"\. Correct DATABASE_URL\./m,
    )
    assert.doesNotMatch(outcome.err, /secret/)
  })

  test('a read-only server is reported', async () => {
    const name = new URL(database.connectionString).pathname.slice(1)
    await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const outcome = await run(['start'], database.connectionString)
    const client = new pg.Client(database)
    await client.connect()
    await client.query('SET default_transaction_read_only = off')
    await client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await client.end()
    assertSentence(
      outcome,
      /is read-only, for example a standby\. DATABASE_URL must point to the primary server\./,
    )
  })

  test('a pooler in transaction mode is reported', async () => {
    const pooler = await startTransactionPooler(database.connectionString)
    const outcome = await run(['start'], pooler.connectionString)
    await pooler.close()
    assertSentence(
      outcome,
      /^DATABASE_URL points to a pooler .*pool_mode = transaction.*set DATABASE_DIRECT_URL .*or set pool_mode = session/m,
    )
  })
})

describe('a direct address beside a pooler', () => {
  const start = (pooler: string, direct: string) =>
    callDocket(['start', '--project', project], {
      ...{ DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct },
      ...{ DATABASE_WAIT_SECONDS: '0', PORT: '0' },
    })

  test('is reported when it is a pooler itself', async () => {
    const pooler = await startTransactionPooler(database.connectionString)
    const outcome = await start(database.connectionString, pooler.connectionString)
    await pooler.close()
    assertSentence(outcome, /^DATABASE_DIRECT_URL points to a pooler .*pool_mode = transaction/m)
  })

  test('is reported when it leads to another database', async () => {
    const other = await createTestDatabase()
    const outcome = await start(other.connectionString, database.connectionString)
    await other.drop()
    assertSentence(
      outcome,
      /^DATABASE_URL and DATABASE_DIRECT_URL lead to different databases\. Both must lead/m,
    )
  })

  test('is named when it does not answer', async () => {
    assertSentence(
      await start(database.connectionString, nowhere),
      /ECONNREFUSED\)\. Start it, or correct DATABASE_DIRECT_URL\. DATABASE_WAIT_SECONDS/,
    )
    assertSentence(
      await start(nowhere, database.connectionString),
      /ECONNREFUSED\)\. Start it, or correct DATABASE_URL\. DATABASE_WAIT_SECONDS/,
    )
  })

  test('is named when its server is read-only', async () => {
    const standby = await createTestDatabase()
    const name = new URL(standby.connectionString).pathname.slice(1)
    await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const outcome = await start(database.connectionString, standby.connectionString)
    await standby.drop()
    assertSentence(outcome, /is read-only, .* DATABASE_DIRECT_URL must point to the primary server/)
  })
})
