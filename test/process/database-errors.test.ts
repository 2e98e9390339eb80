/** The first contact with a given database: what is wrong with it is one sentence, and no stack. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  endedAfterwards,
  type Outcome,
  outcomeOf,
  runDocket,
  spawnDocket,
  waitFor,
} from '../support/docket.ts'
import { writeProject } from '../support/service.ts'
import { startTransactionPooler } from '../support/transaction-pooler.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

let database: TestDatabase
let project = ''
let port = 0
before(async () => {
  database = await createTestDatabase()
  project = await writeProject({
    'entities/thing.json': { key: 'thing', fields: [{ key: 'name', type: 'string' }] },
  })
  // A port where nobody listens.
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  server.close()
  await once(server, 'close')
})
after(async () => {
  await database.drop()
  await rm(project, { recursive: true, force: true })
})

const urlWith = (change: (url: URL) => void): string => {
  const url = new URL(database.connectionString)
  change(url)
  return url.href
}
const run = (words: readonly string[], url: string, wait = '0'): Promise<Outcome> =>
  runDocket([...words, '--project', project], {
    DATABASE_URL: url,
    DATABASE_WAIT_SECONDS: wait,
    PORT: '0',
  })

const assertSentence = ({ code, err, out }: Outcome, sentence: RegExp): void => {
  assert.match(err, sentence)
  assert.equal(code, 1)
  assert.equal(out, '')
  assert.doesNotMatch(err, /\n\s+at |node_modules|\.ts:/, 'no stack')
}

const commands = [
  ['start'],
  ['worker'],
  ['migrate'],
  ['seed'],
  ['token'],
  ['export', 'thing'],
  ['api-key', 'list'],
]

describe('a server that does not answer', () => {
  for (const words of commands)
    test(`is told by docket ${words.join(' ')}`, async () => {
      const outcome = await run(words, `postgres://shop:secret@127.0.0.1:${port}/shop`)
      assertSentence(
        outcome,
        /^PostgreSQL does not answer at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Start it, or correct DATABASE_URL; DATABASE_WAIT_SECONDS/m,
      )
      assert.doesNotMatch(outcome.err, /secret/)
    })

  test('nor has a name', async () => {
    const outcome = await run(['start'], 'postgres://shop:secret@nowhere.invalid/shop')
    assertSentence(
      outcome,
      /^The host of the database, nowhere\.invalid:5432, cannot be resolved\./m,
    )
  })

  test('is waited for, with a line that says so, and started on when it comes', async () => {
    const { hostname, port: _port, searchParams } = new URL(database.connectionString)
    assert.ok(hostname)
    const child = spawnDocket(['start', '--project', project], {
      DATABASE_URL: `postgres://docket@127.0.0.1:${port}${new URL(database.connectionString).pathname}`,
      DATABASE_WAIT_SECONDS: '100',
      PORT: '0',
    })
    const ended = outcomeOf(child)
    await waitFor(child, /databaseAwaited/)
    // The server comes up: a way to the one of the tests opens at the port.
    const host = searchParams.get('host')
    const server = createServer((socket) => {
      const upstream = host
        ? connect(`${host}/.s.PGSQL.${_port || 5432}`)
        : connect(Number(_port), hostname)
      socket.pipe(upstream).pipe(socket)
      socket.on('error', () => upstream.destroy())
      upstream.on('error', () => socket.destroy())
    })
    server.listen(port, '127.0.0.1')
    await waitFor(child, /is up at/)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
    server.close()
  })
})

describe('a server that refuses', () => {
  test('a database that is not there: at once, with the command that makes it', async () => {
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

  test('a user that is not there', async () => {
    const url = urlWith((one) => {
      one.username = 'nobody_there'
    })
    assertSentence(
      await run(['start'], url, '600'),
      /does not admit "nobody_there": role "nobody_there" does not exist/,
    )
  })

  test('a password that is wrong', async () => {
    // PostgreSQL of the tests asks for none: this one answers as a server does that asks.
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

  test('a read-only server', async () => {
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

  test('a pooler that gives sessions to transactions', async () => {
    const pooler = await startTransactionPooler(database.connectionString)
    const outcome = await run(['start'], pooler.connectionString)
    await pooler.close()
    assertSentence(
      outcome,
      /^DATABASE_URL points to a pooler .*pool_mode = transaction.*set pool_mode = session/m,
    )
  })
})

describe('a role that may change no tables', () => {
  const role = 'test_runs'
  let own: TestDatabase
  before(async () => {
    own = await createTestDatabase()
    const { pool } = own
    await pool.query(
      `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    )
  })
  after(async () => {
    await own.pool.query(`DROP OWNED BY ${role}`)
    await own.drop()
  })
  const urlOf = (user: string) => {
    const url = new URL(own.connectionString)
    url.username = user
    return url.href
  }

  test('is told which rights it lacks, in a sentence', async () => {
    const outcome = await run(['start'], urlOf(role))
    assertSentence(
      outcome,
      /^PostgreSQL refused: permission denied .*\. docs\/operations\.md lists the rights that the role of DATABASE_URL needs\./m,
    )
  })

  test('is told what is to be migrated first, where it starts with --no-migrate', async () => {
    const outcome = await run(['start', '--no-migrate'], urlOf('docket'))
    assertSentence(
      outcome,
      /The database does not match the definitions, and --no-migrate changes nothing:\n {2}0001-.*\nRun "docket migrate"/s,
    )
  })

  test('is told of tables of jobs that an earlier graphile-worker made', async () => {
    assert.equal((await run(['migrate'], own.connectionString)).code, 0)
    const { rows } = await own.pool.query<{ id: number }>(
      'DELETE FROM graphile_worker.migrations WHERE id = (SELECT max(id) FROM graphile_worker.migrations) RETURNING id',
    )
    const outcome = await run(['start', '--no-migrate'], urlOf('docket'))
    assertSentence(
      outcome,
      /--no-migrate changes nothing:\n {2}the tables of jobs\nRun "docket migrate"/s,
    )
    await own.pool.query('INSERT INTO graphile_worker.migrations (id) VALUES ($1)', [rows[0]?.id])
  })

  test('starts with --no-migrate and the rights of docs/operations.md, writes, and does jobs', async () => {
    assert.equal((await run(['migrate'], own.connectionString)).code, 0)
    for (const statement of await documentedRights(role)) await own.pool.query(statement)
    const child = spawnDocket(['start', '--no-migrate', '--project', project], {
      DATABASE_URL: urlOf(role),
      PORT: '0',
    })
    const ended = outcomeOf(child)
    const shown = await waitFor(child, /"kind":"workerStarted"|workerStarted/)
    const [, base = ''] = /"address":"([^"]+)"/.exec(shown) ?? []
    const token = (
      await runDocket(['token', '--project', project], { DATABASE_URL: own.connectionString })
    ).out.trim()
    const made = await fetch(`${base}/thing`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"name":"one"}',
    })
    assert.equal(made.status, 201, await made.text())
    assert.equal((await fetch(`${base}/api/health/ready`)).status, 200)
    child.kill('SIGTERM')
    const { code, err } = await ended
    assert.equal(code, 0)
    assert.doesNotMatch(err, /permission denied/)
  })
})

/** The statements of docs/operations.md, for a role of the test. */
const documentedRights = async (role: string): Promise<string[]> => {
  const text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [, block = ''] = /## Rights in the database.*?```sql\n(.*?)```/s.exec(text) ?? []
  const statements = block
    .replaceAll('docket_run', role)
    .split(';')
    .map((one) => one.trim())
  return statements.filter((one) => /^(GRANT|ALTER DEFAULT)/.test(one))
}

