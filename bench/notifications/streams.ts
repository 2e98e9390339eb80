/** Many open streams of one process: what they cost, and how soon they deliver stored notifications. */
import { setTimeout as delay } from 'node:timers/promises'
import { changedChannel } from '../../src/inbox/notification.ts'
import { storeBatches } from '../../src/notify/send-notifications.ts'
import { until } from '../../test/support/wait.ts'
import type { Service } from '../environment.ts'
import { spreadOf } from '../figures.ts'
import { memoryMiB } from '../memory.ts'
import type { Row, Table } from '../report.ts'
import { type Measured, waitSeconds } from './measured.ts'
import { openStreams } from './stream-reader.ts'

const streamCount = 5000
const singles = 500

/** Rows of memory and of latency, from the commit to the event at the client. */
export const measureStreams = async (measured: Measured, service: Service): Promise<Table> => {
  const memory = () => memoryMiB(service.pid, 'VmRSS')
  const arrivals: number[] = []
  const before = await memory()
  const readers = { url: service.url, tokenOf: measured.tokenOf, first: 1, count: streamCount }
  const closers = await openStreams(readers, () => arrivals.push(performance.now()))
  await delay(2000)
  const rows: Row[] = [
    { what: `memory of the service, ${streamCount} streams (MiB)`, before, open: await memory() },
  ]
  const latencies = async (userIds: readonly number[]): Promise<number[]> => {
    arrivals.length = 0
    await notify(measured, userIds)
    const committed = performance.now()
    await until('every event has come', () => arrivals.length >= userIds.length, waitSeconds)
    return arrivals.map((at) => at - committed)
  }
  const userIds = Array.from({ length: streamCount }, (_, index) => measured.members.first + index)
  const one: number[] = []
  for (const id of userIds.slice(0, singles)) one.push(...(await latencies([id])))
  rows.push({ what: 'notified one after the other (ms)', ...spreadOf(one) })
  rows.push({ what: 'notified all at once (ms)', ...spreadOf(await latencies(userIds)) })
  rows.push({ what: 'memory afterwards (MiB)', open: await memory() })
  for (const close of closers) close()
  return { title: 'Open streams', rows }
}

let events = 0

/** Notifies users of a record; returns when that was committed, in milliseconds since 1970. */
export const notify = async (
  { pool }: Pick<Measured, 'pool'>,
  userIds: readonly number[],
  entityId = 1,
): Promise<number> => {
  const at = new Date().toISOString()
  const event = { id: `stream ${events++}`, rule: '0', entityKey: 'invoice', entityId, at }
  const content = { icon: 'bell', title: 'Approved', message: 'It was.', url: null, due_at: null }
  await storeBatches(pool, [{ event, recipients: { userIds, content } }])
  const committedAt = performance.timeOrigin + performance.now()
  await pool.signaller.signal([{ channel: changedChannel, values: userIds }])
  return committedAt
}
