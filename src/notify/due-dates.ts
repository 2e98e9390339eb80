/**
 * Dates of records that are due, as rules of notifications say it: when a date of a schedule is due, and the jobs that notify of
 * those that have become so. Users are notified once of each date of a record, however often and wherever this runs.
 */
import { type Connection, execute, type Pool, queryCount, queryRow } from '../database/pool.ts'
import {
  bound,
  int,
  isoTime,
  notDeleted,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
  timestamp,
} from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { type DateSchedule, isOfClock, schedulesOf } from '../definitions/date-rules.ts'
import { clockMs } from '../definitions/values/rules/moving-times.ts'
import { enqueue, jobsIn } from '../jobs/job.ts'
import type { Observe } from '../observations.ts'
import { momentOf } from '../outbox/preferences/next-time.ts'
import { jsonValue } from '../query/record-json.ts'
import { sendNotifications } from '../records/write/change-events.ts'

type Deps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly timeZone: string
  readonly observe: Observe
}

/** Times in milliseconds: after the one, up to the other. */
type Span = { readonly after: number; readonly until: number }

/** The days whose time of the day is in a span. */
const daysIn = ({ after, until }: Span, at: string, timeZone: string): Temporal.PlainDate[] => {
  const dayOf = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDate()
  const days: Temporal.PlainDate[] = []
  const last = dayOf(until)
  for (
    let day = dayOf(after);
    Temporal.PlainDate.compare(day, last) <= 0;
    day = day.add({ days: 1 })
  ) {
    const moment = momentOf(day, at, timeZone).epochMilliseconds
    if (moment > after && moment <= until) days.push(day)
  }
  return days
}

// Months have different lengths: several days have the same one a month later.
const monthMargin = 3

/** The conditions of records `t` whose dates are due in a span, one for each day that is asked for. */
const dueIn = (schedule: DateSchedule, span: Span, timeZone: string): readonly Sql[] => {
  if (span.after >= span.until) return []
  const { unit, amount, at } = schedule
  const date = ref(schedule.column, 't')
  if (isOfClock(schedule)) {
    const ms = amount * (clockMs[unit] ?? 0)
    return [sql`${date} > ${moment(span.after - ms)} AND ${date} <= ${moment(span.until - ms)}`]
  }
  const zone = text(timeZone)
  const shift = bound(`${amount} ${unit}s`, 'interval')
  const isMonthly = unit === 'month' || unit === 'year'
  return daysIn(span, at, timeZone).map((day) => {
    const middle = day.subtract({ [`${unit}s`]: amount })
    const days = isMonthly ? monthMargin : 0
    const [first, last] = [middle.subtract({ days }), middle.add({ days })]
    const isDay = (own: Sql) => sql`(${own} + ${shift})::date = ${bound(`${day}`, 'date')}`
    if (schedule.kind === 'date')
      return sql`${date} BETWEEN ${bound(`${first}`, 'date')} AND ${bound(`${last}`, 'date')} AND ${isDay(date)}`
    const begin = (one: Temporal.PlainDate) =>
      timestamp(one.toZonedDateTime(timeZone).toInstant().toString())
    const own = sql`(${date} AT TIME ZONE ${zone})::date`
    return sql`${date} >= ${begin(first)} AND ${date} < ${begin(last.add({ days: 1 }))} AND ${isDay(own)}`
  })
}

// A change that is committed while dates are read may have a date that was passed.
const overlapMs = 5 * 60_000
// Jobs of one transaction.
const batchSize = 5_000

/** Enqueues the notifications of all dates that have become due since the last time; returns their number. */
export const sweepDates = async (deps: Deps, clock?: Date): Promise<number> => {
  let told = 0
  for (const schedule of schedulesOf(deps.catalog))
    for (;;) {
      const batch = await transaction(deps.pool, (connection) =>
        sweepBatch(connection, deps, schedule, clock),
      )
      told += batch
      if (batch < batchSize) break
    }
  return told
}

type Swept = {
  readonly id: number
  readonly begins: number
  readonly to: number
  readonly now: number
}

