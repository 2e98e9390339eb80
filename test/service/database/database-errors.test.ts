/** A given database that a command cannot use: each error is one sentence without a stack, and says what to do. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { loadConfig } from '../../../src/config/load-config.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { prepareDatabase } from '../../../src/runtime/open-database.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { writeProject } from '../../support/service.ts'
import { startTransactionPooler } from '../../support/transaction-pooler.ts'

const database = await createTestDatabase()
const { connectionString } = database
const project = await writeProject({
  'entities/thing.json': { key: 'thing', fields: [{ key: 'name', type: 'string' }] },
})
const role = 'test_runs'
await database.pool.query(
  `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
)
after(async () => {
  await database.pool.query(`DROP OWNED BY ${role}`)
  await database.drop()
})
// Nothing listens there.
const nowhere = 'postgres://shop:secret@127.0.0.1:1/shop'

const addressWith = (properties: Partial<Pick<URL, 'pathname' | 'username'>>) =>
  Object.assign(new URL(connectionString), properties).href

/** Asserts that a command on the database of an address fails with a sentence. A start that succeeds would end the process. */
const assertFails = async (
  args: readonly string[],
  url: string,
  sentence: RegExp,
  more: Readonly<Record<string, string>> = {},
) => {
  const environment = { DATABASE_URL: url, DATABASE_WAIT_SECONDS: '0', PORT: '0', ...more }
  const { code, out, err } = await callDocket([...args, '--project', project], environment)
  assert.match(err, sentence)
  assert.deepEqual([code, out], [1, ''])
  assert.doesNotMatch(err, /\n\s+at |node_modules|\.ts:|secret|databaseAwaited/)
}

for (const args of [
  ['start'],
  ['worker'],
  ['migrate'],
  ['seed'],
  ['token'],
  ['export', 'thing'],
  ['api-key', 'list'],
])
  test(`docket ${args.join(' ')} reports a database server that cannot be reached`, () =>
    assertFails(
      args,
      nowhere,
      /^PostgreSQL does not answer at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Start it, or correct DATABASE_URL\. DATABASE_WAIT_SECONDS/m,
    ))

/** The PostgreSQL of the tests requires no password; this server answers like one that does. */
const startRejecting = async () => {
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
  const { port } = server.address() as AddressInfo
  return { url: `postgres://shop:secret@127.0.0.1:${port}/shop`, close: () => server.close() }
}

// None of them is awaited.
const rejections: readonly [what: string, address: string, sentence: RegExp][] = [
  [
    'a host whose name cannot be resolved',
    'postgres://shop:secret@nowhere.invalid/shop',
    /^The host of the database, nowhere\.invalid:5432, cannot be resolved\./m,
  ],
  [
    'a missing database, with the command that creates it',
    addressWith({ pathname: '/nowhere' }),
    /^There is no database "nowhere" at .*\. Create it \(createdb nowhere\), or correct DATABASE_URL\./m,
  ],
  [
    'an unknown user',
    addressWith({ username: 'nobody_there' }),
    /rejected the user "nobody_there": role "nobody_there" does not exist/,
  ],
]
for (const [what, address, sentence] of rejections)
  test(`a start reports ${what}`, () => {
    const wait = address.includes('nowhere.invalid') ? '0' : '600'
    return assertFails(['start'], address, sentence, { DATABASE_WAIT_SECONDS: wait })
  })

test('a start reports a wrong password', async () => {
  const { url, close } = await startRejecting()
  const sentence =
    /^PostgreSQL at 127\.0\.0\.1:\d+ rejected the password of "shop"\. Correct DATABASE_URL\./m
  await assertFails(['start'], url, sentence, { DATABASE_WAIT_SECONDS: '600' })
  close()
})

test('a start reports poolers in transaction mode, and a direct address of another database', async () => {
  const pooler = await startTransactionPooler(connectionString)
  await assertFails(
    ['start'],
    pooler.connectionString,
    /^DATABASE_URL points to a pooler .*pool_mode = transaction.*set DATABASE_DIRECT_URL .*or set pool_mode = session/m,
  )
  await assertFails(
    ['start'],
    connectionString,
    /^DATABASE_DIRECT_URL points to a pooler .*pool_mode = transaction/m,
    { DATABASE_DIRECT_URL: pooler.connectionString },
  )
  await pooler.close()
  const other = await createTestDatabase()
  await assertFails(
    ['start'],
    other.connectionString,
    /^DATABASE_URL and DATABASE_DIRECT_URL lead to different databases\. Both must lead/m,
    { DATABASE_DIRECT_URL: connectionString },
  )
  await other.drop()
})

test('of an address and a direct one, that which does not answer, or is read-only, is named', async () => {
  const refused = (name: string) =>
    new RegExp(`ECONNREFUSED\\)\\. Start it, or correct ${name}\\. DATABASE_WAIT_SECONDS`)
  await assertFails(['start'], connectionString, refused('DATABASE_DIRECT_URL'), {
    DATABASE_DIRECT_URL: nowhere,
  })
  await assertFails(['start'], nowhere, refused('DATABASE_URL'), {
    DATABASE_DIRECT_URL: connectionString,
  })
  const standby = await createTestDatabase()
  const name = new URL(standby.connectionString).pathname.slice(1)
  await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  const readOnly = (variable: string) =>
    new RegExp(
      `is read-only, for example a standby\\. ${variable} must point to the primary server`,
    )
  await assertFails(['start'], standby.connectionString, readOnly('DATABASE_URL'))
  await assertFails(['start'], connectionString, readOnly('DATABASE_DIRECT_URL'), {
    DATABASE_DIRECT_URL: standby.connectionString,
  })
  await standby.drop()
})

test('a role that may not change tables gets an error that points to the documented rights', () =>
  assertFails(
    ['migrate'],
    addressWith({ username: role }),
    /permission denied .*\ndocs\/operations\.md lists the rights that the role of DATABASE_URL needs\./,
  ))

test('start --no-migrate lists missing migrations', async () => {
  const config = loadConfig({ PROJECT: project, DATABASE_URL: connectionString })
  const { project: loaded } = await loadProject(project)
  assert.ok(loaded)
  const startUnchanged = () =>
    prepareDatabase(database.pool, loaded, config, () => undefined, { mayMigrate: false })
  await assert.rejects(startUnchanged(), {
    name: 'StartupError',
    message:
      /The database does not match the definitions, and --no-migrate changes nothing:\n {2}0001-.*\nRun "docket migrate"/s,
  })
  const migrated = await callDocket(['migrate'], {
    PROJECT: project,
    DATABASE_URL: connectionString,
  })
  assert.equal(migrated.code, 0)
  await startUnchanged()
})
