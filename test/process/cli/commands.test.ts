/** Commands as scripts and users run them: arguments in, text and exit codes out. */
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { runDocket } from '../../support/docket.ts'
import { copyExample, writeProject } from '../../support/service.ts'

let database: TestDatabase
let example: string
let environment: Record<string, string>

before(async () => {
  database = await createTestDatabase()
  example = await copyExample()
  environment = { DATABASE_URL: database.connectionString, PROJECT: example }
})
after(async () => {
  await database.drop()
  await rm(example, { recursive: true })
})

const names = [
  ...['start', 'worker', 'check', 'migrate', 'seed', 'token', 'login', 'api-key', 'export'],
]

test('help lists every command and ends with 0', async () => {
  const { code, out } = await runDocket(['--help'])
  assert.equal(code, 0)
  for (const name of names) assert.match(out, new RegExp(`^  ${name}`, 'm'))
})

for (const name of names)
  test(`docket ${name} --help prints its options and ends with 0`, async () => {
    const { code, out } = await runDocket([name, '--help'])
    assert.equal(code, 0)
    assert.match(out, /--project DIR/)
  })

test('without a command the help is printed and the exit code is 2', async () => {
  assert.equal((await runDocket([])).code, 2)
})

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  const { code, out } = await runDocket(['--version'])
  assert.deepEqual([code, out], [0, `${version}\n`])
})

test('an unknown command is wrong usage, with a suggestion', async () => {
  const { code, err } = await runDocket(['strat'])
  assert.equal(code, 2)
  assert.match(err, /did you mean "start"/)
})

test('an unknown option is wrong usage', async () => {
  const { code, err } = await runDocket(['check', '--jason'])
  assert.equal(code, 2)
  assert.match(err, /--jason/)
})

test('check ends with 0 for a copy of the example project, and warns that its schemas are elsewhere', async () => {
  const { code, out } = await runDocket(['check', '--project', example])
  assert.equal(code, 0)
  assert.match(out, /The project is valid: 14 entities, 3 roles, 1 warning\./)
})

const invalid = {
  'entities/order.json': `{
  "key": "order",
  "fields": [
    { "key": "number", "type": "string", "requierd": true },
    { "key": "supplier", "type": "manyToOne", "entity": "suplier" }
  ]
}`,
  'entities/supplier.json': { key: 'supplier', fields: [{ key: 'name', type: 'strin' }] },
}

test('check reports every error with file, line, column, path and suggestion, and ends with 3', async () => {
  const directory = await writeProject(invalid)
  const { code, out } = await runDocket(['check', '--project', directory])
  assert.equal(code, 3)
  assert.match(
    out,
    /^entities\/order\.json:4:42 fields\[0\]\.requierd .*did you mean "required"\?$/m,
  )
  assert.match(out, /^entities\/supplier\.json:1:\d+ fields\[0\]\.type .*did you mean "string"\?$/m)
  const { out: json } = await runDocket(['check', '--project', directory, '--json'])
  assert.deepEqual(Object.keys(JSON.parse(json)[0]).sort(), [
    'column',
    'file',
    'line',
    'message',
    'path',
    'severity',
  ])
  await rm(directory, { recursive: true })
})

test('check reads times in TIME_ZONE, else in the time zone of the project, as the service does', async () => {
  // In Zagreb clocks change from two to three.
  const leapt = '2026-03-29 02:30:00'
  const directory = await writeProject({
    'docket.json': { timeZone: 'Europe/Zagreb' },
    'entities/item.json': {
      key: 'item',
      fields: [{ key: 'at', type: 'timestamp', default: leapt }],
    },
    'entities/visit.json': {
      key: 'visit',
      fields: [{ key: 'at', type: 'timestamp' }],
      hooks: [
        {
          type: 'message',
          hookType: 'AfterChange',
          functionName: '_sendNotificationHandler',
        },
      ],
      notifications: [
        {
          operation: 'create',
          condition: { at: { $gt: leapt } },
          recipient: { userFields: ['_created_by'] },
        },
      ],
    },
  })
  const checked = (variables: Record<string, string>) =>
    runDocket(['check', '--project', directory], variables)
  const own = await checked({})
  assert.match(own.out, /item\.json:\d+:\d+ fields\[0\]\.default must be an existing time/)
  assert.equal(own.code, 3)
  const given = await checked({ TIME_ZONE: 'UTC' })
  assert.equal(given.code, 0, given.out)
  await writeFile(join(directory, 'entities', 'item.json'), '{ "key": "item", "fields": [] }')
  const condition = await checked({})
  assert.match(condition.out, /visit\.json:.* \$where\.at\.\$gt: must be an existing time/)
  assert.equal(condition.code, 3)
  await rm(directory, { recursive: true })
})

