/** "Today" lasts from midnight to midnight in the time zone, also when the clocks change. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOf } from '../../../src/tasks/own-endpoints.ts'

const days: readonly [moment: string, zone: string, start: string, end: string][] = [
  // Zagreb moves its clocks forward at 2:00 and back at 3:00.
  ['2026-03-28T22:59:59Z', 'Europe/Zagreb', '2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z'],
  ['2026-03-28T23:00:00Z', 'Europe/Zagreb', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['2026-03-29T21:59:59Z', 'Europe/Zagreb', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['2026-10-25T22:59:59Z', 'Europe/Zagreb', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['2026-10-25T23:00:00Z', 'Europe/Zagreb', '2026-10-25T23:00:00Z', '2026-10-26T23:00:00Z'],
  // Cairo moves its clocks forward at midnight: 24 April begins at 1:00.
  ['2026-04-23T21:59:59Z', 'Africa/Cairo', '2026-04-22T22:00:00Z', '2026-04-23T22:00:00Z'],
  ['2026-04-23T22:00:00Z', 'Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  // The same instant belongs to two different dates.
  ['2026-06-15T10:30:00Z', 'Pacific/Kiritimati', '2026-06-15T10:00:00Z', '2026-06-16T10:00:00Z'],
  ['2026-06-15T10:30:00Z', 'Pacific/Pago_Pago', '2026-06-14T11:00:00Z', '2026-06-15T11:00:00Z'],
  // Lord Howe moves its clocks forward by half an hour.
  ['2026-10-03T14:00:00Z', 'Australia/Lord_Howe', '2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z'],
]

for (const [moment, zone, start, end] of days)
  test(`at ${moment} the current day in ${zone} begins at ${start} and ends at ${end}`, () => {
    assert.deepEqual(dayOf(Temporal.Instant.from(moment), zone), { start, end })
  })
