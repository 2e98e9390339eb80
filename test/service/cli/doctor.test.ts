/** `docket doctor`, with `--server` too: what it finds, what it says about it, and what a role without rights sees. */
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { after, before, describe, test } from 'node:test'
import type { Level } from '../../../src/diagnosis/check.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { writeProject } from '../../support/service.ts'
import { startTransactionPooler } from '../../support/transaction-pooler.ts'

type Found = { check: string; level: Level; value: string; advice?: string }

/** What a command finds, by the names of its checks, and its exit code. */
const examine = async (args: readonly string[], environment: Record<string, string> = {}) => {
  const { code, out, err } = await callDocket([...args, '--json'], environment)
  assert.notEqual(out, '', err)
  const { worst, checks }: { worst: Level; checks: Found[] } = JSON.parse(out)
  const of = (name: string): Found => {
    const one = checks.find(({ check }) => check === name)
    assert.ok(one, name)
    return one
  }
  return { code, worst, checks, of }
}

const role = 'test_asks_doctor'
const aDatabase = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase()
  await database.pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
  return database
}
const addressOf = ({ connectionString }: TestDatabase, properties: Partial<URL>) =>
  Object.assign(new URL(connectionString), properties).href

/** Connections that a process may open, as the documentation has it. */
const ownDemand = 43 + Math.min(4, availableParallelism()) - 1

describe('docket doctor', () => {
  const slot = `doctor_${process.pid}`
  let database: TestDatabase
  let environment: Record<string, string>
  before(async () => {
    database = await aDatabase()
    const PROJECT = await writeProject({
      'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
      'roles/clerk.json': { key: 'clerk', permissions: {} },
    })
    environment = { DATABASE_URL: database.connectionString, PROJECT }
  })
  after(async () => {
    await database.pool.query(
      `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '${slot}'`,
    )
    await database.drop()
  })
  const doctor = (url = database.connectionString) =>
    examine(['doctor'], { ...environment, DATABASE_URL: url })
  const levelsOf = ({ of }: Awaited<ReturnType<typeof doctor>>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, of(name).level]))

  test('a new database has no tables of Docket, and the doctor says so and changes nothing', async () => {
    const found = await doctor()
    assert.equal(found.of('migrations').level, 'warn')
    assert.match(found.of('migrations').value, /^missing: 0001-foundation\.sql, .* and \d+ more$/)
    assert.equal(found.of('dead jobs').level, 'unknown')
    const { rowCount } = await database.pool.query(
      `SELECT FROM pg_namespace WHERE nspname IN ('docket', 'records')`,
    )
    assert.equal(rowCount, 0)
  })

  const lookedAt = [
    ...['migrations', 'connections', 'own demand', 'dead jobs', 'oldest waiting job', 'dead rows'],
    ...[
      'invalid indexes',
      'unchecked constraints',
      'months of notifications',
      'extensions',
      'files',
      'clock',
    ],
  ]

  test('a prepared database is healthy; each line has its value, and the demand is that of the documentation', async () => {
    assert.equal((await callDocket(['migrate'], environment)).code, 0)
    const found = await doctor()
    assert.deepEqual(
      levelsOf(found, lookedAt),
      Object.fromEntries(lookedAt.map((name) => [name, 'ok'])),
    )
    assert.match(found.of('connections').value, /^\d+ of \d+ of the server: .*docket/)
    assert.match(
      found.of('own demand').value,
      new RegExp(`^one "docket start" may open ${ownDemand} of \\d+ connections$`),
    )
    // The server of the tests does not write to the disk, which must not pass unnoticed.
    assert.equal(found.of('settings').level, 'fail')
    assert.match(found.of('settings').value, /fsync = off: a crash can destroy the database/)
    assert.deepEqual([found.worst, found.code], ['fail', 6])
  })

  /** What an operator must do something about. */
  const troubles = [
    `ALTER TABLE records.note SET (autovacuum_enabled = off)`,
    `INSERT INTO records.note (title) SELECT 'same' FROM generate_series(1, 20000)`,
    `DELETE FROM records.note WHERE id > 10`,
    `ALTER TABLE records.note ADD CONSTRAINT long_title CHECK (length(title) > 100) NOT VALID`,
    // As after an upgrade, before a worker has run.
    `DO $$ DECLARE month regclass; BEGIN
     FOR month IN SELECT inhrelid FROM pg_inherits
       WHERE inhparent = 'docket.notification'::regclass AND inhrelid <> 'docket.notification_earlier'::regclass
     LOOP EXECUTE format('DROP TABLE %s', month); END LOOP;
   END $$`,
    `SELECT FROM pg_create_physical_replication_slot('${slot}', true)`,
    `SELECT docket.add_job('webhook.send', '{}')`,
    `SELECT docket.add_job('webhook.send', '{}', now() - interval '1 hour')`,
    `INSERT INTO docket.blob (sha256, bytes, state) VALUES (repeat('a', 64), 1, 'stored')`,
    `UPDATE docket.job SET status = 'dead' WHERE id = (SELECT min(id) FROM docket.job)`,
  ]

  test('what is wrong is named, with what to do: dead and late jobs, dead rows, unfinished changes, a slot', async () => {
    const client = await database.pool.connect()
    try {
      for (const statement of troubles) await client.query(statement)
      await assert.rejects(
        client.query(`CREATE UNIQUE INDEX CONCURRENTLY unique_title ON records.note (title)`),
      )
      await client.query('SELECT pg_stat_force_next_flush()')
    } finally {
      client.release(true)
    }
    const found = await doctor()
    const expected: Readonly<Record<string, readonly [Level, RegExp, RegExp]>> = {
      'dead jobs': ['warn', /^1$/, /"Deliveries and jobs" of the console/],
      'oldest waiting job': ['fail', /^60 min; 0 workers$/, /docket worker/],
      'dead rows': ['warn', /^records\.note \d+ %, never vacuumed$/, /VACUUM \(ANALYZE\)/],
      'invalid indexes': ['warn', /^1 index: records\.unique_title$/, /docket migrate/],
      'unchecked constraints': ['warn', /records\.note long_title$/, /docket migrate/],
      'months of notifications': ['warn', /^none is made$/, /docket worker/],
      files: ['fail', /^missing in .*files: a{64}$/, /docket files --check/],
      'replication slots': [
        'warn',
        new RegExp(`${slot} inactive, keeps`),
        /pg_drop_replication_slot/,
      ],
    }
    for (const [name, [level, value, advice]] of Object.entries(expected)) {
      const one = found.of(name)
      assert.equal(one.level, level, name)
      assert.match(one.value, value)
      assert.match(one.advice ?? '', advice)
    }
  })

  test('people get a table with the advice below each line', async () => {
    const { code, out, err } = await callDocket(['doctor'], environment)
    assert.equal(code, 6, err)
    assert.match(out, /^warn {2}dead jobs +1\n {6}They were given up: /m)
    assert.match(out, /^ok +clock +/m)
    assert.match(err, /^\d+ checks: \d+ failed, \d+ with a warning, \d+ not seen\.$/m)
  })

  test('a role without rights gets the lines that it may see, and the others say that it may not', async () => {
    const found = await doctor(addressOf(database, { username: role }))
    assert.deepEqual(
      levelsOf(found, ['dead jobs', 'oldest transaction', 'invalid indexes', 'connections']),
      {
        'dead jobs': 'unknown',
        'oldest transaction': 'unknown',
        'invalid indexes': 'warn',
        connections: 'ok',
      },
    )
    assert.equal(found.of('dead jobs').value, 'this role may not see it')
    assert.match(found.of('oldest transaction').advice ?? '', /pg_monitor/)
  })
})

