/** Values of the types date and timestamp; times without an offset are in the zone Europe/Zagreb. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTimestamp } from '../../../src/definitions/values/timestamps.ts'
import { checkAs, malformed, refused } from './a-field.ts'

const notDay = (shown: string) => malformed(`must be an existing day as YYYY-MM-DD, not ${shown}`)
const notTime = (shown: string) =>
  malformed(`must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not ${shown}`)

test('a date is an existing day of the years 1 to 9999', () => {
  for (const day of ['2026-05-04', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])
    assert.deepEqual(checkAs('date', day), { value: day })
  for (const text of [
    ...['2026-02-30', '2025-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10'],
    ...['2026-01-00', '0000-01-01', '10000-01-01', '+010000-01-01', '-000001-01-01', '2026-5-4'],
    ...['20260504', '04.05.2026', '2026-05-04T00:00:00Z', '2026-05-04\n', '２０２６-05-04'],
    ...['today', 'infinity', ''],
  ])
    assert.deepEqual(checkAs('date', text), notDay(JSON.stringify(text)))
})

const moments: readonly [text: string, moment: string][] = [
  ['2026-05-04 10:30:00', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T10:30:00', '2026-05-04T08:30:00.000Z'],
  ['2026-01-04 10:30:00.5', '2026-01-04T09:30:00.500Z'],
  ['2026-05-04T08:30:00Z', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04t08:30:00z', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T08:30Z', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T08:30:00.123Z', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T10:30:00+02:00', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T10:30:00+0200', '2026-05-04T08:30:00.000Z'],
  ['2026-05-04T00:15:00+14:00', '2026-05-03T10:15:00.000Z'],
  ['2026-05-04T08:30:00-00:00', '2026-05-04T08:30:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  // The ends of the form are those of UTC, whatever the zone.
  ['9999-12-31T23:59:59-03:30', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00+01:00', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01 00:00:00', '0001-01-01T00:00:00.000Z'],
  // What programs print by themselves is finer than milliseconds, which are stored: the rest is cut.
  ['2026-05-04T08:30:00.123456+00:00', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T08:30:00.1239999Z', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T10:30:00.123456789+02:00', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04 10:30:00.999999', '2026-05-04T08:30:00.999Z'],
  ['2026-05-04 08:30:00.123456+00', '2026-05-04T08:30:00.123Z'],
  ['2026-05-04T08:30:00.12345678901234567890Z', '2026-05-04T08:30:00.123Z'],
  // This hour occurs twice when summer time ends; the first one is used.
  ['2026-10-25 02:30:00', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25 03:00:00', '2026-10-25T02:00:00.000Z'],
  ['2026-03-29 01:59:59', '2026-03-29T00:59:59.000Z'],
  ['2026-03-29 03:00:00', '2026-03-29T01:00:00.000Z'],
]
test('a time is read with its offset, or in the zone, and cut to milliseconds', () => {
  for (const [text, value] of moments) assert.deepEqual(checkAs('timestamp', text), { value }, text)
})

test('what is no existing time is refused', () => {
  for (const text of [
    ...['2026-02-30 10:00:00', '2026-02-30T10:00:00Z', '2025-02-29T00:00:00Z'],
    ...['2026-13-01 00:00:00', '04.05.2026 10:00:00', 'infinity', 'now', ''],
    // This hour does not exist: summer time begins at two.
    '2026-03-29 02:30:00',
    ...['2026-06-30T23:59:60Z', '2026-06-30 23:59:60', '2026-05-04 24:00:00'],
    ...['2026-05-04 10:60:00', '2026-05-04T10:30:00+24:00', '2026-05-04T10:30:00+02:60'],
    ...['0000-12-31 23:59:59', '0000-12-31T23:59:59-01:00', '10000-01-01T00:00:00Z'],
    ...['2026-05-04 10:30', '2026-05-04', '2026-05-04 10:30:00 CET', '2026-05-04 10:30:00\n'],
    '2026-05-04T10:30:00Z[Europe/Zagreb]',
  ])
    assert.deepEqual(checkAs('timestamp', text), notTime(JSON.stringify(text)))
  for (const [value, kind] of [
    [1777883400000, 'a number'],
    [null, 'null'],
    [{}, 'an object'],
  ] as const) {
    assert.deepEqual(checkAs('date', value), notDay(kind))
    assert.deepEqual(checkAs('timestamp', value), notTime(kind))
  }
})

test('a message shows an invalid value shortened to forty characters', () => {
  const long = 'x'.repeat(100)
  assert.deepEqual(checkAs('date', long), notDay(`"${'x'.repeat(39)}…"`))
})

test('a time without an offset is read in the given zone and must exist there', () => {
  const text = '2011-12-30 12:00:00'
  assert.equal(parseTimestamp(text, 'UTC'), '2011-12-30T12:00:00.000Z')
  assert.equal(parseTimestamp(text, '+02:00'), '2011-12-30T10:00:00.000Z')
  assert.equal(parseTimestamp(text, 'Asia/Kathmandu'), '2011-12-30T06:15:00.000Z')
  // Samoa crossed the date line, so this day did not exist there.
  assert.equal(parseTimestamp(text, 'Pacific/Apia'), undefined)
})

test('minimum and maximum of a date are inclusive', () => {
  const days = { min: '2026-01-01', max: '2026-12-31' }
  assert.deepEqual(checkAs('date', '2026-01-01', days), { value: '2026-01-01' })
  assert.deepEqual(checkAs('date', '2026-12-31', days), { value: '2026-12-31' })
  assert.deepEqual(checkAs('date', '2025-12-31', days), refused('must be at least 2026-01-01'))
  assert.deepEqual(checkAs('date', '2027-01-01', days), refused('must be at most 2026-12-31'))
})

test('minimum and maximum of a time are read in the same zone as the time', () => {
  const range = { min: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' }
  const at = (text: string) => checkAs('timestamp', text, range)
  assert.deepEqual(at('2026-05-04T08:00:00Z'), { value: '2026-05-04T08:00:00.000Z' })
  assert.deepEqual(at('2026-05-04 11:00:00'), { value: '2026-05-04T09:00:00.000Z' })
  assert.deepEqual(at('2026-05-04T07:59:59Z'), refused('must be at least 2026-05-04T08:00:00.000Z'))
  assert.deepEqual(at('2026-05-04 11:00:01'), refused('must be at most 2026-05-04T09:00:00.000Z'))
})
