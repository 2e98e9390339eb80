/** Open streams of several processes, whose users are notified one after the other at a steady rate. */
import { until } from '../../test/support/wait.ts'
import { spreadOf } from '../figures.ts'
import { memoryMiB } from '../memory.ts'
import { aimOf, type Table } from '../report.ts'
import { type Measured, waitSeconds } from './measured.ts'
import { latenciesOf, type Times, timesOf } from './steadily.ts'
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
    const isHere = () => latenciesOf(clients, commits).length >= commits.size
    await until('every notification has come', isHere, waitSeconds)
    return latenciesOf(clients, commits)
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
const notifySteadily = (measured: Measured, forSeconds: number, first: number): Promise<Times> =>
  timesOf({ perSecond, first, count: forSeconds * perSecond }, (entityId) => {
    const member = Math.floor(Math.random() * processes * streamsOfEach)
    return notify(measured, [measured.members.first + member], entityId)
  })
