/**
 * Notifications by month: list and counts of 1,000,000 in one partition compared with so many in 24 months, and what marks take during a month
 * that is dropped.
 */
import { dropOldMonths } from '../../src/inbox/months.ts'
import type { Environment } from '../environment.ts'
import { load } from '../load.ts'
import { aimOf, note, type Table } from '../report.ts'
import { fillOverMonths } from './fill.ts'

const oneTable = 1_000_000
const months = 24
const ms = 3000

const reads = [
  { what: 'list 20 notifications', path: '/api/notifications?limit=20' },
  { what: 'list 20 unseen notifications', path: '/api/notifications?limit=20&status=unseen' },
  { what: 'count notifications', path: '/api/notifications/count' },
  { what: 'count unseen notifications', path: '/api/notifications/count?status=unseen' },
]

// What the benchmark has filled stays until it is dropped by hand.
const kept = { NOTIFICATIONS_KEEP_SEEN_DAYS: '3650', NOTIFICATIONS_KEEP_DAYS: '3650' }

/** A table of reads, and one of marks. */
export const benchMonths = async (environment: Environment, rows: number): Promise<Table[]> => {
  await fillOverMonths(environment, { rows: oneTable, months, isDivided: false })
  const one = await measureReads(environment)
  await fillOverMonths(environment, { rows, months, isDivided: true })
  const divided = await measureReads(environment)
  return [
    {
      title: `1,000,000 in one partition, ${rows.toLocaleString('en')} in ${months}; 8 connections (ms)`,
      rows: reads.map(({ what }, index) => {
        const [before, after] = [one[index], divided[index]]
        const ratio = (after?.p50 ?? 0) / (before?.p50 ?? 1)
        return {
          what,
          'one p50': before?.p50 ?? 0,
          'one p99': before?.p99 ?? 0,
          'months p50': after?.p50 ?? 0,
          'months p99': after?.p99 ?? 0,
          ratio,
          ...aimOf(ratio, { most: 1.5 }),
        }
      }),
    },
    await measureDrop(environment),
  ]
}

const measureReads = async (environment: Environment) => {
  const service = await environment.startService(['--no-jobs'], kept)
  const results = []
  for (const { path } of reads) {
    await load(service, { request: () => ({ path }), connections: 8, ms: 500 })
    results.push(await load(service, { request: () => ({ path }), connections: 8, ms }))
  }
  await service.stop()
  return results
}

// Old enough that the first of the months has ended, and the second not.
const daysOfOthers = 30 * (months - 1) - 15

/** Marks of two connections while the service drops a month. */
const measureDrop = async (environment: Environment): Promise<Table> => {
  const service = await environment.startService(['--no-jobs'], kept)
  const mark = (turn: number) => ({
    method: 'PUT' as const,
    path: '/api/notifications/mark',
    body: {
      ids: [],
      after: new Date(Date.now() - 86_400_000).toISOString(),
      status: turn % 2 ? 'seen' : 'unseen',
    },
  })
  await environment.pool.query(
    `UPDATE docket.notification_count SET kept_from = now() - interval '${daysOfOthers} days'`,
  )
  const before = await countPartitions(environment)
  const marks = load(service, { request: mark, connections: 2, ms: 3 * ms })
  const begun = performance.now()
  await dropOldMonths(environment.pool, daysOfOthers)
  const dropped = performance.now() - begun
  const { p50, p99, max } = await marks
  await service.stop()
  const months = before - (await countPartitions(environment))
  note('Measured the drop of months.\n')
  return {
    title: 'Marks of the last day while months are dropped (ms)',
    rows: [
      {
        months,
        'read and dropped in': dropped,
        p50,
        p99,
        slowest: max,
        ...aimOf(max, { most: 200 }),
      },
    ],
  }
}

const countPartitions = async ({ pool }: Environment): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::integer FROM pg_inherits WHERE inhparent = 'docket.notification'::regclass`,
  )
  return rows[0]?.count ?? 0
}
