/** What `docket check` reads besides the definitions, without a database: code, templates, seeds, files. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

const definitions: ProjectFiles = {
  ...entityFile('customer', { displayField: 'name' }, [
    { key: 'name', type: 'string', required: true, unique: true },
    { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'customer' },
  ]),
  ...entityFile('order', { displayField: 'number' }, [
    { key: 'number', type: 'string', required: true, unique: true, maxLength: 8 },
    { key: 'status', type: 'enum', values: ['open', 'done'] },
    { key: 'customer', type: 'manyToOne', entity: 'customer', required: true },
    { key: 'buyer', type: 'manyToOne', entity: 'user' },
    { key: 'notes', type: 'text' },
  ]),
}

/** The lines that check prints, and its exit code. */
const check = async (files: ProjectFiles, loadSeconds?: number) =>
  checkIn(await writeProject({ ...definitions, ...files }), loadSeconds)

/** On a busy machine a file may take longer to load than the limit allows by default. */
const checkIn = async (
  directory: string,
  loadSeconds = 60,
): Promise<{ code: number | null; lines: string[] }> => {
  // A database that does not exist is never contacted.
  const { code, out, err } = await callDocket(['check', '--project', directory], {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    FUNCTIONS_LOAD_TIMEOUT_SECONDS: String(loadSeconds),
  })
  assert.notEqual(out, '', `exit code ${code}: ${err}`)
  return { code, lines: out.trimEnd().split('\n') }
}

test('a way of signing in that lacks its provider is an error with its line, or of the setting', async () => {
  const directory = await writeProject({
    ...definitions,
    'docket.json': { signIn: { ways: ['password', 'code'] } },
  })
  const env = { PUBLIC_URL: 'https://docket.example.com' }
  const run = (settings: Record<string, string>) =>
    callDocket(['check', '--project', directory], { ...env, ...settings })
  const named = await run({})
  assert.equal(named.code, 3)
  assert.match(named.out, /^docket\.json:\d+:\d+ signIn\.ways "code" is sent by e-mail, and/)
  assert.match((await run({ SIGN_IN: 'code' })).out, /^SIGN_IN:1:1 "code" is sent/)
  assert.equal((await run({ SIGN_IN: 'password' })).code, 0)
})

/** What it prints of a project that has these files too, without the last line. */
const findingsOf = async (files: ProjectFiles, loadSeconds?: number): Promise<string[]> =>
  (await check(files, loadSeconds)).lines.slice(0, -1)

const document = (code: string, more: object) => ({
  code,
  name: code,
  entity_key: 'order',
  ...more,
})
const data = '#let data = json("data.json")\n'

test('templates that do not parse are errors with their line, whether or not a document names them', async () => {
  const found = await findingsOf({
    'printable-documents/parts/broken.typ': '= Hi\n\n#let x = (1, 2\n',
    'printable-documents/letter.typ': '#let letter(body) = [#body]\n',
  })
  assert.deepEqual(found, ['printable-documents/parts/broken.typ:3:10 unclosed delimiter'])
})

test('documents are rendered with sample data; an unknown field is an error', async () => {
  const found = await findingsOf({
    'printable-documents/right.typ': `${data}#data.record.number #data.record.customer.name #data.actor.full_name
#for order in data.record.customer.keys() [#order]`,
    'printable-documents/field.typ': `${data}#data.record.numbr`,
    'printable-documents/name.typ': `${data}#data.record.customer.name #unknwon`,
    'printable-documents/package.typ': '#import "@preview/cetz:0.1.0"',
    'printable-documents/sample.typ': `${data}#assert(data.record.number == "A-1")`,
    'seed/01-printable_document.json': [
      document('right', { template_file: 'right.typ' }),
      document('field', { template_file: 'field.typ' }),
      document('name', { template_file: 'name.typ' }),
      document('package', { template_file: 'package.typ' }),
      document('made-up', { template_file: 'sample.typ' }),
      document('source', { template_source: `${data}#data.record.customer.nmae` }),
    ],
  })
  assert.deepEqual(found, [
    'printable-documents/field.typ:2:14 dictionary does not contain key "numbr"; did you mean "number"?',
    'printable-documents/name.typ:2:29 unknown variable: unknwon',
    'printable-documents/package.typ:1:9 packages cannot be imported here: put the files into printable-documents/ and import them from there',
    'printable-documents/sample.typ:2:2 warning: assertion failed (with sample data; try a real record with docket document)',
    'seed/01-printable_document.json:1:469 [5].template_source 2:23 dictionary does not contain key "nmae"; did you mean "name"?',
  ])
})

