/** `docket function` as the author of a function uses it. */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSeededExample, type SeededExample } from '../../support/a-seeded-example.ts'
import { callDocket } from '../../support/call-docket.ts'

let seeded: SeededExample
let example: string
let environment: Record<string, string>

before(async () => {
  seeded = await openSeededExample()
  example = seeded.directory
  environment = { ...seeded.environment, SECRET: 'x' }
  const files = {
    'several.mjs': `export const timeout = 5000
export const exec = ({ actor }) => {
  console.log('by', actor.email, Object.keys(process.env).sort().join())
  const document = { filename: 'a.txt', mimetype: 'text/plain', data: Buffer.from('abc') }
  return { documents: [document, document, { ...document, filename: 'none', data: Buffer.alloc(0) }] }
}`,
    'none.mjs': 'export const timeout = 5000; export const exec = () => ({ documents: [] })',
    'throws.ts':
      "export const timeout: number = 5000\nexport const exec = () => {\n  throw new Error('no lines')\n}",
  }
  for (const [name, text] of Object.entries(files))
    await writeFile(join(example, 'document-functions', name), text)
})
after(() => seeded.remove())

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

test('two documents of one name become two files, and the output of the function is printed beside the result', async () => {
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
  [1, 'none', 'purchase_order', '999999', /There is no purchase_order 999999/],
  [2, 'none', 'purchase_order', '1; DROP', /--id must be the number of a record/],
  [2, 'none', undefined, '1', /--entity is required/],
] as const)
  test(`docket function ${name} of ${entity} ${id} ends with ${exit} and a reason`, async () => {
    const args = ['function', name, ...(entity ? ['--entity', entity] : []), '--id', id]
    const { code, err } = await callDocket(args, environment)
    assert.equal(code, exit)
    assert.match(err, pattern)
  })

test('check rejects an attachment without a function', async () => {
  const file = join(example, 'entities', 'purchase_order.json')
  const text = await readFile(file, 'utf8')
  await writeFile(
    file,
    text.replace(
      '"recipient": { "userGroups": ["purchasing"]',
      '"attachments": { "documentFunctions": ["order-line-csv", "native/record-json"] }, $&',
    ),
  )
  const { code, out } = await callDocket(['check'], environment)
  await writeFile(file, text)
  assert.equal(code, 3)
  assert.match(
    out,
    /^entities\/purchase_order\.json:\d+:\d+ notifications\[0\]\.attachments\.documentFunctions\[0\] there is no file document-functions\/order-line-csv\.ts .*did you mean "order-lines-csv"\?$/m,
  )
})
