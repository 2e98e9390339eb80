/**
 * One change that notifies everyone: the time until all is stored and queued, and how long other users
 * wait.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/support/wait.ts'
import type { Service } from '../environment.ts'
import { spreadOf, timed } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { watchMemory } from '../memory.ts'
import type { Program } from '../programs.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { insertBare } from './bare-insert.ts'
import { memberCount } from './fill.ts'
import { clearEmails, type Measured, waitSeconds, withoutSending } from './measured.ts'

const events = 3
const aloneMs = 5000
// So that some marks are running when the event begins.
const leadMs = 200

/** A row of marks alone, and two for each of a few events. */
export const measureGroup = async (measured: Measured): Promise<Table> => {
  const service = await measured.startService('--no-jobs')
  const worker = await measured.startWorker(withoutSending)
  const notify = () => notifyEveryone(measured, service, worker)
  const markers = await openMarkers(measured, service)
  // Only warms up.
  await markFor(markers, () => delay(aloneMs))
  const alone = await markFor(markers, () => delay(aloneMs))
  const rows: Row[] = []
  for (let event = 1; event <= events; event++) {
    const stored = await notify()
    const bare = await insertBare(measured)
    const ratio = bare / (stored['all queued (s)'] ?? Number.POSITIVE_INFINITY)
    rows.push({ what: `event ${event}, alone`, ...stored })
    rows.push({
      what: `event ${event}, bare INSERT of its rows`,
      'all stored (s)': bare,
      ratio,
      ...aimOf(ratio, { least: 0.7 }),
    })
    const found = await markFor(markers, async () => {
      await delay(leadMs)
      return notify()
    })
    rows.push({ what: `event ${event}, during marks`, ...found.result, ...found.marks })
  }
  rows.push({ what: 'marks, no event', ...alone.marks })
  await Promise.all([service.stop(), worker.stop()])
  const users = memberCount.toLocaleString('en')
  return { title: `One change notifies ${users} users, their e-mails wait in the queue`, rows }
}

const notifyEveryone = async ({ pool, members }: Measured, service: Service, worker: Program) => {
  await clearEmails(pool)
  const send = openClient(service, 1)
  const count = async (text: string, from: number): Promise<number> => {
    const values = [from, members.last]
    const { rows } = await pool.query<{ count: number | null }>(
      `${text} WHERE user_id BETWEEN $1 AND $2`,
      values,
    )
    return rows[0]?.count ?? 0
  }
  /** Waits for every member; the last one is checked first, because counting all takes a while. */
  const watch = async (what: string, text: string) => {
    const [ofLast, ofAll] = [await count(text, members.last), await count(text, members.first)]
    const isDone = async () =>
      (await count(text, members.last)) > ofLast &&
      (await count(text, members.first)) >= ofAll + memberCount
    return () => timed(() => until(what, isDone, waitSeconds))
  }
  const stored = await watch(
    'all is stored',
    'SELECT sum(total)::integer AS count FROM docket.notification_count',
  )
  const queued = await watch(
    'all is queued',
    'SELECT count(*)::integer AS count FROM docket.delivery',
  )
  let seconds: number[] = []
  const memory = await watchMemory(worker.pid, async () => {
    const body = { title: 'The lift is out of order' }
    const sentMs = await timed(() => send({ method: 'POST', path: '/announcement', body }))
    seconds = (await Promise.all([stored(), queued()])).map((ms) => (sentMs + ms) / 1000)
  })
  return {
    'all stored (s)': seconds[0],
    'all queued (s)': seconds[1],
    ...aimOf(Math.max(...seconds), { most: 5 }),
    'worker before (MiB)': memory.before,
    'growth (MiB)': memory.growth,
  }
}

const markersAtOnce = 2
const markingMembers = 200
const markPauseMs = 5

/** Each marks all notifications of one member. */
const openMarkers = async ({ tokenOf }: Measured, { url }: Service) => {
  const every = Math.floor(memberCount / markingMembers)
  const numbers = Array.from({ length: markingMembers }, (_, index) => 1 + index * every)
  const tokens = await Promise.all(numbers.map(tokenOf))
  return tokens.map((token) => {
    const send = openClient({ url, token }, 1)
    return (status: 'seen' | 'unseen') =>
      send({
        method: 'PUT',
        path: '/api/notifications/mark',
        body: { ids: [], status, before: new Date() },
      })
  })
}

type Markers = Awaited<ReturnType<typeof openMarkers>>

/** Marks, a few at a time, until the work ends; returns how long each mark took. */
const markFor = async <T>(markers: Markers, work: () => Promise<T>) => {
  const samples: number[] = []
  let isWorking = true
  const keepMarking = async (_: unknown, first: number) => {
    for (let turn = first; isWorking; turn += markersAtOnce) {
      const status = Math.floor(turn / markers.length) % 2 ? 'unseen' : 'seen'
      samples.push(await timed(() => markers[(turn * 37) % markers.length]?.(status)))
      await delay(markPauseMs)
    }
  }
  const marking = Promise.all(Array.from({ length: markersAtOnce }, keepMarking))
  marking.catch(() => undefined)
  const result = await work()
  isWorking = false
  await marking
  const { p50, max } = spreadOf(samples)
  return { result, marks: { 'mark p50 (ms)': p50, 'mark longest (ms)': max } }
}