test('a template that a role cannot print, because it reads less, is a warning at the line', async () => {
  const role = (key: string, customer: object) => ({
    [`roles/${key}.json`]: { key, permissions: { order: { read: true }, ...customer } },
  })
  const found = await findingsOf({
    ...role('clerk', { customer: { read: true } }),
    ...role('guest', {}),
    ...role('packer', { order: { read: 'own', hiddenFields: ['customer'] } }),
    ...role('seller', { order: { create: true }, customer: { read: true } }),
    'printable-documents/link.typ': `${data}#data.record.number\n#data.record.customer.name`,
    'printable-documents/careful.typ': `${data}#let customer = data.record.at("customer", default: none)
#if customer != none [#customer.name] #data.record.buyer.full_name #data.labels.order.number`,
    'seed/01-printable_document.json': [
      document('link', { template_file: 'link.typ' }),
      document('careful', { template_file: 'careful.typ' }),
    ],
  })
  const fails = (role: string) =>
    `fails for the role "${role}", which may not read all that it prints:`
  assert.deepEqual(found, [
    `printable-documents/link.typ:3:23 warning: ${fails('guest')} cannot access fields on type none; print it only if it is there`,
    `printable-documents/link.typ:3:14 warning: ${fails('packer')} dictionary does not contain key "customer"; print it only if it is there`,
  ])
})

test('a template that loses content of long texts is a warning at the field', async () => {
  const frames: Record<string, string> = {
    breaks: '#block(breakable: true)[#data.record.notes]',
    table: '#table(columns: (auto, 1fr), data.record.customer.name, data.record.notes)',
    short: '#block(breakable: false)[#data.record.number #data.record.customer.name]',
    whole: '#block(breakable: false)[\n*Notes* #data.record.notes]',
    fixed: '#block(height: 3cm)[#data.record.notes]',
    clipped: '#box(height: 2cm, clip: true, data.record.notes)',
    cell: '#table(columns: 1, table.cell(breakable: false, data.record.notes))',
    footer: '#set page(footer: data.record.notes)\nx',
  }
  const names = Object.keys(frames)
  const found = await findingsOf({
    ...Object.fromEntries(
      names.map((name) => [`printable-documents/${name}.typ`, `${data}${frames[name]}`]),
    ),
    'seed/01-printable_document.json': [
      ...names.map((name) => document(name, { template_file: `${name}.typ` })),
      document('source', { template_source: `${data}#place(top, data.record.notes)` }),
    ],
  })
  const loses =
    /^(\S+) warning: .*loses content: a long “order\.notes” ends outside of page \d+; let its block break/
  assert.deepEqual(
    found.map((line) => loses.exec(line)?.[1]?.replace('printable-documents/', '') ?? line).sort(),
    [
      ...['cell.typ:2:60', 'clipped.typ:2:42', 'fixed.typ:2:33', 'footer.typ:2:30'],
      ...['seed/01-printable_document.json:1:713', 'whole.typ:3:21'],
    ],
  )
})

test('seeds and the links between them are checked without a database', async () => {
  const found = await findingsOf({
    'roles/clerk.json': { key: 'clerk', permissions: {} },
    'seed/01-customer.json': '[{ "name": "A" },\n{ "name": "B", "nme": 1 }]',
    'seed/02-user.csv':
      'first_name,last_name,username,email,identity_provider_user_id,security_role.key\nA,B,a@example.com,a@example.com,a,clerk\nC,D,c@example.com,c@example.com,c,clark\n',
    'seed/03-order.csv':
      'number,status,customer.name,buyer.email\nO-1,open,A,a@example.com\nO-2,opne,A,admin@example.com\nO-345678901,open,A,\nO-1,open,Ax,\n,open,B,\n',
    'seed/04-oder.csv': 'number\n1\n',
    'seed/05-order.json': [{ number: 'O-9' }],
  })
  assert.deepEqual(found, [
    'seed/01-customer.json:2:16 [1].nme is not a field of customer; did you mean "name"?',
    'seed/02-user.csv:3:35 warning: security_role.key no seed before it has a security_role with the key "clark"; did you mean "clerk"?',
    'seed/03-order.csv:3:5 status must be one of "open", "done"; did you mean "open"?',
    'seed/03-order.csv:4:1 number has 11 characters, at most 8 are allowed',
    'seed/03-order.csv:5:1 number has the number of line 2',
    'seed/03-order.csv:5:10 warning: customer.name no seed before it has a customer with the name "Ax"; did you mean "A"?',
    'seed/03-order.csv:6:1 number is required and cannot be null',
    'seed/04-oder.csv:1:1 does not name an entity: there is no "oder"; did you mean "order"?',
    'seed/05-order.json:1:2 [0].customer_id is required',
  ])
})