describe('docket export --out', () => {
  const exportTo = (out: string) =>
    runDocket(['export', 'thing', '--out', out, '--project', project], {
      DATABASE_URL: database.connectionString,
    })

  test('a folder that is not there, and a folder, are told before anything starts', async () => {
    assertSentence(await exportTo('/nowhere/x.csv'), /^\/nowhere\/x\.csv cannot be written: ENOENT/)
    assertSentence(await exportTo(project), /^.* is a folder; name a file in it\.\n$/)
  })

  test('a file is written whole, without a part of it left beside', async () => {
    const { code, err } = await exportTo(join(project, 'things.csv'))
    assert.equal(code, 0, err)
    assert.match(await readFile(join(project, 'things.csv'), 'utf8'), /^id,name/)
    assert.ok(!existsSync(join(project, 'things.csv.part')))
  })
})

describe('the progress of docket export', () => {
  test('shows on a terminal beside a file, and not where rows go into a pipe', async () => {
    const docket = `'${process.execPath}' '${main}' export thing --project '${project}'`
    // script gives what it runs a terminal, as a person has one.
    const onTerminal = async (command: string) => {
      const child = endedAfterwards(
        spawn('script', ['-qefc', command, '/dev/null'], {
          env: { ...process.env, DATABASE_URL: database.connectionString },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      )
      return (await outcomeOf(child)).out
    }
    assert.match(await onTerminal(`${docket} --out '${project}/again.csv'`), /MB\/s/)
    const piped = await onTerminal(`${docket} | head -n 2`)
    assert.match(piped, /^id,name/m)
    assert.doesNotMatch(piped, /MB\/s/)
  })
})
