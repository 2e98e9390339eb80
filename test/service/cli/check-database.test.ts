/** `docket check-database`: what it says about a server, directly and through a pooler; nothing of it stays. */
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { after, before, test } from 'node:test'
import type { Level } from '../../../src/diagnosis/check.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { startTransactionPooler } from '../../support/transaction-pooler.ts'

const role = 'test_asks_server'
let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
  await database.pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
})
after(() => database.drop())

// How fast the machine is, and what others do on the server of the tests.
const ofMachine = ['settings', 'round trip', 'commit', 'free connections']

type Found = { check: string; level: Level; value: string; advice?: string }

const examine = async (url = database.connectionString) => {
  const { code, out, err } = await callDocket(['check-database', url, '--json'])
  assert.notEqual(out, '', err)
  const { checks }: { checks: Found[] } = JSON.parse(out)
  const found = new Map(checks.map((one) => [one.check, one]))
  return { code, out, checks, of: (name: string) => found.get(name) }
}

const schemas = async () =>
  (await database.pool.query(`SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'`)).rows.map(
    ({ nspname }) => nspname,
  )

const urlOf = (user: string) => {
  const url = new URL(database.connectionString)
  url.username = user
  return url.href
}

test('a complete server has everything that is needed, and keeps no trace of the check', async () => {
  const before = await schemas()
  await database.pool.query('CREATE SCHEMA docket_check_1000000000_deadbeef')
  const { checks, of } = await examine()
  assert.deepEqual(
    checks.filter(({ level, check }) => level !== 'ok' && !ofMachine.includes(check)),
    [],
  )
  assert.equal(of('contents')?.value, 'empty')
  assert.equal(of('sessions')?.value, 'one for each connection')
  const own = 44 + Math.min(4, availableParallelism()) - 1
  assert.match(
    of('free connections')?.value ?? '',
    new RegExp(`one "docket start" may open ${own}$`),
  )
  for (const timed of ['round trip', 'commit'])
    assert.match(of(timed)?.value ?? '', /^[\d.]+ ms \(median of 21\)$/, timed)
  // Also not of an earlier one that was killed.
  assert.deepEqual(await schemas(), before)
})

test('a pooler is recognized, and what it lacks is not asked of it', async () => {
  const pooler = await startTransactionPooler(database.connectionString)
  try {
    const { of, checks } = await examine(pooler.connectionString)
    assert.equal(of('sessions')?.level, 'warn')
    assert.match(of('sessions')?.advice ?? '', /DATABASE_DIRECT_URL/)
    assert.equal(of('signals (LISTEN, NOTIFY)')?.value, 'not used behind a pooler')
    assert.deepEqual(
      checks.filter(({ level, check }) => level === 'fail' && !ofMachine.includes(check)),
      [],
    )
  } finally {
    await pooler.close()
  }
})

test('a role that may not create schemas is told which right it lacks', async () => {
  const { code, of } = await examine(urlOf(role))
  assert.equal(code, 6)
  assert.equal(of('rights')?.value, 'may not create schemas')
  assert.match(of('rights')?.advice ?? '', /GRANT CREATE ON DATABASE/)
  assert.match(of('trial')?.value ?? '', /^not possible: permission denied/)
})

test('a database that is read-only or not in UTF-8 does not suit', async () => {
  const { rows } = await database.pool.query('SELECT current_database() AS name')
  const { name } = rows[0] ?? {}
  const ascii = `${name}_ascii`
  await database.pool.query(
    `CREATE DATABASE ${ascii} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
  )
  try {
    await database.pool.query(`ALTER DATABASE ${ascii} SET default_transaction_read_only = on`)
    const url = new URL(database.connectionString)
    url.pathname = `/${ascii}`
    const { of } = await examine(url.href)
    assert.equal(of('accepts changes')?.value, 'no, it is read-only')
    assert.equal(of('encoding')?.level, 'fail')
    assert.match(of('encoding')?.advice ?? '', /TEMPLATE template0/)
    assert.equal(of('trial')?.level, 'unknown')
  } finally {
    await database.pool.query(`DROP DATABASE ${ascii} WITH (FORCE)`)
  }
})

test('an address that leads nowhere is one sentence, and no password is printed', async () => {
  for (const [address, sentence] of [
    ['postgres://shop:geheim@127.0.0.1:1/shop', /does not answer at 127\.0\.0\.1:1/],
    ['mysql://shop:geheim@127.0.0.1:1/shop', /^URL must be the address of a database/],
    ['postgres://shop:geheim@[/shop', /^URL must be the address of a database/],
  ] as const) {
    const { code, out, err } = await callDocket(['check-database', address])
    assert.notEqual(code, 0)
    assert.match(`${out}${err}`, sentence)
    assert.doesNotMatch(`${out}${err}`, /geheim/)
  }
})