test('seeds may change records that a start or another seed creates, also by keys of several fields', async () => {
  const found = await findingsOf({
    ...entityFile('rate', { indexes: [{ fields: ['customer', 'year'], unique: true }] }, [
      { key: 'customer', type: 'manyToOne', entity: 'customer' },
      { key: 'year', type: 'integer' },
      { key: 'amount', type: 'integer', required: true },
      { key: 'note', type: 'string' },
    ]),
    'seed/01-user.json': [
      { identity_provider_user_id: 'admin@example.com', job_title: 'Everything' },
      { identity_provider_user_id: 'nobody@example.com', job_title: 'Nothing' },
    ],
    'seed/02-customer.json': [{ name: 'A' }],
    'seed/03-rate.csv': 'customer.name,year,amount\nA,2026,1\n',
    'seed/04-rate.csv': 'customer.name,year,note\nA,2026,usual\nA,2027,new\n',
    'seed/05-rate.csv': 'customer_id,year,note\n1,2026,may be the same\n',
  })
  const lacks = (name: string) => `seed/01-user.json:1:77 [1].${name} is required`
  assert.deepEqual(found, [
    ...['first_name', 'last_name', 'full_name', 'username', 'email', 'security_role_id'].map(lacks),
    'seed/04-rate.csv:3:1 amount is required',
  ])
})

test('fifty errors of seeds are listed, also after any number of warnings, and the others counted', async () => {
  const rows = Array.from({ length: 80 }, (_, index) => ({ name: `C${index}`, size: 1 }))
  const found = await findingsOf({ 'seed/01-customer.json': rows })
  assert.equal(found.length, 51)
  assert.match(found.at(-1) ?? '', /and 30 more in the seeds$/)

  const header = 'number,customer.name\n'
  const lost = Array.from({ length: 60 }, (_, index) => `O-${index},Nobody\n`).join('')
  const { code, lines } = await check({
    'seed/01-order.csv': `${header}${lost}`,
    'seed/02-order.csv': `${header}O-345678901,Nobody\n`,
  })
  assert.equal(code, 3)
  assert.deepEqual(lines.slice(-3), [
    'seed/02-order.csv:2:1 number has 11 characters, at most 8 are allowed',
    'seed/02-order.csv:2:1 warning: and 12 more in the seeds',
    '1 error, 50 warnings.',
  ])
})

test('ignored files and missing schemas are warnings', async () => {
  const directory = await writeProject({
    ...definitions,
    'docket.json': { $schema: './schema/project.json', locale: 'de' },
    'entities/part.yaml': 'key: part\n',
    'entities/README.md': 'Notes.\n',
    'entities/more/part.json': {},
    'roles/clerk.yml': 'key: clerk\n',
    'roles/seller.json': { $schema: '../../schema/role.json', key: 'seller', permissions: {} },
    'roles/buyer.json': { $schema: 'https://example.com/role.json', key: 'buyer', permissions: {} },
  })
  const { code, lines } = await checkIn(directory)
  const message = 'is ignored: a definition is a JSON file in this folder, named <key>.json'
  assert.equal(code, 0)
  assert.deepEqual(lines, [
    `entities/more:1:1 warning: ${message}`,
    `entities/part.yaml:1:1 warning: ${message}`,
    `roles/clerk.yml:1:1 warning: ${message}`,
    `docket.json:1:2 warning: $schema there is no file "./schema/project.json"; "docket init ." in the project's folder writes schema/, and makes the files refer to it; the same in 1 other file`,
    'The project is valid: 11 entities, 2 roles, 4 warnings.',
  ])
  const { out } = await callDocket(['init', directory])
  assert.match(out, /schema was updated, and "\$schema" of 1 file leads there now/)
  const role = await readFile(join(directory, 'roles/seller.json'), 'utf8')
  assert.equal(JSON.parse(role).$schema, '../schema/role.json')
  assert.equal((await checkIn(directory)).lines.length, 4)
})

