/** Times that move with the clock: how they are written, and what they are at a moment, in a zone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Clock,
  type FirstDayOfWeek,
  presentValue,
  readMovingTime,
} from '../../../src/definitions/values/rules/moving-times.ts'

const clockAt = (now: string, timeZone: string): Clock => ({
  now: Date.parse(now),
  toLocal: (moment) =>
    Temporal.Instant.from(moment)
      .toZonedDateTimeISO(timeZone)
      .toPlainDateTime()
      .toString({ smallestUnit: 'millisecond' }),
  fromLocal: (local) =>
    Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).toInstant().toString(),
})

const movingOf = (value: object) => {
  const read = readMovingTime({ ...value })
  assert.ok('moving' in read, JSON.stringify(read))
  return read.moving
}

test('a day or a moment has one form', () => {
  assert.deepEqual(movingOf({ $today: -30 }), { of: '$today', unit: 'day', amount: -30 })
  assert.deepEqual(movingOf({ $now: '-2 hours' }), { of: '$now', unit: 'hour', amount: -2 })
  assert.deepEqual(movingOf({ $now: '+1 minute' }), { of: '$now', unit: 'minute', amount: 1 })
  assert.deepEqual(movingOf({ $now: '3 years' }), { of: '$now', unit: 'year', amount: 3 })
  assert.deepEqual(movingOf({ $now: 0 }), { of: '$now', unit: 'minute', amount: 0 })
  assert.deepEqual(movingOf({ $startOf: 'week' }), { of: '$startOf', unit: 'week', amount: 0 })
  assert.deepEqual(movingOf({ $startOf: 'quarter', $offset: -1 }), {
    of: '$startOf',
    unit: 'quarter',
    amount: -1,
  })
})

const days = 'must have a whole number of days from -36525 to 36525, as { "$today": -30 }'
const period =
  'must begin with a period, as { "$startOf": "month" }; periods are week, month, quarter and year'
const now =
  'must have 0 or a number of minutes, hours, days, weeks, months and years, as { "$now": "-2 hours" }'
const wrong: readonly [value: object, issue: string][] = [
  [{ $today: '0' }, days],
  [{ $today: 0.5 }, days],
  [{ $today: 36_526 }, days],
  [{ $today: -1e300 }, days],
  [{ $today: null }, days],
  [{ $today: 0, $now: 0 }, 'must have "$today" and nothing else'],
  [{ $today: 0, $gt: 1 }, 'must have "$today" and nothing else'],
  [{ $now: '2 fortnights' }, now],
  [{ $now: '2 huors' }, `${now}; did you mean "hours"?`],
  [{ $now: '-2hours' }, now],
  [{ $now: 5 }, now],
  [{ $now: '' }, now],
  [{ $now: true }, now],
  [{ $now: ['1 day'] }, now],
  [{ $now: '999999999 days' }, 'must be within 36525 days of now'],
  [{ $now: '9999999999 days' }, now],
  [{ $now: '101 years' }, 'must be within 100 years of now'],
  [{ $startOf: 'mnoth' }, `${period}; did you mean "month"?`],
  [{ $startOf: 'day' }, period],
  [{ $startOf: 1 }, period],
  [
    { $startOf: 'month', $offset: '1' },
    'must have an "$offset" that is a whole number of periods from -1200 to 1200',
  ],
  [
    { $startOf: 'quarter', $offset: 401 },
    'must have an "$offset" that is a whole number of periods from -400 to 400',
  ],
  [
    { $startOf: 'month', $ofset: 1 },
    'must have "$startOf", perhaps "$offset", and nothing else; did you mean "$offset"?',
  ],
  [
    { $tody: 1 },
    'must be a value, or an object with "$today", "$now" or "$startOf"; did you mean "$today"?',
  ],
  [{}, 'must be a value, or an object with "$today", "$now" or "$startOf"'],
]
test('anything else is refused with what is allowed', () => {
  for (const [value, issue] of wrong)
    assert.deepEqual(readMovingTime({ ...value }), { issue }, JSON.stringify(value))
})

const auckland = 'Pacific/Auckland'
// A Friday, 23:30 in Auckland and noon in Berlin.
const friday = '2026-11-27T10:30:00.000Z'
type Row = readonly [
  value: object,
  at: string,
  zone: string,
  day: string,
  moment: string,
  week?: FirstDayOfWeek,
]
const rows: readonly Row[] = [
  [{ $today: 0 }, friday, auckland, '2026-11-27', '2026-11-26T11:00:00Z'],
  [{ $today: 1 }, '2026-11-27T11:00:00Z', auckland, '2026-11-29', '2026-11-28T11:00:00Z'],
  [{ $today: -27 }, friday, 'Europe/Berlin', '2026-10-31', '2026-10-30T23:00:00Z'],
  [{ $now: 0 }, friday, auckland, '2026-11-27', '2026-11-27T10:30:00.000Z'],
  [{ $now: '30 minutes' }, friday, auckland, '2026-11-28', '2026-11-27T11:00:00.000Z'],
  // A day of the calendar is 25 hours where clocks are set back, and an hour always one.
  [
    { $now: '1 day' },
    '2026-10-24T10:00:00Z',
    'Europe/Berlin',
    '2026-10-25',
    '2026-10-25T11:00:00Z',
  ],
  [
    { $now: '24 hours' },
    '2026-10-24T10:00:00Z',
    'Europe/Berlin',
    '2026-10-25',
    '2026-10-25T10:00:00.000Z',
  ],
  [{ $now: '1 month' }, '2027-01-31T12:00:00Z', 'UTC', '2027-02-28', '2027-02-28T12:00:00Z'],
  [{ $now: '-1 year' }, '2028-02-29T12:00:00Z', 'UTC', '2027-02-28', '2027-02-28T12:00:00Z'],
  [{ $startOf: 'week' }, friday, 'UTC', '2026-11-23', '2026-11-23T00:00:00Z'],
  [{ $startOf: 'week' }, friday, 'UTC', '2026-11-22', '2026-11-22T00:00:00Z', 'sunday'],
  [{ $startOf: 'week' }, friday, 'UTC', '2026-11-21', '2026-11-21T00:00:00Z', 'saturday'],
  [
    { $startOf: 'week' },
    '2026-11-22T12:00:00Z',
    'UTC',
    '2026-11-22',
    '2026-11-22T00:00:00Z',
    'sunday',
  ],
  [{ $startOf: 'week' }, '2026-11-22T12:00:00Z', 'UTC', '2026-11-16', '2026-11-16T00:00:00Z'],
  [{ $startOf: 'week', $offset: 1 }, friday, 'UTC', '2026-11-30', '2026-11-30T00:00:00Z'],
  [{ $startOf: 'month' }, friday, auckland, '2026-11-01', '2026-10-31T11:00:00Z'],
  [{ $startOf: 'month', $offset: -1 }, friday, auckland, '2026-10-01', '2026-09-30T11:00:00Z'],
  [{ $startOf: 'quarter' }, friday, 'UTC', '2026-10-01', '2026-10-01T00:00:00Z'],
  [{ $startOf: 'quarter', $offset: -4 }, friday, 'UTC', '2025-10-01', '2025-10-01T00:00:00Z'],
  [{ $startOf: 'year', $offset: 100 }, friday, 'UTC', '2126-01-01', '2126-01-01T00:00:00Z'],
  // Midnight does not exist where clocks are set forward at that time, and comes twice where they are set back to it.
  [{ $today: 0 }, '2024-09-08T12:00:00Z', 'America/Santiago', '2024-09-08', '2024-09-08T04:00:00Z'],
  [{ $today: 0 }, '2026-11-01T12:00:00Z', 'America/Havana', '2026-11-01', '2026-11-01T04:00:00Z'],
]
test('it is the day, or the moment with which that day begins, of a clock in a zone', () => {
  for (const [value, at, zone, day, moment, week] of rows) {
    const found = (as: 'date' | 'timestamp') =>
      presentValue(movingOf(value), as, clockAt(at, zone), week)
    assert.deepEqual(
      [found('date'), found('timestamp')],
      [day, moment],
      `${JSON.stringify(value)} ${zone}`,
    )
  }
})
