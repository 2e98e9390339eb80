/**
 * Rules of dates against a small model: random changes of dates, conditions and removals, clocks that jump, outages and two processes at
 * once; every date of a record is told of once, at its time.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sweepDates } from '../../../src/notify/due-dates.ts'
import type { Observation } from '../../../src/observations.ts'
import { holdJobs, shareEngine } from './an-engine.ts'

const engine = await shareEngine('dated')
const { ids, database, project } = engine
const { pool } = database
const timeZone = 'Europe/Zagreb'
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const observations: Observation[] = []
const deps = {
  pool,
  catalog: project.catalog,
  timeZone,
  observe: (one: Observation) => observations.push(one),
}
const sweep = (now: number) => sweepDates(deps, new Date(now))
const skippedRecords = () =>
  observations.flatMap((one) => (one.kind === 'datesSkipped' ? [one.records] : []))

/** Lets the rules begin at a time of the test. */
const begin = (now: number) =>
  pool.query('UPDATE docket.date_schedule SET begins_at = $1, swept_to = $1', [new Date(now)])

before(async () => {
  const { rows } = await pool.query('SELECT FROM docket.date_schedule')
  assert.equal(rows.length, 4)
})

type Values = {
  readonly needed_by: string | null
  readonly meeting_at: string | null
  readonly topic: string
  readonly isRemoved: boolean
}
type Rule = {
  readonly title: string
  readonly field: 'needed_by' | 'meeting_at'
  readonly late: number
  /** When it is due. */
  readonly due: (value: string) => number
}

/** The first moment at which a clock in the zone shows this time or a later one of the day, minute by minute. */
const shows = (date: Temporal.PlainDate, time: string): number => {
  const wall = `${date}T${time}`
  const known = shown.get(wall)
  if (known !== undefined) return known
  const midnight = Date.parse(`${date}T00:00:00Z`)
  for (let ms = midnight - 3 * hour; ; ms += minute) {
    const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)
    if (zoned.toPlainDateTime().toString({ smallestUnit: 'minute' }) < wall) continue
    shown.set(wall, ms)
    return ms
  }
}
const shown = new Map<string, number>()
const dateOf = (value: string) => Temporal.PlainDate.from(value)
const localDay = (value: string) =>
  Temporal.Instant.from(value).toZonedDateTimeISO(timeZone).toPlainDate()

const rules: readonly Rule[] = [
  {
    title: 'A',
    field: 'needed_by',
    late: 30 * day,
    due: (value) => shows(dateOf(value).subtract({ days: 30 }), '08:00'),
  },
  {
    title: 'B',
    field: 'needed_by',
    late: 7 * day,
    due: (value) => shows(dateOf(value).add({ months: 1 }), '02:30'),
  },
  {
    title: 'C',
    field: 'meeting_at',
    late: 7 * day,
    due: (value) => Date.parse(value) - 90 * minute,
  },
  {
    title: 'D',
    field: 'meeting_at',
    late: 7 * day,
    due: (value) => shows(localDay(value).subtract({ weeks: 2 }), '23:45'),
  },
]

/** What the rules tell, as a person would work it out. */
const createModel = (begins: number) => {
  const swept = new Map(rules.map(({ title }) => [title, begins]))
  const told = new Set<string>()
  const notices: string[] = []
  let skipped = 0
  const sweepAt = (now: number, records: ReadonlyMap<number, Values>) => {
    for (const { title, field, late, due } of rules) {
      const after = Math.max(begins, Math.min(swept.get(title) ?? 0, now) - 5 * minute)
      for (const [id, values] of records) {
        const value = values[field]
        if (value === null || values.isRemoved || told.has(`${title} ${id} ${value}`)) continue
        const moment = due(value)
        if (moment <= after || moment > now) continue
        if (moment <= now - late) skipped++
        else {
          told.add(`${title} ${id} ${value}`)
          if (values.topic === 'on') notices.push(`${title} ${id}`)
        }
      }
      swept.set(title, now)
    }
  }
  return { sweepAt, notices: () => notices.toSorted(), skipped: () => skipped }
}