describe('docket doctor and docket migrate of calculated values that an earlier version, or SQL, has left behind', () => {
  const definitions = (isCalculated: boolean) => ({
    ...entityFile('bill', [
      { key: 'number', type: 'string' },
      { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'bill' },
      ...(isCalculated
        ? [
            {
              key: 'total',
              type: 'decimal',
              precision: 12,
              scale: 2,
              rollup: { sum: 'parts.net' },
            },
          ]
        : []),
    ]),
    ...entityFile('part', [
      { key: 'bill', type: 'manyToOne', entity: 'bill' },
      { key: 'price', type: 'integer' },
      ...(isCalculated ? [{ key: 'net', type: 'bigint', formula: 'price * 2' }] : []),
    ]),
  })

  let database: TestDatabase
  let earlierProject = ''
  let project = ''
  before(async () => {
    database = await createTestDatabase()
    earlierProject = await writeProject(definitions(false))
    project = await writeProject(definitions(true))
  })
  after(() => database.drop())

  const environment = (PROJECT = project) => ({ DATABASE_URL: database.connectionString, PROJECT })
  const migrate = async (args: readonly string[] = [], PROJECT = project) =>
    (await callDocket(['migrate', ...args], environment(PROJECT))).err
  const compared = async (PROJECT = project) => {
    const { code, of } = await examine(['doctor'], environment(PROJECT))
    return { code, ...of('calculated values') }
  }
  const write = (sql: string) => database.pool.query(sql)
  const earlier = /Processes of the version before .* "docket migrate --recalculate"/

  test('values that are not what the definitions calculate are named, and a recalculation mends them', async () => {
    assert.doesNotMatch(await migrate([], earlierProject), earlier)
    assert.equal((await compared(earlierProject)).value, 'no field is calculated')
    await write(`INSERT INTO records.bill (number) SELECT n FROM generate_series(1, 2100) n`)
    await write(`INSERT INTO records.part (bill_id, price) SELECT id, 10 FROM records.bill`)
    const before = await compared()
    assert.deepEqual(
      [before.level, before.value],
      [
        'unknown',
        'not compared: part.net (its column is missing), bill.total (its column is missing)',
      ],
    )
    assert.match(await migrate(), earlier)
    const right = await compared()
    assert.deepEqual(
      [right.level, right.value, right.advice],
      ['ok', '2 fields as defined', undefined],
    )

    // As a process that does not know the fields.
    await write('INSERT INTO records.part (bill_id, price) VALUES (3, 5), (7, 5)')
    await write(`UPDATE records.part SET _is_deleted = true WHERE bill_id = 2100`)
    await write(`ALTER TABLE records.part DISABLE TRIGGER USER`)
    await write('UPDATE records.part SET net = 1 WHERE id = 1')
    await write(`ALTER TABLE records.part ENABLE TRIGGER USER`)
    const wrong = await compared()
    assert.deepEqual([wrong.code, wrong.level], [6, 'fail'])
    assert.equal(
      wrong.value,
      'part.net differs in 1 record (id 1), bill.total differs in 4 records (ids 2100, 7, 3, 1)',
    )
    assert.match(wrong.advice ?? '', /docket migrate --recalculate/)

    assert.doesNotMatch(await migrate(['--recalculate']), earlier)
    assert.equal((await compared()).value, '2 fields as defined')
    assert.doesNotMatch(await migrate(), earlier)
  })

  test('without definitions that are valid, nothing is compared', async () => {
    const { level, value } = await compared(await writeProject({ 'entities/bill.json': '{' }))
    assert.deepEqual([level, value], ['unknown', 'the definitions are missing or have errors'])
  })
})

