/** Commands as scripts and users run them, as far as they need no database: words in, text and exit codes out. */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { writeProject } from '../../support/service.ts'

const names = (await readFile(new URL('../../../src/cli/run-command.ts', import.meta.url), 'utf8'))
  .matchAll(/^ {2}'?([\w-]+)'?: \(\) => import/gm)
  .map(([, name = '']) => name)
  .toArray()

test('help lists every command and ends with 0; so does no command, with 2', async () => {
  const { code, out, err } = await callDocket(['--help'])
  assert.deepEqual([code, err], [0, ''])
  assert.equal(names.length, 23)
  for (const name of names) assert.match(out, new RegExp(`^  ${name} `, 'm'))
  for (const other of [['-h'], ['help']])
    assert.deepEqual(await callDocket(other), { code: 0, out, err: '' })
  assert.deepEqual(await callDocket([]), { code: 2, out, err: '' })
})

test('every command has a help that prints its options and ends with 0', async () => {
  for (const name of names) {
    const { code, out, err } = await callDocket([name, '--help'])
    assert.deepEqual([code, err], [0, ''], name)
    assert.match(out, new RegExp(`^Usage: docket ${name}( [\\w-|]+)* \\[options\\]$`, 'm'))
    const isOfProject = name !== 'init'
    assert.equal(/ --project DIR /.test(out), isOfProject, name)
    assert.match(out, /^ {2}--help +Show this help\.$/m)
    assert.deepEqual(await callDocket([name, '-h']), { code, out, err })
  }
})

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  for (const word of ['--version', '-V'])
    assert.deepEqual(await callDocket([word]), { code: 0, out: `${version}\n`, err: '' })
})

test('wrong usage says what is there, and ends with 2', async () => {
  for (const [words, message] of [
    [['strat'], /^There is no command "strat"; did you mean "start"\?\nSee docket --help\.\n$/],
    [['zzzzzzzz'], /^There is no command "zzzzzzzz"\.\nSee docket --help\.\n$/],
    // A property of every object.
    [['constructor'], /^There is no command "constructor"/],
    [['check', '--jason'], /--jason.*\nSee docket check --help\.\n$/s],
    [['export', 'a', 'b'], /^docket export takes ENTITY\.\n/],
    [['restore'], /^docket restore takes FILE\.\n/],
    [['check', 'all'], /'all'/],
  ] as const) {
    const { code, out, err } = await callDocket(words)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, message)
  }
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
  const { code, out } = await callDocket(['check', '--project', directory])
  assert.equal(code, 3)
  assert.match(
    out,
    /^entities\/order\.json:4:42 fields\[0\]\.requierd .*did you mean "required"\?$/m,
  )
  assert.match(out, /^entities\/supplier\.json:1:\d+ fields\[0\]\.type .*did you mean "string"\?$/m)
  const { out: json } = await callDocket(['check', '--project', directory, '--json'])
  assert.equal(
    Object.keys(JSON.parse(json)[0]).sort().join(),
    'column,file,line,message,path,severity',
  )
})

test('check reads times in TIME_ZONE, else in the time zone of the project, as the service does', async () => {
  // In Zagreb clocks change from two to three.
  const leapt = '2026-03-29 02:30:00'
  const directory = await writeProject({
    'docket.json': { timeZone: 'Europe/Zagreb' },
    ...entityFile('item', [{ key: 'at', type: 'timestamp', default: leapt }]),
    'entities/visit.json': {
      key: 'visit',
      fields: [{ key: 'at', type: 'timestamp' }],
      hooks,
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
    callDocket(['check', '--project', directory], variables)
  const own = await checked({})
  assert.match(own.out, /item\.json:\d+:\d+ fields\[0\]\.default must be an existing time/)
  assert.equal(own.code, 3)
  const given = await checked({ TIME_ZONE: 'UTC' })
  assert.equal(given.code, 0, given.out)
  await writeFile(join(directory, 'entities', 'item.json'), '{ "key": "item", "fields": [] }')
  const condition = await checked({})
  assert.match(condition.out, /visit\.json:.* \$where\.at\.\$gt: must be an existing time/)
  assert.equal(condition.code, 3)
})

test('start and worker reject an invalid project with its errors, and end with 1', async () => {
  const directory = await writeProject(invalid)
  for (const command of ['start', 'worker']) {
    const { code, out, err } = await callDocket([command, '--project', directory])
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^The project \S+ has 2 errors:\n {2}entities\/order\.json:4:42/)
    assert.doesNotMatch(err, /\bat .*\.ts:/)
  }
})

test('all errors of the environment are reported together, without a stack', async () => {
  const { code, err } = await callDocket(['check'], {
    PORT: 'abc',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://user:secret@host/x',
  })
  assert.equal(code, 1)
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) assert.match(err, new RegExp(name))
  assert.doesNotMatch(err, /secret|\.ts:/)
})

test('commands that need a database create none, and report that there is none', async () => {
  const fields = [{ key: 'name', type: 'string' }]
  const project = await writeProject({ 'entities/thing.json': { key: 'thing', fields } })
  for (const args of [
    ['backup'],
    ['database-url'],
    ['database-url', '--keep-up'],
    ['deliveries'],
  ]) {
    const { code, err } = await callDocket([...args, '--project', project])
    assert.equal(code, 1, err)
    assert.match(err, /has no database yet.*--project/)
    assert.deepEqual(await readdir(project), ['entities'])
  }
})
