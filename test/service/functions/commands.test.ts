/** `docket document` and `docket function` as the authors of templates and functions use them, and what docs/functions.md says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { checkFunctions } from '../../../src/functions/load-functions.ts'
import { nativeFunctions } from '../../../src/functions/native-functions.ts'
import { openSeededExample } from '../../support/a-seeded-example.ts'
import { opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { readPdf } from '../../support/documents/read-pdf.ts'
import { createFunctions, subject } from '../../support/functions/some-functions.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const page = readFileSync(new URL('../../../docs/functions.md', import.meta.url), 'utf8')
const files = Object.fromEntries(
  [...page.matchAll(/<!-- project (\S+) -->\n```ts\n([\s\S]*?)```/g)].map(
    ([, path = '', text = '']) => [path, text],
  ),
)

const added: Readonly<Record<string, string>> = {
  'printable-documents/wrong.typ': '#import "part.typ": sum\n#sum("a")\n',
  'printable-documents/part.typ': '// Sums.\n#let sum(x) = {\n\tx + 1\n}\n',
  'document-functions/several.mjs': `export const timeout = 5000
export const exec = ({ actor }) => {
  console.log('by', actor.email, Object.keys(process.env).sort().join())
  const document = { filename: 'a.txt', mimetype: 'text/plain', data: Buffer.from('abc') }
  return { documents: [document, document, { ...document, filename: 'none', data: Buffer.alloc(0) }] }
}`,
  'document-functions/none.mjs':
    'export const timeout = 5000; export const exec = () => ({ documents: [] })',
  'document-functions/throws.ts':
    "export const timeout: number = 5000\nexport const exec = () => {\n  throw new Error('no lines')\n}",
}
const documents = [
  { code: 'wrong', template_file: 'wrong.typ' },
  { code: 'thai', template_source: 'ไทย' },
  { code: 'source', template_source: 'Order' },
  { code: 'lost', template_file: 'purchase-odrer.typ' },
]

let example: string
let environment: Record<string, string>
const seeded = opened(() => openSeededExample())
before(async () => {
  example = seeded.directory
  environment = { ...seeded.environment, SECRET: 'x' }
  await writeFiles(example, { ...added, ...files })
  for (const { code, template_file = null, template_source = null } of documents)
    await seeded.database.pool.query(
      `INSERT INTO records.printable_document (code, name, entity_key, template_file, template_source)
       VALUES ($1, $1, 'purchase_order', $2, $3)`,
      [code, template_file, template_source],
    )
})

const writeFiles = async (directory: string, texts: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), text)
  }
}

describe('docket document', () => {
  const out = () => join(example, 'out.pdf')
  const run = (code: string, args: readonly string[] = ['--id', '1', '--out', out()]) =>
    callDocket(['document', code, ...args], environment)

  test('the order of the example is printed to a file, and the result is one line', async () => {
    const { code, out: shown, err } = await run('purchase-order')
    assert.equal(code, 0, err)
    assert.match(shown, /^\S+\/out\.pdf: 1 page, \d+ bytes, \d+ ms\n$/)
    const bytes = await readFile(out())
    assert.ok(shown.includes(`${bytes.byteLength} bytes`))
    const { pages, title, conformance } = await readPdf(bytes)
    assert.deepEqual([title, conformance], ['Purchase order PO-2024-00001', '2B'])
    assert.match(pages.join(), /Total without VAT/)
    assert.equal(err, '')
  })

  test('without --out the file has the name of the record, in the current folder', async () => {
    const folder = temporaryFolder()
    const before = process.cwd()
    process.chdir(folder)
    const {
      code,
      out: shown,
      err,
    } = await run('thai', ['--id', '1']).finally(() => process.chdir(before))
    assert.equal(code, 0, err)
    assert.match(shown, /^thai-PO-2024-00001\.pdf: 1 page, /)
    assert.deepEqual(await readdir(folder), ['thai-PO-2024-00001.pdf'])
    assert.equal(
      err,
      'template_source: warning: no font of the document has Thai (ไ, ท, ย): boxes are printed instead, so it is plain PDF, not PDF/A; put a font that has them (.ttf, .otf) into printable-documents/\n',
    )
  })

  test('an issue is shown with its line and a caret, and no file is written', async () => {
    const file = join(example, 'none.pdf')
    const outcome = await run('wrong', ['--id', '1', '--out', file])
    const shown =
      'part.typ:3:2: error: cannot add string and integer\n  3 | \tx + 1\n    | \t^^^^^\n'
    assert.deepEqual(outcome, { code: 1, out: '', err: shown })
    assert.ok(!(await readdir(example)).some((name) => name.startsWith('none')))
  })

  for (const [exit, code, args, message] of [
    [1, 'purchase-ordre', ['--id', '1'], /"purchase-ordre"; did you mean "purchase-order"\?\n$/],
    [1, 'purchase-order', ['--id', '999999'], /^There is no purchase_order 999999 /],
    [1, 'lost', ['--id', '1'], /\/purchase-odrer\.typ; did you mean "purchase-order\.typ"\?\n$/],
    [1, 'source', ['--id', '1', '--out', '/no/a.pdf'], /^\/no\/a\.pdf cannot be written: ENOENT/],
    [2, 'purchase-order', [], /^--id is required\.\n$/],
  ] as const)
    test(`${code} ${args.join(' ')} ends with ${exit} and a reason`, async () => {
      const outcome = await run(code, args)
      assert.deepEqual([outcome.code, outcome.out], [exit, ''])
      assert.match(outcome.err, message)
    })
})

describe('docket function', () => {
  const run = (name: string) => {
    const record = ['--entity', 'purchase_order', '--id', '1']
    return callDocket(['function', name, ...record, '--out', join(example, 'out')], environment)
  }

  test('the function of the example writes the lines of an order, and prints a table of its files', async () => {
    const { code, out, err } = await run('order-lines-csv')
    assert.equal(code, 0, err)
    const path = join(example, 'out', 'PO-2024-00001-lines.csv')
    const text = await readFile(path, 'utf8')
    const [header, line = '', end] = text.split('\r\n')
    assert.match(header ?? '', /^Line,SKU,Product,/)
    assert.doesNotMatch(header ?? '', /Cost/, 'some recipients may not see costs')
    assert.match(line, /^PO-2024-00001-1,CHE-0010,/)
    assert.equal(end, '')
    const bytes = Buffer.byteLength(text)
    assert.equal(
      out,
      `File${' '.repeat(path.length - 4)}  Type      Bytes\n${path}  text/csv  ${bytes}\n`,
    )
    assert.match(err, new RegExp(`PO-2024-00001: ${bytes} bytes of lines`))
  })

  test('two documents of one name become two files, and the output of the function is printed next to the result', async () => {
    const { code, out, err } = await run('several')
    assert.equal(code, 0, err)
    assert.deepEqual(
      (await readdir(join(example, 'out'))).filter((name) => !name.startsWith('PO')),
      ['a-2.txt', 'a.txt', 'none'],
    )
    assert.match(err, /by admin@example\.com NODE_ENV,TZ/)
    assert.doesNotMatch(out, /admin@example/)
  })

  test('a built-in function runs as well, and making no documents is not an error', async () => {
    assert.match(
      (await run('native/record-json')).out,
      /purchase_order-1\.json +application\/json +\d+/,
    )
    const { code, out } = await run('none')
    assert.equal(code, 0)
    assert.equal(out, 'The function returned no documents.\n')
  })

  test('a function that throws ends with 1, the message and the place in the function', async () => {
    const { code, out, err } = await run('throws')
    assert.equal(code, 1)
    assert.equal(out, '')
    assert.match(err, /The document function "throws" threw "no lines"\./)
    assert.match(err, /throws\.ts:3:9/)
    assert.doesNotMatch(err, /src\/cli/)
  })

  for (const [exit, name, entity, id, pattern] of [
    [1, 'order-lines-cvs', 'purchase_order', '1', /did you mean "order-lines-csv"\?/],
    [1, '../secret', 'purchase_order', '1', /"\.\.\/secret" is not a function of the project/],
    [1, 'none', 'purchase_odrer', '1', /did you mean "purchase_order"\?/],
    [2, 'none', 'purchase_order', '1; DROP', /--id must be the number of a record/],
    [2, 'none', undefined, '1', /--entity is required/],
  ] as const)
    test(`${name} of ${entity} ${id} ends with ${exit} and a reason`, async () => {
      const args = ['function', name, ...(entity ? ['--entity', entity] : []), '--id', id]
      const { code, err } = await callDocket(args, environment)
      assert.equal(code, exit)
      assert.match(err, pattern)
    })
})

describe('docs/functions.md', () => {
  test('contains one function of each kind', () => {
    assert.deepEqual(Object.keys(files), [
      'document-functions/order-summary.ts',
      'message-handlers/notify_warehouse.ts',
    ])
  })

  test('has a command that runs its function on the example', async () => {
    const [command = ''] = /^docket function .+$/m.exec(page) ?? []
    const out = join(example, 'documents')
    const args = [...command.split(' ').slice(1), '--out', out]
    const { code, err } = await callDocket(args, environment)
    assert.equal(code, 0, err)
    assert.match(err, /PO-2024-00001 has 1 lines/)
    assert.equal(
      await readFile(join(out, 'PO-2024-00001.txt'), 'utf8'),
      '70.000 × Synthetic enamel, semi-gloss, RAL 9005\n',
    )
    assert.match(await readFile(join(out, 'PO-2024-00001.csv'), 'utf8'), /^"ID",Number,.*\r\n1,PO-/)
  })

  test('has a message handler that runs', async () => {
    const functions = await createFunctions(files)
    await functions.handleMessage('notify_warehouse', subject)
    assert.deepEqual(
      functions.logged.map(({ text }) => text),
      ['Anna Kovač did a change on order 7'],
    )
    await functions.remove()
  })

  test('has a definition that is valid with its functions, and only with them', async () => {
    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const fields = [{ key: 'number', type: 'string' }]
    const order = { key: 'order', fields, ...JSON.parse(json) }
    const findings = async (more: Readonly<Record<string, string>>) => {
      const loaded = await loadProject(
        await writeProject({ 'docket.json': {}, 'entities/order.json': order, ...more }),
      )
      assert.ok(loaded.project, JSON.stringify(loaded.findings))
      return (await checkFunctions(loaded.project)).map(({ path }) => path)
    }
    assert.deepEqual(await findings({}), [
      'hooks[0].functionName',
      'notifications[0].attachments.documentFunctions[0]',
    ])
    assert.deepEqual(await findings(files), [])
  })

  test('lists every operation of a record that a message handler receives', async () => {
    const fields = [{ key: 'name', type: 'string', personal: true }]
    const hooks = [{ type: 'message', hookType: 'AfterChange', functionName: 'tell' }]
    const steps = [{ key: 'a', actions: [{ key: 'go', kind: 'proceedToStep', to: 'a' }] }]
    const workflow = { initialStep: 'a', steps }
    const entity = { key: 'thing', ownership: true, fields, hooks, workflow }
    const service = await startTestService({ 'entities/thing.json': JSON.stringify(entity) })
    try {
      for (const [method, path, body] of [
        ['POST', '/thing', { name: 'a' }],
        ['PATCH', '/thing/1', { name: 'b' }],
        ['POST', '/thing/1/takeOwnership', undefined],
        ['POST', '/thing/1/proceedToStep', { action: 'go' }],
        ['DELETE', '/thing/1', undefined],
        ['POST', '/thing/1/restore', undefined],
        ['POST', '/thing/1/anonymise', undefined],
      ] as const) {
        if (path.endsWith('Ownership'))
          await service.database.pool.query('UPDATE records.thing SET _owned_by = NULL')
        const reply = await service.ask(method, path, body && { body })
        assert.ok(reply.status < 300, `${method} ${path} ${reply.text}`)
      }
      const { rows } = await service.database.pool.query<{ operation: string }>(
        `SELECT j.payload ->> 'operation' AS operation FROM docket.job j
         WHERE j.kind = 'message.handle' ORDER BY j.id`,
      )
      const [, row = ''] = /^\| `operation` \| (.*?);/m.exec(page) ?? []
      const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name)
      assert.deepEqual(named.sort(), rows.map(({ operation }) => operation).sort())
    } finally {
      await service.stop()
    }
  })

  test('lists every built-in function', () => {
    const [, list = ''] = page.split('## Built in')
    assert.deepEqual(
      [...list.matchAll(/^\| `(native\/[^`]+)`/gm)].map(([, name]) => name),
      [...nativeFunctions.keys()],
    )
  })
})
