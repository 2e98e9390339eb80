/** `docket document` as the author of a template uses it. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSeededExample, type SeededExample } from '../../support/a-seeded-example.ts'
import { callDocket } from '../../support/call-docket.ts'
import { readPdf } from '../../support/documents/read-pdf.ts'

const documents = [
  { code: 'wrong', template_file: 'wrong.typ' },
  { code: 'doubtful', template_file: 'doubtful.typ' },
  { code: 'thai', template_source: 'ไทย' },
  { code: 'source', template_source: 'Order\n\t#nothing' },
  { code: 'source-2', template_source: 'Order' },
  { code: 'lost', template_file: 'purchase-odrer.typ' },
]

let seeded: SeededExample
let example: string
before(async () => {
  seeded = await openSeededExample()
  example = seeded.directory
  const folder = join(example, 'printable-documents')
  await writeFile(join(folder, 'wrong.typ'), '#import "part.typ": sum\n#sum("a")\n')
  await writeFile(join(folder, 'part.typ'), '// Sums.\n#let sum(x) = {\n\tx + 1\n}\n')
  await writeFile(join(folder, 'doubtful.typ'), 'Order\n#set text(font: "Nope")\nOrder')
  for (const { code, template_file = null, template_source = null } of documents)
    await seeded.database.pool.query(
      `INSERT INTO records.printable_document (code, name, entity_key, template_file, template_source)
       VALUES ($1, $1, 'purchase_order', $2, $3)`,
      [code, template_file, template_source],
    )
})
after(() => seeded.remove())

const out = () => join(example, 'out.pdf')
const run = (code: string, args: readonly string[] = ['--id', '1', '--out', out()]) =>
  callDocket(['document', code, ...args], seeded.environment)

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

test('a list over many pages of the example repeats its header and numbers its pages', async () => {
  const { rows } = await seeded.database.pool.query(
    'SELECT supplier_id AS id FROM records.purchase_order GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
  )
  const args = ['--id', String(rows[0].id), '--out', out()]
  const { code, out: shown } = await run('supplier-orders', args)
  assert.equal(code, 0)
  const { pages } = await readPdf(await readFile(out()))
  assert.ok(shown.includes(`: ${pages.length} pages,`), shown)
  assert.ok(pages.length > 1)
  for (const [index, page] of pages.entries()) {
    assert.match(page, /Order\s+Date\s+Title\s+Step\s+Total\s+EUR/)
    assert.match(page, new RegExp(`Page ${index + 1} of ${pages.length}`))
  }
})

test('without --out the file has the name of the record, in the current folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-out-'))
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
  await rm(folder, { recursive: true })
})

for (const [code, shown] of [
  ['wrong', 'part.typ:3:2: error: cannot add string and integer\n  3 | \tx + 1\n    | \t^^^^^\n'],
  [
    'source',
    'template_source:2:3: error: unknown variable: nothing\n  2 | \t#nothing\n    | \t ^^^^^^^\n',
  ],
] as const)
  test(`the issue of "${code}" is shown with its line and a caret, and no file is written`, async () => {
    const file = join(example, 'none.pdf')
    const outcome = await run(code, ['--id', '1', '--out', file])
    assert.deepEqual(outcome, { code: 1, out: '', err: shown })
    assert.deepEqual(
      (await readdir(example)).filter((name) => name.startsWith('none')),
      [],
    )
  })

test('a warning is shown beside the result', async () => {
  const { code, out: shown, err } = await run('doubtful')
  assert.equal(code, 0)
  assert.match(shown, /: 1 page, /)
  assert.match(err, /^doubtful\.typ:2:17: warning: unknown font family: nope\n/)
  assert.ok(err.includes('  2 | #set text(font: "Nope")\n    |                 ^^^^^^\n'), err)
})

const ofRecord = (id: string) => ['--id', id]
for (const [exit, code, args, message] of [
  [1, 'purchase-ordre', ofRecord('1'), /"purchase-ordre"; did you mean "purchase-order"\?\n$/],
  [1, 'zzz', ofRecord('1'), /"zzz"; those are: doubtful, lost, purchase-order, source, /],
  [1, 'purchase-order', ofRecord('999999'), /^There is no purchase_order 999999 /],
  [1, 'lost', ofRecord('1'), /\/purchase-odrer\.typ; did you mean "purchase-order\.typ"\?\n$/],
  [
    1,
    'source-2',
    [...ofRecord('1'), '--out', '/no/a.pdf'],
    /^\/no\/a\.pdf cannot be written: ENOENT/,
  ],
  [2, 'purchase-order', [], /^--id is required\.\n$/],
  [
    2,
    'purchase-order',
    ofRecord('1;DROP'),
    /^--id must be the number of a record; it is "1;DROP"\.\n$/,
  ],
] as const)
  test(`docket document ${code} ${args.join(' ')} ends with ${exit} and a reason`, async () => {
    const outcome = await run(code, args)
    assert.deepEqual([outcome.code, outcome.out], [exit, ''])
    assert.match(outcome.err, message)
  })
