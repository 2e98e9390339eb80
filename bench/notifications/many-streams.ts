/** Open streams of several processes, whose users are notified one after the other at a steady rate. */
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/support/wait.ts'
import { spreadOf } from '../figures.ts'
import { memoryMiB } from '../memory.ts'
import { aimOf, type Table } from '../report.ts'
import { type Measured, waitSeconds } from './measured.ts'
import { notify } from './streams.ts'

const processes = 4
const streamsOfEach = 5000
const perSecond = 200
const seconds = 20
const warmUpSeconds = 3

/** From the commit to the reader. The clients are processes too, one for each service. */
export const measureManyStreams = async (measured: Measured): Promise<Table> => {
  const indexes = Array.from({ length: processes }, (_, index) => index)
  const services = await Promise.all(indexes.map(() => measured.startService('--no-jobs')))
  const clients = await Promise.all(
    services.map(({ url }, index) =>
      measured.startPeer(new URL('./hold-streams.ts', import.meta.url), {
        SERVICE_URL: url,
        FIRST_MEMBER: `${1 + index * streamsOfEach}`,
        MEMBERS: `${streamsOfEach}`,
      }),
    ),
  )
  const latencies = async (forSeconds: number, first: number): Promise<number[]> => {
    const commits = await notifySteadily(measured, forSeconds, first)
    const isHere = () => arrivalsOf(clients, commits).length >= commits.size
    await until('every notification has come', isHere, waitSeconds)
    return arrivalsOf(clients, commits)
  }
  await latencies(warmUpSeconds, 1)
  const found = spreadOf(await latencies(seconds, 1 + warmUpSeconds * perSecond))
  const memory = await Promise.all(services.map(({ pid }) => memoryMiB(pid, 'VmRSS')))
  await Promise.all([...clients, ...services].map(({ stop }) => stop()))
  const streams = (processes * streamsOfEach).toLocaleString('en')
  return {
    title: `${streams} streams at ${processes} processes, ${perSecond} notifications/s for ${seconds} s`,
    rows: [
      { what: 'from the commit to the reader (ms)', ...found, ...aimOf(found.p99, { most: 250 }) },
      {
        what: 'memory of a service, the largest (MiB)',
        max: Math.max(...memory.map((one) => one ?? 0)),
      },
    ],
  }
}

/** Notifies one user after the other; returns when each was committed, by the id of the record. */
const notifySteadily = async (
  measured: Measured,
  forSeconds: number,
  first: number,
): Promise<ReadonlyMap<number, number>> => {
  const commits = new Map<number, number>()
  const begun = performance.now()
  const sent: Promise<unknown>[] = []
  while (sent.length < forSeconds * perSecond) {
    await delay(Math.max(0, begun + (sent.length * 1000) / perSecond - performance.now()))
    const entityId = first + sent.length
    const member = Math.floor(Math.random() * processes * streamsOfEach)
    const one = notify(measured, [measured.members.first + member], entityId)
    // Reported below, with the others.
    one.catch(() => undefined)
    sent.push(one.then((at) => commits.set(entityId, at)))
  }
  await Promise.all(sent)
  return commits
}

/** Milliseconds from each commit to its arrival, of those that have come. */
const arrivalsOf = (
  clients: readonly { readonly lines: readonly string[] }[],
  commits: ReadonlyMap<number, number>,
): number[] =>
  clients.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const [id = 0, at = 0] = line.split(' ').map(Number)
      const committedAt = commits.get(id)
      return committedAt === undefined ? [] : [at - committedAt]
    }),
  )
