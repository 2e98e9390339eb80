/** What an export holds: the rows of the interface's "Export settings" and of the decisions on export. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { insertUser } from '../../src/users/user-store.ts'
import { exportProject } from '../support/a-column-project.ts'
import { createAs } from '../support/a-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { readStrictCsv } from '../support/strict-csv.ts'

let service: TestService
const reader = 'reader@example.com'
before(async () => {
  service = await startTestService(await writeProject(exportProject))
  const names = { first_name: 'R', last_name: 'R', full_name: 'R R' }
  await insertUser(service.database.pool, {
    ...names,
    identity_provider_user_id: 'r',
    email: reader,
    role_key: 'reader',
  })
  const continent = await createAs(service, 'continent', { name: 'Europe' })
  const country = await createAs(service, 'country', {
    name: 'Österreich',
    continent_id: continent.id,
  })
  await createAs(service, 'customer', { name: 'A, "B"', country_id: country.id })
  await createAs(service, 'customer', { name: 'No country' })
})
after(() => service.stop())

const identity = { 'Accept-Encoding': 'identity' }
const exported = async (path: string, body: unknown = {}, as?: string) => {
  const reply = await service.ask('POST', path, { body, headers: identity, ...(as && { as }) })
  assert.equal(reply.status, 200, reply.text)
  return { reply, rows: readStrictCsv(reply.text).map((row) => row.map(({ text }) => text)) }
}

test('useFieldKeyAsHeader true: the header is the field as written; a path of depth 2 gives its value', async () => {
  const { rows } = await exported('/customer/export')
  assert.deepEqual(rows, [
    ['name', 'country.continent.name'],
    ['A, "B"', 'Europe'],
    ['No country', ''],
  ])
})

test('useFieldKeyAsHeader false: headerName, else the field; a path that ends on the association gives its id', async () => {
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

test('without configuration: id, the declared fields with many-to-one as _id, the other system fields; header without rows too', async () => {
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
  test(`the text ${JSON.stringify(note)} ${isGuarded ? 'gets' : 'gets no'} apostrophe, and none with escapeFormulas false`, async () => {
    const { id } = await createAs(service, 'invoice', { number: 'F', note })
    const { rows } = await exported('/invoice/export', { $where: { id }, $select: ['note'] })
    assert.equal(rows[1]?.[0], isGuarded ? `'${note}` : note)
    const plain = await createAs(service, 'plain', { note })
    assert.equal((await exported('/plain/export', { $where: { id: plain.id } })).rows[1]?.[0], note)
  })

test('pages never overlap and cover all under an order with ties; no limit means all', async () => {
  for (let index = 0; index < 7; index++)
    await createAs(service, 'continent', { name: index % 2 ? 'x' : 'y' })
  const ids = async (query: string) =>
    (await exported(`/continent/export${query}`, { $orderBy: ['name'], $select: ['id'] })).rows
      .slice(1)
      .map(([id]) => id)
  const pages = [
    ...(await ids('?limit=3&page=1')),
    ...(await ids('?limit=3&page=2')),
    ...(await ids('?limit=3&page=3')),
  ]
  assert.deepEqual(pages, await ids(''))
  assert.deepEqual(await ids('?limit=3&page=4'), [])
})

for (const query of [
  'page=2',
  'limit=0',
  'limit=-1',
  'limit=abc',
  'limit=1.5',
  'limit=1&page=0',
  'format=pdf',
  'bom=1',
  'colour=red',
])
  test(`an export with ?${query} is a 400`, async () => {
    assert.equal((await service.ask('POST', `/plain/export?${query}`)).status, 400)
  })

test('the byte order mark stands once, at the beginning, and only when asked for', async () => {
  const response = await fetch(`${service.url}/plain/export?bom=true`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await service.tokenOf()}`, ...identity },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.deepEqual([bytes.indexOf('\uFEFF'), bytes.lastIndexOf('\uFEFF')], [0, 0])
})

test('Accept chooses the format; what is none is a 406', async () => {
  const type = async (Accept: string) => {
    const reply = await service.ask('POST', '/customer/export', { headers: { Accept } })
    return [reply.status, reply.headers.get('content-type')?.split(';')[0]]
  }
  assert.deepEqual(await type('*/*'), [200, 'text/csv'])
  assert.deepEqual(await type('application/x-ndjson'), [200, 'application/x-ndjson'])
  assert.deepEqual(await type('text/html;q=0.9, application/json;q=0.8'), [200, 'application/json'])
  assert.deepEqual(await type('image/png'), [406, 'application/problem+json'])
})

test('gzip and zstd hold the same bytes as none', async () => {
  const bytes = async (encoding: string) => {
    const response = await rawPost('/customer/export', { 'Accept-Encoding': encoding })
    assert.equal(
      response.headers['content-encoding'],
      encoding === 'identity' ? undefined : encoding,
    )
    return response.body
  }
  const plain = await bytes('identity')
  assert.deepEqual(gunzipSync(await bytes('gzip')), plain)
  assert.deepEqual(zstdDecompressSync(await bytes('zstd')), plain)
})

test('columns that the role may not read are left out and counted; its scope bounds the records', async () => {
  const { rows, reply } = await exported('/labelled/export', {}, reader)
  assert.equal(reply.headers.get('x-omitted-columns'), '3')
  assert.deepEqual(rows[0], ['Link', '_updated_at', 'ID'])
  const mine = await createAs(service, 'customer', { name: 'Mine' }, reader)
  assert.deepEqual((await exported('/customer/export', { $select: ['id'] }, reader)).rows, [
    ['id'],
    [String(mine.id)],
  ])
  assert.equal((await service.ask('POST', '/plain/export', { as: reader })).status, 403)
})

test('removed records are left out unless asked for', async () => {
  const { id } = await createAs(service, 'continent', { name: 'Gone' })
  await service.ask('DELETE', `/continent/${id}`)
  const count = async (where: object) =>
    (await exported('/continent/export', { $where: where })).rows.length - 1
  assert.deepEqual([await count({ id }), await count({ id, _is_deleted: true })], [0, 1])
})

const rawPost = async (path: string, headers: Record<string, string>) => {
  const { request } = await import('node:http')
  const { buffer } = await import('node:stream/consumers')
  const token = await service.tokenOf()
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      request(
        `${service.url}${path}`,
        { method: 'POST', headers: { Authorization: `Bearer ${token}`, ...headers } },
        (response) => {
          buffer(response).then((body) => resolve({ headers: response.headers, body }), reject)
        },
      ).end()
    },
  )
}
