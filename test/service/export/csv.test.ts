/** The CSV format, byte for byte. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { SqlValue } from '../../../src/definitions/values/check-value.ts'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareExports()
})
beforeEach(() => emptyTables(service, 'item'))

/** The bytes after the header for one record with one value. */
const printed = async (name: string, value: SqlValue): Promise<string> => {
  await insertRecords(service, 'item', [{ [name]: value }])
  const { text } = await exportOf(service, '/item/export', { body: { $select: [name] } })
  return text.slice(text.indexOf('\r\n') + 2)
}

const forms: readonly [fact: string, name: string, value: SqlValue, text: string][] = [
  ['null is an empty field', 'code', null, '\r\n'],
  ['the empty string is a quoted empty field', 'code', '', '""\r\n'],
  ['text is written unchanged', 'code', 'plain text', 'plain text\r\n'],
  ['spaces at both ends are part of the field', 'code', '  a  ', '  a  \r\n'],
  ['quotes are doubled', 'code', 'a "b" c', '"a ""b"" c"\r\n'],
  ['only quotes', 'code', '"""', '""""""""\r\n'],
  ['text with a comma is quoted', 'code', 'a,b', '"a,b"\r\n'],
  ['a line feed inside quotes stays a line feed', 'note', 'a\nb', '"a\nb"\r\n'],
  ['a carriage return inside quotes stays a carriage return', 'note', 'a\rb', '"a\rb"\r\n'],
  ['CRLF inside quotes stays CRLF', 'note', 'a\r\nb', '"a\r\nb"\r\n'],
  ['a line feed at the end stays', 'note', 'a\n', '"a\n"\r\n'],
  ['a semicolon and a tab inside need no quotes', 'code', 'a;b\tc', 'a;b\tc\r\n'],
  ['text is UTF-8', 'code', 'Žižek 🦊 عربي', 'Žižek 🦊 عربي\r\n'],
  ['booleans are true or false: true', 'is_new', true, 'true\r\n'],
  ['booleans are true or false: false', 'is_new', false, 'false\r\n'],
  ['no boolean', 'is_new', null, '\r\n'],
  ['integers', 'count', -2147483648, '-2147483648\r\n'],
  ['bigint beyond the safe range', 'serial', '-9223372036854775808', '-9223372036854775808\r\n'],
  ['decimals are exact: zeros fill the scale', 'price', '0.1', '0.10\r\n'],
  [
    'decimals are exact: 30 digits',
    'price',
    '1234567890123456789012345678.91',
    '1234567890123456789012345678.91\r\n',
  ],
  ['decimals are exact: without a scale as written', 'rate', '1.500', '1.500\r\n'],
  [
    'decimals are exact: no exponent',
    'rate',
    '0.00000000000000000001',
    '0.00000000000000000001\r\n',
  ],
  ['a day', 'day', '2026-02-28', '2026-02-28\r\n'],
  ['an early date', 'day', '0001-01-01', '0001-01-01\r\n'],
  [
    'times are ISO 8601 in UTC with milliseconds',
    'moment',
    '2026-05-04 10:30:00.5+02',
    '2026-05-04T08:30:00.500Z\r\n',
  ],
  ['a time without a fraction', 'moment', '2026-05-04T08:30:00Z', '2026-05-04T08:30:00.000Z\r\n'],
  [
    'the last millisecond of a year',
    'moment',
    '2026-12-31T23:59:59.999Z',
    '2026-12-31T23:59:59.999Z\r\n',
  ],
  ['an early time', 'moment', '0001-01-01T00:00:00.001Z', '0001-01-01T00:00:00.001Z\r\n'],
  ['json is compact', 'extra', '{"b":1,"a":[1,"x"]}', '"{""b"":1,""a"":[1,""x""]}"\r\n'],
  ['json null differs from an absent value', 'extra', 'null', 'null\r\n'],
  ['json text', 'extra', '"a"', '"""a"""\r\n'],
]

for (const [fact, name, value, text] of forms)
  test(`${fact}: ${JSON.stringify(value)}`, async () => {
    assert.equal(await printed(name, value), text)
  })

test('json written over HTTP is exported compact, with its keys and digits as they were sent', async () => {
  const reply = await service.ask('POST', '/item', {
    body: '{ "extra": { "b" : [ 1.50, "x" ],\n "a" : null } }',
  })
  assert.equal(reply.status, 201)
  const { text } = await exportOf(service, '/item/export', { body: { $select: ['extra'] } })
  assert.equal(text, 'extra\r\n"{""b"":[1.5,""x""],""a"":null}"\r\n')
})

test('a header row is always written, also without rows', async () => {
  const { text } = await exportOf(service, '/item/export', { body: { $select: ['id', 'code'] } })
  assert.equal(text, 'id,code\r\n')
})

test('a header is quoted like any field', async () => {
  await emptyTables(service, 'odd_header')
  assert.equal((await exportOf(service, '/odd_header/export')).text, '"a,""b""\r\nc",""\r\n')
})

test('?bom=true writes one byte order mark at the very beginning; without it there is none', async () => {
  await insertRecords(service, 'item', [{ code: 'a' }, { code: 'b' }])
  const body = { $select: ['code'] }
  const marked = await exportOf(service, '/item/export?bom=true', { body })
  assert.deepEqual(marked.bytes, Buffer.from('\uFEFFcode\r\na\r\nb\r\n'))
  for (const query of ['', '?bom=false']) {
    const { bytes } = await exportOf(service, `/item/export${query}`, { body })
    assert.deepEqual(bytes, Buffer.from('code\r\na\r\nb\r\n'))
  }
  await emptyTables(service, 'item')
  const empty = await exportOf(service, '/item/export?bom=true', { body })
  assert.deepEqual(empty.bytes, Buffer.from('\uFEFFcode\r\n'))
})

test('bom changes no other format', async () => {
  for (const format of ['ndjson', 'json'])
    assert.deepEqual(
      (await exportOf(service, `/item/export?bom=true&format=${format}`)).bytes,
      (await exportOf(service, `/item/export?format=${format}`)).bytes,
    )
})