test('an invalid definition does not hide errors of code or templates', async () => {
  const found = await check({
    'entities/item.json': { key: 'item', fieldz: [] },
    'message-handlers/a.ts': 'export const timeout = 5\n',
    'printable-documents/a.typ': '#let x = (1',
  })
  assert.deepEqual(found, {
    code: 3,
    lines: [
      'entities/item.json:1:1 lacks the property "fields"',
      'entities/item.json:1:15 fieldz is not a known property; did you mean "fields"?',
      'message-handlers/a.ts:1:1 exports nothing as "exec" instead of a function',
      'printable-documents/a.typ:1:10 unclosed delimiter',
      '4 errors, 0 warnings.',
    ],
  })
})

test('the example has no findings', async () => {
  // In place, because its schemas are there.
  const directory = new URL('../../../example', import.meta.url).pathname
  const { code, out } = await callDocket(['check', '--project', directory])
  assert.equal(code, 0)
  assert.match(
    out,
    /^Language.*\n(\S+ +(\d+) of \2 +0\n)+The project is valid: \d+ entities, \d+ roles, 0 warnings\.\n$/,
  )
})

// The functions of a project are loaded: which cannot be, and where.

const exec = 'export const exec = () => ({ documents: [] })\n'

test('is finished also when a function has started a process that lives on for a while', async () => {
  const program = 'setTimeout(() => undefined, 1000)'
  const { code, lines } = await check({
    'document-functions/a.ts': [
      `import { spawn } from 'node:child_process'`,
      `spawn(process.execPath, ['-e', '${program}'], { stdio: ['ignore', 'ignore', 2] })`,
      'export const timeout = 5',
      '',
    ].join('\n'),
  })
  assert.match(lines[0] ?? '', /document-functions\/a\.ts:1:1/)
  assert.equal(code, 3)
})

test('functions that cannot be loaded are errors with their line', async () => {
  const found = await findingsOf({
    'document-functions/a.ts': 'export const timeout = 5\n\nexport const exec = (=> {}\n',
    'document-functions/b.mjs': 'export const timeout = 5\n\nconst = 3\n',
    'document-functions/c.ts': 'export const timeout = 5\n',
    'document-functions/d.ts': exec,
    'document-functions/e.cjs': 'exports.timeout = 5\nexports.exec = () => 1\nnotThere()\n',
    'document-functions/right.ts': `${exec}export const timeout = 60_000\n`,
    'message-handlers/f.ts': 'import { z } from "./nowhere.ts"\nexport const exec = () => z\n',
    'message-handlers/right.ts': exec,
  })
  assert.deepEqual(
    found.map((line) => line.replace(/ '\/.*nowhere/, ' nowhere').replace(/ imported from.*/, '')),
    [
      'document-functions/a.ts:3:22 could not be loaded: "Expression expected"',
      `document-functions/b.mjs:3:7 could not be loaded: "Unexpected token '='"`,
      'document-functions/c.ts:1:1 exports nothing as "exec" instead of a function',
      'document-functions/d.ts:1:1 exports nothing as "timeout" instead of milliseconds above 0, at most 3600000',
      'document-functions/e.cjs:3:1 could not be loaded: "notThere is not defined"',
      `message-handlers/f.ts:1:1 could not be loaded: "Cannot find module nowhere.ts'`,
    ],
  )
})

test('TypeScript that package.json declares CommonJS is an error that says what to write there', async () => {
  const [found = '', ...others] = await findingsOf({
    'document-functions/right.cjs': 'exports.timeout = 5\nexports.exec = () => 1\n',
    'message-handlers/a.ts': `// A comment.\n${exec}`,
    'package.json': '{ "name": "shop", "type": "commonjs" }',
  })
  assert.deepEqual(others, [])
  assert.match(
    found,
    /^message-handlers\/a\.ts:2:1 could not be loaded: "Unexpected token 'export'"; \/.*\/package\.json has "type": "commonjs": write "type": "module" there, or run "npm pkg set type=module"$/,
  )
})

test('a function that never finishes loading is an error, and so is one that ends its process', async () => {
  const killed = await findingsOf({
    'message-handlers/kill.ts': `process.kill(process.pid, 'SIGKILL')\n${exec}`,
  })
  assert.deepEqual(killed, ['message-handlers/kill.ts:1:1 ended its process (SIGKILL)'])
  const files = {
    'message-handlers/loop.ts': `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)\n${exec}`,
  }
  assert.deepEqual(await findingsOf(files, 1), [
    'message-handlers/loop.ts:1:1 did not load within 1000 ms',
  ])
})
