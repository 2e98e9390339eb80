/** Periods around today that people choose by name. */

export const periodNames = [
  'today',
  'beforeToday',
  'yesterday',
  'tomorrow',
  'thisWeek',
  'lastWeek',
  'nextWeek',
  'thisMonth',
  'lastMonth',
  'nextMonth',
  'thisQuarter',
  'thisYear',
  'lastYear',
  'last7Days',
  'last30Days',
  'next7Days',
  'next30Days',
] as const
export type Period = (typeof periodNames)[number]

export const isPeriodName = (name: string): name is Period =>
  periodNames.some((one) => one === name)
