/** What criteria say for a period around today, which moves with the clock of the service. */
import type { Condition } from '../../api/types.ts'
import { type Period, periodNames } from '../format/period-names.ts'

const start = (period: 'week' | 'month' | 'quarter' | 'year', offset = 0) =>
  offset === 0 ? { $startOf: period } : { $startOf: period, $offset: offset }

/** The present period, or one that many before or after it. */
const whole = (period: 'week' | 'month' | 'quarter' | 'year', offset = 0) => ({
  $gte: start(period, offset),
  $lt: start(period, offset + 1),
})

const day = ($today: number) => ({ $today })

const conditions = {
  today: { $eq: day(0) },
  beforeToday: { $lt: day(0) },
  yesterday: { $eq: day(-1) },
  tomorrow: { $eq: day(1) },
  thisWeek: whole('week'),
  lastWeek: whole('week', -1),
  nextWeek: whole('week', 1),
  thisMonth: whole('month'),
  lastMonth: whole('month', -1),
  nextMonth: whole('month', 1),
  thisQuarter: whole('quarter'),
  thisYear: whole('year'),
  lastYear: whole('year', -1),
  // With today.
  last7Days: { $gt: day(-7), $lte: day(0) },
  last30Days: { $gt: day(-30), $lte: day(0) },
  next7Days: { $gte: day(0), $lt: day(7) },
  next30Days: { $gte: day(0), $lt: day(30) },
} as const satisfies Readonly<Record<Period, Condition>>

export const conditionOfPeriod = (name: Period): Condition => conditions[name]

/** The period that operators and their values stand for, whatever their order. */
export const periodOf = (compared: Condition): Period | undefined => {
  const text = textOf(compared)
  return periodNames.find((name) => textOf(conditions[name]) === text)
}

const textOf = (compared: Condition): string =>
  JSON.stringify(Object.entries(compared).sort(([one], [other]) => (one < other ? -1 : 1)))
