/** How soon a change reaches the notified user on their stream, while e-mails are sent as usual. */
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/support/wait.ts'
import type { Service } from '../environment.ts'
import { spreadOf } from '../figures.ts'
import { openClient, type Send } from '../http-client.ts'
import type { Row, Table } from '../report.ts'
import { type Measured, waitSeconds } from './measured.ts'
import { openStream } from './stream-reader.ts'

const loads: readonly Load[] = [{ perSecond: 50, aim: { p50: 25, p99: 100 } }, { perSecond: 200 }]
const seconds = 20
const warmUpSeconds = 3

/** A table for jobs in the service's own process and one for a separate worker, for each load. */
export const measurePush = async (measured: Measured): Promise<Table[]> => {
  const together = await measured.startService()
  const tables = await pushTables(measured, together, 'jobs in the service')
  await together.stop()
  const service = await measured.startService('--no-jobs')
  const worker = await measured.startWorker()
  tables.push(...(await pushTables(measured, service, 'jobs in a worker')))
  await Promise.all([service.stop(), worker.stop()])
  return tables
}

type Load = {
  readonly perSecond: number
  readonly aim?: { readonly p50: number; readonly p99: number }
}

const pushTables = async (...where: [Measured, Service, string]): Promise<Table[]> => {
  const tables: Table[] = []
  for (const load of loads) tables.push(await pushTable(load, ...where))
  return tables
}

const pushTable = async (
  { perSecond, aim }: Load,
  { members, tokenOf }: Measured,
  service: Service,
  where: string,
): Promise<Table> => {
  const send = openClient(service, 32)
  const sendAll = (count: number) =>
    sendChanges(send, { readerId: members.first, perSecond, count })
  const arrivals = new Map<number, number>()
  const reader = { url: service.url, token: await tokenOf(1) }
  const close = await openStream(reader, (id) => arrivals.set(id, performance.now()))
  await sendAll(warmUpSeconds * perSecond)
  const changes = await sendAll(seconds * perSecond)
  const areAllHere = () => changes.every(({ id }) => arrivals.has(id))
  await until('every change is notified', areAllHere, waitSeconds)
  close()
  return {
    title: `One change notifies one user, ${perSecond}/s for ${seconds} s, ${where} (ms)`,
    rows: rowsOf(changes, arrivals, aim),
  }
}

/** A change with its times of performance.now(). */
type Change = { readonly id: number; readonly sentAt: number; readonly answeredAt: number }

type Changes = {
  readonly readerId: number
  readonly perSecond: number
  readonly count: number
}

/** Each is sent on time, whether or not the one before it is answered. */
const sendChanges = async (
  send: Send,
  { readerId, perSecond, count }: Changes,
): Promise<Change[]> => {
  const begun = performance.now()
  const sent: Promise<Change>[] = []
  while (sent.length < count) {
    await delay(Math.max(0, begun + (sent.length * 1000) / perSecond - performance.now()))
    const change = sendChange(send, readerId)
    // Reported below, with the others.
    change.catch(() => undefined)
    sent.push(change)
  }
  return Promise.all(sent)
}

const sendChange = async (send: Send, readerId: number): Promise<Change> => {
  const sentAt = performance.now()
  const body = { title: 'The lift is out of order', reader_id: readerId }
  const answer = await send({ method: 'POST', path: '/memo', body })
  const answeredAt = performance.now()
  const { id } = JSON.parse(answer.toString()) as { id: number }
  return { id, sentAt, answeredAt }
}

const rowsOf = (
  changes: readonly Change[],
  arrivals: ReadonlyMap<number, number>,
  aim: { readonly p50: number; readonly p99: number } | undefined,
): Row[] => {
  const since = (from: 'sentAt' | 'answeredAt') =>
    spreadOf(changes.map((change) => (arrivals.get(change.id) ?? Number.NaN) - change[from]))
  const toPush = since('answeredAt')
  return [
    {
      what: 'from the answer to the push',
      ...toPush,
      ...(aim && {
        aim: `p50 < ${aim.p50}, p99 < ${aim.p99}`,
        met: toPush.p50 < aim.p50 && toPush.p99 < aim.p99,
      }),
    },
    { what: 'from the request to the push', ...since('sentAt') },
  ]
}