/** Numbers that only seem random, the same in every run. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const write = (id: number, { needed_by, meeting_at, topic, isRemoved }: Values) =>
  pool.query(
    'UPDATE records.dated SET needed_by = $2, meeting_at = $3, topic = $4, _is_deleted = $5 WHERE id = $1',
    [id, needed_by, meeting_at, topic, isRemoved],
  )

const noticesOf = async (recordIds: readonly number[]): Promise<string[]> => {
  await engine.settled()
  const { rows } = await pool.query<{ notice: string }>(
    `SELECT (n.content::json->>'title') || ' ' || n.entity_id AS notice
     FROM docket.notification n WHERE n.entity_key = 'dated' AND n.entity_id = ANY ($1)`,
    [recordIds],
  )
  return rows.map(({ notice }) => notice).toSorted()
}

const noValues: Values = { needed_by: null, meeting_at: null, topic: 'on', isRemoved: false }
const createRecords = async (count: number): Promise<readonly number[]> => {
  const created: number[] = []
  for (let n = 0; n < count; n++) created.push(await engine.create({ approver_id: ids.anna }))
  return created
}

test('every date is told of once, at its time, whatever happens to records, clocks and processes', async () => {
  const random = randomOf(20_261_128)
  // Days before clocks are changed in autumn, and again five months later.
  const begins = Date.parse('2026-10-20T10:00:00Z')
  let now = begins
  await begin(begins)
  const model = createModel(begins)
  const recordIds = await createRecords(12)
  const records = new Map(recordIds.map((id) => [id, noValues]))
  const change = async () => {
    const id = recordIds[random(recordIds.length)] ?? 0
    const old = records.get(id) ?? noValues
    const near = now + random(100 * 24) * hour - 35 * day
    const values: Values = {
      needed_by: random(2) ? isoDay(near) : old.needed_by,
      meeting_at: random(2)
        ? new Date(now + random(20 * 24 * 60) * minute).toISOString()
        : old.meeting_at,
      topic: random(4) ? 'on' : 'off',
      isRemoved: random(6) === 0,
    }
    records.set(id, values)
    await write(id, values)
  }
  for (let step = 0; step < 60; step++) {
    for (let changes = random(8); changes > 0; changes--) await change()
    // A minute, hours, a day or two, an outage of weeks, or a clock that is set back.
    const jump = [
      minute,
      random(9) * hour,
      random(48) * hour,
      (8 + random(15)) * day,
      -random(6) * hour,
    ]
    now += step % 10 === 9 ? (jump[3 + random(2)] ?? 0) : (jump[random(3)] ?? 0)
    // Of two processes at once one does it, and another one that starts does it again.
    await Promise.all([sweep(now), sweep(now)])
    if (step % 5 === 0) await sweep(now)
    model.sweepAt(now, records)
    assert.deepEqual(await noticesOf(recordIds), model.notices(), `step ${step}`)
  }
  assert.ok(model.notices().length > 20, String(model.notices().length))
  assert.ok(model.skipped() > 0)
  assert.ok(skippedRecords().length > 0)
})

test('a time that comes twice is its first one, one that never comes the next that does, and a day that a month lacks its last one', async () => {
  const [id = 0] = await createRecords(1)
  const dueAt = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toString()
  for (const [needed_by, due] of [
    ['2026-09-25', '2026-10-25T00:30:00Z'],
    ['2027-02-28', '2027-03-28T01:00:00Z'],
    ['2027-10-31', '2027-11-30T01:30:00Z'],
    ['2028-01-31', '2028-02-29T01:30:00Z'],
  ] as const) {
    const moment = Date.parse(due)
    await begin(moment - 20 * minute)
    await write(id, { ...noValues, needed_by })
    const before = (await noticesOf([id])).length
    await sweep(moment - minute)
    assert.equal((await noticesOf([id])).length, before, dueAt(moment))
    await sweep(moment)
    assert.equal((await noticesOf([id])).length, before + 1, dueAt(moment))
  }
})

test('a date that is moved, a record that is removed and a condition that ends before the job runs are not told of', async () => {
  const now = Date.parse('2028-05-10T10:00:00Z')
  await begin(now - hour)
  const recordIds = await createRecords(4)
  const meeting_at = new Date(now + 80 * minute).toISOString()
  for (const id of recordIds) await write(id, { ...noValues, meeting_at })
  const release = await holdJobs(engine)
  await sweep(now)
  const [moved = 0, removed = 0, ended = 0, kept = 0] = recordIds
  const later = new Date(now + 90 * minute).toISOString()
  await write(moved, { ...noValues, meeting_at: later })
  await write(removed, { ...noValues, meeting_at, isRemoved: true })
  await write(ended, { ...noValues, meeting_at, topic: 'off' })
  await release()
  assert.deepEqual(await noticesOf(recordIds), [`C ${kept}`])
  await sweep(now + 10 * minute)
  assert.deepEqual(await noticesOf(recordIds), [`C ${moved}`, `C ${kept}`].toSorted())
})

test('what was due before the rule is not told of', async () => {
  const now = Date.parse('2029-02-01T10:00:00Z')
  const [id = 0] = await createRecords(1)
  await write(id, { ...noValues, meeting_at: new Date(now + 80 * minute).toISOString() })
  await begin(now)
  await sweep(now + minute)
  assert.deepEqual(await noticesOf([id]), [])
})

test('the clock is that of the database, which has parts of milliseconds', async () => {
  const [id = 0] = await createRecords(1)
  await begin(Date.now() - 3 * day)
  // Due yesterday at eight.
  const needed_by = `${Temporal.Now.plainDateISO(timeZone).add({ days: 29 })}`
  await write(id, { ...noValues, needed_by })
  await sweepDates(deps)
  assert.deepEqual(await noticesOf([id]), [`A ${id}`])
})