describe('docket doctor --server', () => {
  let database: TestDatabase
  before(async () => {
    database = await aDatabase()
  })
  after(() => database.drop())
  const check = (url = database.connectionString) => examine(['doctor', '--server', url])
  // How fast the machine is, and what others do on the server of the tests.
  const ofMachine = ['settings', 'round trip', 'commit', 'free connections']

  const schemas = async () =>
    (
      await database.pool.query(`SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'`)
    ).rows.map(({ nspname }) => nspname)

  test('a complete server has everything that is needed, and keeps no trace of the check', async () => {
    const before = await schemas()
    await database.pool.query('CREATE SCHEMA docket_check_1000000000_deadbeef')
    const { checks, of } = await check()
    assert.deepEqual(
      checks.filter(({ level, check }) => level !== 'ok' && !ofMachine.includes(check)),
      [],
    )
    assert.equal(of('contents').value, 'empty')
    assert.equal(of('sessions').value, 'one for each connection')
    assert.match(
      of('free connections').value,
      new RegExp(`one "docket start" may open ${ownDemand}$`),
    )
    for (const timed of ['round trip', 'commit'])
      assert.match(of(timed).value, /^[\d.]+ ms \(median of 21\)$/, timed)
    // Also not of an earlier one that was killed.
    assert.deepEqual(await schemas(), before)
  })

  test('a pooler is recognized, and what it lacks is not asked of it', async () => {
    const pooler = await startTransactionPooler(database.connectionString)
    try {
      const { of, checks } = await check(pooler.connectionString)
      assert.equal(of('sessions').level, 'warn')
      assert.match(of('sessions').advice ?? '', /DATABASE_DIRECT_URL/)
      assert.equal(of('signals (LISTEN, NOTIFY)').value, 'not used behind a pooler')
      assert.deepEqual(
        checks.filter(({ level, check }) => level === 'fail' && !ofMachine.includes(check)),
        [],
      )
    } finally {
      await pooler.close()
    }
  })

  test('a role that may not create schemas is told which right it lacks', async () => {
    const { code, of } = await check(addressOf(database, { username: role }))
    assert.equal(code, 6)
    assert.equal(of('rights').value, 'may not create schemas')
    assert.match(of('rights').advice ?? '', /GRANT CREATE ON DATABASE/)
    assert.match(of('trial').value, /^not possible: permission denied/)
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
      const { of } = await check(addressOf(database, { pathname: `/${ascii}` }))
      assert.equal(of('accepts changes').value, 'no, it is read-only')
      assert.equal(of('encoding').level, 'fail')
      assert.match(of('encoding').advice ?? '', /TEMPLATE template0/)
      assert.equal(of('trial').level, 'unknown')
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
      const { code, out, err } = await callDocket(['doctor', '--server', address])
      assert.notEqual(code, 0)
      assert.match(`${out}${err}`, sentence)
      assert.doesNotMatch(`${out}${err}`, /geheim/)
    }
  })
})
