/** The content of an export: columns, headers and exact values. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportRows, startExports } from '../../support/a-column-project.ts'
import { createAs } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { readStrictCsv } from '../../support/strict-csv.ts'

let service: TestService
before(async () => {
  service = await startExports()
})
after(() => service.stop())

const exported = (path: string, body?: unknown, as?: string) => exportRows(service, path, body, as)

test('useFieldKeyAsHeader true: the header is the field as written; a path of depth 2 returns its value', async () => {
  const { rows } = await exported('/customer/export')
  assert.deepEqual(rows, [
    ['name', 'country.continent.name'],
    ['A, "B"', 'Europe'],
    ['No country', ''],
  ])
})

test('useFieldKeyAsHeader false: the header is headerName, else the field; a path that ends on the association returns its id', async () => {
  const { id, _updated_at } = await createAs(service, 'labelled', { customer_id: 1, note: 'x' })
  const { rows, reply } = await exported('/labelled/export')
  assert.deepEqual(rows, [
    ['\'=Label, "quoted"', 'Link', 'Land', 'Who', '_updated_at', 'ID'],
    ['x', '1', 'Österreich', 'admin@example.com', _updated_at, String(id)],
  ])
  assert.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.match(
    reply.headers.get('content-disposition') ?? '',
    /^attachment; filename="labelled-\d{4}-\d\d-\d\d\.csv"$/,
  )
})

test('without configuration: id, the declared fields with many-to-one as _id, the other system fields; with a header even without rows', async () => {
  const header = [
    'id',
    'number',
    'customer_id',
    'total',
    'is_paid',
    'due',
    'sent_at',
    'serial',
    'extra',
    'note',
    '_is_deleted',
    '_created_by',
    '_updated_by',
    '_created_at',
    '_updated_at',
  ]
  assert.deepEqual((await exported('/invoice/export')).rows, [header])
})

test('null is empty, the empty string is "", booleans, times, decimals and json are exact', async () => {
  const extra = { a: [1, { b: 'x, y' }] }
  const values = {
    number: 'N',
    total: '-12345678901234567890.1200',
    is_paid: true,
    due: '0001-01-01',
    sent_at: '9999-12-31T23:59:59.999Z',
    serial: '-9223372036854775808',
    extra,
    note: '',
  }
  const { id } = await createAs(service, 'invoice', values)
  const { reply } = await exported('/invoice/export', {
    $where: { id },
    $select: ['customer', 'total', 'is_paid', 'due', 'sent_at', 'serial', 'extra', 'note'],
  })
  const [, row = []] = readStrictCsv(reply.text)
  assert.deepEqual(
    row.map(({ text }) => text),
    [
      '',
      '-12345678901234567890.1200',
      'true',
      '0001-01-01',
      '9999-12-31T23:59:59.999Z',
      '-9223372036854775808',
      '{"a":[1,{"b":"x, y"}]}',
      '',
    ],
  )
  assert.deepEqual([row[0]?.isQuoted, row[7]?.isQuoted], [false, true])
  assert.match(reply.text, /^customer,/)
  for (const format of ['ndjson', 'json']) {
    const { reply: other } = {
      reply: await service.ask('POST', `/invoice/export?format=${format}`, {
        body: {
          $where: { id },
          $select: ['total', 'is_paid', 'sent_at', 'serial', 'extra', 'customer', 'note'],
        },
      }),
    }
    const record = format === 'json' ? other.json()[0] : other.json()
    assert.deepEqual(record, {
      total: values.total,
      is_paid: true,
      sent_at: values.sent_at,
      serial: values.serial,
      extra,
      customer: null,
      note: '',
    })
  }
})

const hostile = [
  '"',
  '""',
  ',',
  '\r',
  '\n',
  '\r\n',
  'a\r\nb,"c"\n',
  '\\.',
  '\\',
  "'",
  ' lead',
  'trail ',
  '😀👩‍👩‍👧',
  'مرحبا, "world"',
  'e\u0301',
  '<&>]]>_x000D_',
  '\t',
  'é'.repeat(100_000),
  'NULL',
  '%s',
  '{"a":1}',
  '\u2028',
]

test('hostile text is exact in csv, ndjson and json', async () => {
  const ids: number[] = []
  for (const note of hostile) ids.push((await createAs(service, 'plain', { note })).id)
  const body = { $where: { id: { $in: ids } } }
  const { rows } = await exported('/plain/export', body)
  assert.deepEqual(
    rows.slice(1).map(([note]) => note),
    hostile,
  )
  const lines = (await service.ask('POST', '/plain/export?format=ndjson', { body })).text
    .trimEnd()
    .split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).note),
    hostile,
  )
  const list = (await service.ask('POST', '/plain/export?format=json', { body })).json()
  assert.deepEqual(
    list.map(({ note }: { note: string }) => note),
    hostile,
  )
})

const formulas: readonly [string, boolean][] = [
  ['=1+1', true],
  ['@SUM(A1)', true],
  ['\t=1', true],
  ['\r=1', true],
  ['+SUM(A1)', true],
  ["-2+3+cmd|' /C calc'!A0", true],
  ['- deliver to gate 3', true],
  ['-', true],
  ['-12.5', false],
  ['+3', false],
  ['-1,234.50', false],
  ['+49 30 1234-5', false],
  ['+385 (82) 560', false],
  ['a=1', false],
  [' =1', false],
  ['A', false],
  ['1', false],
  ['"=1"', false],
]
for (const [note, isGuarded] of formulas)
  test(`the text ${JSON.stringify(note)} gets ${isGuarded ? 'an' : 'no'} apostrophe, and none with escapeFormulas false`, async () => {
    const { id } = await createAs(service, 'invoice', { number: 'F', note })
    const { rows } = await exported('/invoice/export', { $where: { id }, $select: ['note'] })
    assert.equal(rows[1]?.[0], isGuarded ? `'${note}` : note)
    const plain = await createAs(service, 'plain', { note })
    assert.equal((await exported('/plain/export', { $where: { id: plain.id } })).rows[1]?.[0], note)
  })
