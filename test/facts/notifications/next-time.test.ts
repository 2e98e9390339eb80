/** When e-mails go that wait: by the clock of the recipient's zone, also where it is set forward or back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTime } from '../../../src/outbox/preferences/next-time.ts'

type Asked = Parameters<typeof nextTime>[1]

const zagreb = {
  timeZone: 'Europe/Zagreb',
  dailyAt: '08:00',
  quietHours: undefined,
  isUrgent: false,
}
const night = { from: '22:00', to: '07:00' }

const rows: readonly [
  what: string,
  asked: Partial<Asked>,
  now: string,
  expected: string | undefined,
][] = [
  ['immediately', {}, '2026-05-04T08:30:00.000Z', undefined],
  ['hourly', { pace: 'hourly' }, '2026-05-04T08:30:00.123Z', '2026-05-04T09:00:00.000Z'],
  [
    'hourly at the hour',
    { pace: 'hourly' },
    '2026-05-04T09:00:00.000Z',
    '2026-05-04T10:00:00.000Z',
  ],
  [
    'hourly of a zone of half an hour',
    { pace: 'hourly', timeZone: 'Asia/Kolkata' },
    '2026-05-04T08:45:00.000Z',
    '2026-05-04T09:30:00.000Z',
  ],
  ['daily', { pace: 'daily' }, '2026-05-04T05:59:59.999Z', '2026-05-04T06:00:00.000Z'],
  ['daily at the time', { pace: 'daily' }, '2026-05-04T06:00:00.000Z', '2026-05-05T06:00:00.000Z'],
  [
    'daily on the day of another zone',
    { pace: 'daily', timeZone: 'Pacific/Auckland' },
    '2026-05-04T21:00:00.000Z',
    '2026-05-05T20:00:00.000Z',
  ],
  [
    'a time that is skipped',
    { pace: 'daily', dailyAt: '02:30' },
    '2026-03-28T12:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
  ],
  [
    'a time that is twice',
    { pace: 'daily', dailyAt: '02:30' },
    '2026-10-24T12:00:00.000Z',
    '2026-10-25T00:30:00.000Z',
  ],
  [
    'a time that was once of two',
    { pace: 'daily', dailyAt: '02:30' },
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ],
  [
    'a day that is skipped',
    { pace: 'daily', timeZone: 'Pacific/Apia' },
    '2011-12-29T20:00:00.000Z',
    '2011-12-30T10:00:00.000Z',
  ],
  ['quiet hours', { quietHours: night }, '2026-05-04T20:00:00.000Z', '2026-05-05T05:00:00.000Z'],
  [
    'quiet hours after midnight',
    { quietHours: night },
    '2026-05-04T04:59:00.000Z',
    '2026-05-04T05:00:00.000Z',
  ],
  ['quiet hours that ended', { quietHours: night }, '2026-05-04T05:00:00.000Z', undefined],
  [
    'quiet hours of one day, from their beginning on',
    { quietHours: { from: '12:00', to: '13:00' } },
    '2026-05-04T10:00:00.000Z',
    '2026-05-04T11:00:00.000Z',
  ],
  [
    'quiet hours of one day that ended',
    { quietHours: { from: '12:00', to: '13:00' } },
    '2026-05-04T11:00:00.000Z',
    undefined,
  ],
  [
    'urgent in quiet hours',
    { quietHours: night, isUrgent: true },
    '2026-05-04T20:00:00.000Z',
    undefined,
  ],
  [
    'hourly into quiet hours',
    { pace: 'hourly', quietHours: night },
    '2026-05-04T19:30:00.000Z',
    '2026-05-05T05:00:00.000Z',
  ],
  [
    'daily in quiet hours',
    { pace: 'daily', dailyAt: '06:00', quietHours: night },
    '2026-05-04T10:00:00.000Z',
    '2026-05-05T05:00:00.000Z',
  ],
]

test('the next time is that of the choice, and after the quiet hours', () => {
  for (const [what, asked, now, expected] of rows) {
    const time = nextTime(Date.parse(now), { pace: 'immediately', ...zagreb, ...asked })
    assert.equal(time && new Date(time).toISOString(), expected, what)
  }
})