/** Of several processes, one at a time. The time is written with the last batch, so that none is left out. */
const sweepBatch = async (
  connection: Connection,
  deps: Deps,
  schedule: DateSchedule,
  clock: Date | undefined,
): Promise<number> => {
  const { timeZone, observe } = deps
  const swept = await lockSchedule(connection, schedule, clock)
  if (!swept) return 0
  const { id, begins, now } = swept
  // A clock that was set back goes over the same times again: dates of which users were notified have their rows.
  const after = Math.max(begins, Math.min(swept.to, now) - overlapMs)
  const latest = now - schedule.lateMs
  let told = 0
  for (const isDue of dueIn(schedule, { after: Math.max(after, latest), until: now }, timeZone)) {
    told += await tellDue(connection, { id, schedule, isDue, limit: batchSize - told })
    if (told >= batchSize) return told
  }
  let skipped = 0
  for (const isDue of dueIn(schedule, { after, until: latest }, timeZone))
    skipped += await countDue(connection, { id, schedule, isDue })
  const { entity, column: field, shift, at } = schedule
  if (skipped > 0)
    observe({ kind: 'datesSkipped', entity: entity.key, field, shift, at, records: skipped })
  await execute(
    connection,
    sql`UPDATE docket.date_schedule SET swept_to = ${moment(now)} WHERE id = ${int(id)}`,
  )
  return told
}

const moment = (ms: number): Sql => timestamp(new Date(ms))

const lockSchedule = async (
  connection: Connection,
  { entity, column, shift, at }: DateSchedule,
  clock: Date | undefined,
): Promise<Swept | undefined> => {
  const ms = (time: Sql) => sql`(extract(epoch FROM ${time}) * 1000)::double precision`
  // Temporal takes no parts of milliseconds.
  const now = clock ? timestamp(clock) : sql`date_trunc('milliseconds', now())`
  return queryRow<Swept>(
    connection,
    sql`
SELECT s.id, ${ms(sql`s.begins_at`)} AS begins, ${ms(sql`s.swept_to`)} AS to, ${ms(now)} AS now
FROM docket.date_schedule s
WHERE s.entity_key = ${text(entity.key)} AND s.column_name = ${text(column)}
  AND s.shift = ${text(shift)} AND s.at = ${text(at)}
FOR UPDATE SKIP LOCKED`,
  )
}

type Due = { readonly id: number; readonly schedule: DateSchedule; readonly isDue: Sql }

/** The records that have such a date, of which no user was notified yet. */
const untold = ({ id, schedule, isDue }: Due): Sql => sql`
    FROM ${table(schedule.entity)} t
    WHERE ${isDue} AND ${notDeleted('t')} AND NOT EXISTS (
      SELECT FROM docket.date_notice n
      WHERE n.schedule_id = ${int(id)} AND n.record_id = t.id AND n.value = ${valueText(schedule)}
    )`

/** As answers have it. */
const valueText = ({ entity, column: name }: DateSchedule): Sql => {
  const column = entity.columnsByName.get(name)
  return raw(`trim(both '"' from ${column ? jsonValue({ alias: 't', column }) : 'NULL'})`)
}

const tellDue = async (
  connection: Connection,
  due: Due & { readonly limit: number },
): Promise<number> => {
  const { id, schedule, limit } = due
  const { entity, column, shift, at } = schedule
  const payload = sql`json_build_object(
    'event', concat_ws(' ', 'date', n.schedule_id, n.record_id, n.value),
    'entity_key', ${text(entity.key)},
    'entity_id', n.record_id,
    'operation', 'date',
    'action', NULL,
    'comment', NULL,
    'actor_id', NULL,
    'at', ${isoTime('n.told_at')},
    'due', json_build_object(
      'column', ${text(column)}, 'shift', ${text(shift)}, 'at', ${text(at)}, 'value', n.value
    )
  )`
  const count = sql`(
    SELECT count(${enqueue({ kind: sendNotifications, payload })})::integer FROM told n
  )`
  return queryCount(
    connection,
    sql`
WITH told AS (
  INSERT INTO docket.date_notice (schedule_id, record_id, value)
  SELECT ${int(id)}, t.id, ${valueText(schedule)}${untold(due)}
  LIMIT ${int(limit)}
  ON CONFLICT DO NOTHING
  RETURNING *
)
SELECT ${jobsIn(count, 'due')}`,
  )
}

const countDue = (connection: Connection, due: Due): Promise<number> =>
  queryCount(connection, sql`SELECT count(*)::integer AS records${untold(due)}`)

// Longer than any notification of a date is late, and than a clock is set back by.
const keepDays = 400

/** Removes the rows of dates that are long over. */
export const forgetOldDates = (pool: Pool): Promise<number> =>
  execute(
    pool,
    sql`
DELETE FROM docket.date_notice
WHERE told_at < now() - make_interval(days => ${int(keepDays)})`,
  )