test('start rejects an invalid project with its errors and ends with 1', async () => {
  const directory = await writeProject(invalid)
  const { code, err } = await runDocket(['start', '--project', directory])
  assert.equal(code, 1)
  assert.match(err, /entities\/order\.json:4:42/)
  assert.doesNotMatch(err, /\bat .*\.ts:/)
  await rm(directory, { recursive: true })
})

test('all errors of the environment are reported together, without a stack', async () => {
  const { code, err } = await runDocket(['check'], {
    PORT: 'abc',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://user:secret@host/x',
  })
  assert.equal(code, 1)
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) assert.match(err, new RegExp(name))
  assert.doesNotMatch(err, /secret|\.ts:/)
})

test('with a host other than loopback the development issuer gives no token', async () => {
  const { code, err } = await runDocket(['token'], { ...environment, HOST: '0.0.0.0' })
  assert.equal(code, 1)
  assert.match(err, /docket api-key create/)
})

test('seed loads the example, and changes nothing the second time', async () => {
  const first = await runDocket(['seed'], environment)
  assert.equal(first.code, 0, first.err)
  assert.match(first.out, /purchase_order\.csv: 3000 new, 0 changed, 0 unchanged/)
  const second = await runDocket(['seed'], environment)
  assert.match(second.out, /purchase_order\.csv: 0 new, 0 changed, 3000 unchanged/)
})

test('token prints one token to standard output, and rejects an unknown user', async () => {
  const { code, out } = await runDocket(['token', '--user', 'anna@example.com'], environment)
  assert.equal(code, 0)
  assert.match(out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  const unknownUser = await runDocket(['token', '--user', 'nobody@example.com'], environment)
  assert.equal(unknownUser.code, 1)
  assert.match(unknownUser.err, /nobody@example\.com/)
})

test('an API key is created, listed without its secret, and revoked once', async () => {
  const made = await runDocket(
    ['api-key', 'create', '--user', 'anna@example.com', '--name', 'till'],
    environment,
  )
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /^docket_[\w-]{43}\n$/)
  const { out } = await runDocket(['api-key', 'list'], environment)
  assert.match(out, /"name":"till"/)
  assert.ok(!out.includes(made.out.trim()))
  assert.equal((await runDocket(['api-key', 'revoke', '--id', '1'], environment)).code, 0)
  assert.equal((await runDocket(['api-key', 'revoke', '--id', '1'], environment)).code, 1)
})

test('migrate plans nothing when the database is up to date, and shows what is kept before it removes it', async () => {
  const settled = await runDocket(['migrate', '--plan'], environment)
  assert.equal(settled.out, '')
  await rm(`${example}/entities/goods_receipt.json`)
  const order = `${example}/entities/purchase_order.json`
  const { readFile, writeFile } = await import('node:fs/promises')
  const text = await readFile(order, 'utf8')
  await writeFile(order, text.replace(/,\s*\{ "key": "receipts"[^}]*\}/, ''))
  for (const folder of ['seed', 'translations'])
    await rm(`${example}/${folder}`, { recursive: true })
  for (const role of ['approver', 'auditor', 'buyer']) {
    const file = `${example}/roles/${role}.json`
    const value = JSON.parse(await readFile(file, 'utf8'))
    delete value.permissions.goods_receipt
    await writeFile(file, JSON.stringify(value))
  }
  const planned = await runDocket(['migrate', '--plan'], environment)
  assert.equal(planned.code, 0, planned.err)
  assert.match(planned.out, /is kept; "docket migrate --allow-destructive" drops it\n-- DROP TABLE/)
  const migrated = await runDocket(['migrate'], environment)
  assert.equal(migrated.code, 0, migrated.err)
  assert.match(migrated.out, /^-- DROP TABLE "records"."goods_receipt";$/m)
  assert.match(migrated.err, /^0 statements applied\.$/m)
  const dropped = await runDocket(['migrate', '--allow-destructive'], environment)
  assert.equal(dropped.code, 0, dropped.err)
  assert.equal((await runDocket(['migrate', '--plan'], environment)).out, '')
})
