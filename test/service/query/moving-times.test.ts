/** Days and moments of the clock in PostgreSQL: they are those of the calendar in a zone, also where clocks are changed, and a day is all of its moments. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { dayOfMoment, movingSql, spanOfDay } from '../../../src/database/moving-times.ts'
import { bound, join, type Sql, sql, timestamp, toStatement } from '../../../src/database/sql.ts'
import {
  type Calendar,
  type Clock,
  type MovingTime,
  presentValue,
  readMovingTime,
} from '../../../src/definitions/values/rules/moving-times.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createItems, idsOf, idsWithLiterals, insert } from './items.ts'

let database: TestDatabase
before(async () => {
  database = await createItems()
})
after(() => database.drop())

const read = async (expressions: readonly Sql[]): Promise<readonly string[]> => {
  const list = join(
    expressions.map((one) => sql`to_json(${one}) #>> '{}'`),
    ', ',
  )
  const { rows } = await database.pool.query(
    toStatement(sql`SELECT to_json(ARRAY[${list}])::text AS found`),
  )
  return JSON.parse((rows[0] as { found: string }).found)
}

const msOf = (moment: string) => Temporal.Instant.from(moment).epochMilliseconds

const zones = [
  'UTC',
  'Pacific/Auckland',
  'Europe/Berlin',
  'America/Havana',
  'America/Santiago',
  'Asia/Kolkata',
]
const starts = ['week', 'month', 'quarter', 'year']
const moving = fc
  .oneof(
    fc.record({ $today: fc.integer({ min: -400, max: 400 }) }),
    fc.record({ $startOf: fc.constantFrom(...starts), $offset: fc.integer({ min: -8, max: 8 }) }),
    fc
      .tuple(fc.integer({ min: -40, max: 40 }), fc.constantFrom('minutes', 'hours'))
      .map(([amount, unit]) => ({ $now: `${amount} ${unit}` })),
    // At noon, which comes once on every day.
    fc
      .tuple(fc.integer({ min: -40, max: 40 }), fc.constantFrom('days', 'weeks', 'months', 'years'))
      .map(([amount, unit]) => ({ $now: `${amount} ${unit}` })),
  )
  .map((value) => {
    const found = readMovingTime(value)
    assert.ok('moving' in found)
    return found.moving
  })

const clockOf = (now: string, timeZone: string): Clock => ({
  now: msOf(now),
  toLocal: (moment) =>
    Temporal.Instant.from(moment)
      .toZonedDateTimeISO(timeZone)
      .toPlainDateTime()
      .toString({ smallestUnit: 'millisecond' }),
  fromLocal: (local) =>
    Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).toInstant().toString(),
})

const sqlOf = (time: MovingTime, calendar: Calendar, clock: Sql) => {
  const found = movingSql(time, calendar, clock)
  return 'day' in found
    ? [found.day, spanOfDay(found.day, calendar).from]
    : [dayOfMoment(found.moment, calendar), found.moment]
}

test('PostgreSQL finds the same day and moment as the service and the console', async () => {
  const at = fc
    .tuple(fc.constantFrom(...zones), fc.integer({ min: 0, max: 1500 }))
    .map(([timeZone, days]) => ({
      timeZone,
      now: Temporal.PlainDateTime.from('2023-01-01T12:00')
        .add({ days })
        .toZonedDateTime(timeZone)
        .toInstant()
        .toString(),
    }))
  const firstDay = fc.constantFrom('monday', 'saturday', 'sunday', undefined)
  await fc.assert(
    fc.asyncProperty(moving, at, firstDay, async (time, { timeZone, now }, firstDayOfWeek) => {
      const [day = '', moment = ''] = await read(
        sqlOf(time, { timeZone, firstDayOfWeek }, timestamp(now)),
      )
      const clock = clockOf(now, timeZone)
      const expected = (as: 'date' | 'timestamp') => presentValue(time, as, clock, firstDayOfWeek)
      assert.deepEqual([day, msOf(moment)], [expected('date'), msOf(expected('timestamp'))])
    }),
    { numRuns: 300 },
  )
})

test('each day begins where the one before it ends, with its first moment in the zone', async () => {
  const days = Array.from({ length: 800 }, (_, at) =>
    Temporal.PlainDate.from('2023-12-31').add({ days: at }),
  )
  for (const timeZone of zones) {
    const spans = days.map((day) => spanOfDay(bound(day.toString(), 'date'), { timeZone }))
    const found = await read(spans.flatMap(({ from, until }) => [from, until]))
    const expected = days.flatMap((day) =>
      [day, day.add({ days: 1 })].map((one) => one.toZonedDateTime(timeZone).epochMilliseconds),
    )
    assert.deepEqual(found.map(msOf), expected, timeZone)
  }
})

test('a moment compared with a day is compared with all of the day in the zone', async () => {
  // The day on which Zagreb sets its clocks back: it has 25 hours.
  await insert(database, 'item', [
    { code: 'a', at: '2026-10-24T21:59:59.999Z' },
    { code: 'b', at: '2026-10-24T22:00:00.000Z' },
    { code: 'c', at: '2026-10-25T22:59:59.999Z' },
    { code: 'd', at: '2026-10-25T23:00:00.000Z' },
    { code: 'e', at: null },
  ])
  const day = '2026-10-25'
  const rows: readonly [where: object, ids: number[]][] = [
    [{ at: day }, [2, 3]],
    [{ at: { $ne: day } }, [1, 4, 5]],
    [{ at: { $gt: day } }, [4]],
    [{ at: { $gte: day } }, [2, 3, 4]],
    [{ at: { $lt: day } }, [1]],
    [{ at: { $lte: day } }, [1, 2, 3]],
    [{ at: [day, null, '2026-10-24T21:59:59.999Z'] }, [1, 2, 3, 5]],
    [{ at: { $nin: [day, null] } }, [1, 4]],
    [{ $not: { at: { $lte: day } } }, [4, 5]],
    [{ at: { $gt: '2026-10-25 00:00:00' } }, [3, 4]],
    [{ at: { $gte: '0001-01-01', $lte: '9999-12-31' } }, [1, 2, 3, 4]],
  ]
  for (const [where, ids] of rows) {
    const body = { $where: { ...where } }
    assert.deepEqual(await idsOf(database, body), ids, JSON.stringify(where))
    assert.deepEqual(await idsWithLiterals(database, body), ids, JSON.stringify(where))
  }
})

test('the furthest times that move are in the calendar of PostgreSQL', async () => {
  const furthest = [
    ...[36_525, -36_525].map(($today) => ({ $today })),
    ...['minute', 'hour', 'day', 'week', 'month', 'year'].flatMap((unit) =>
      [1, -1].map((sign) => ({
        $now: `${sign * { minute: 52_596_000, hour: 876_600, day: 36_525, week: 5_217, month: 1_200, year: 100 }[unit as 'day']} ${unit}s`,
      })),
    ),
    { $startOf: 'quarter', $offset: -400 },
  ]
  for (const value of furthest)
    for (const field of ['day', 'at'])
      for (const select of [idsOf, idsWithLiterals])
        assert.deepEqual(
          await select(database, { $where: { [field]: { $eq: value } } }),
          [],
          JSON.stringify(value),
        )
})
