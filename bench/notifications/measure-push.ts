/**
 * How soon a change reaches the person it names: on their stream, and in their list. The e-mails go out
 * meanwhile, as they do in use.
 */
import { spreadOf } from '../figures.ts'
import { openClient } from '../http-client.ts'
import type { Row, Table } from '../report.ts'
import { untilHolds } from '../until-holds.ts'
import type { FanOutPlace } from './fan-out-place.ts'
import { type Followed, followList, followStream, listPauseMs } from './follow-reader.ts'
import { type Change, sendChanges } from './send-changes.ts'

const perSecond = 50
const seconds = 20
const warmUpSeconds = 3
const aim = { p50: 25, p99: 100 }

/** A table for jobs in the service's own process, and one for a worker beside it. */
export const measurePush = async (place: FanOutPlace): Promise<readonly Table[]> => {
  const together = await place.startService()
  const beside = [await pushTable(place, together.url, 'jobs in the service')]
  await together.stop()
  const alone = await place.startService('--no-jobs')
  const worker = await place.startWorker({ isMailing: true })
  beside.push(await pushTable(place, alone.url, 'jobs in a worker'))
  await Promise.all([alone.stop(), worker.stop()])
  return beside
}

const pushTable = async (place: FanOutPlace, url: string, where: string): Promise<Table> => {
  const pace = {
    ask: openClient({ url, token: place.token, connections: 32 }),
    readerId: place.outsiderId,
    intervalMs: 1000 / perSecond,
  }
  const token = await place.tokenOf(0)
  const stream = await followStream(url, token)
  const list = followList(url, token)
  try {
    await sendChanges({ ...pace, most: warmUpSeconds * perSecond })
    const changes = await sendChanges({ ...pace, most: seconds * perSecond })
    await untilHolds('every change is told', () =>
      changes.every(({ id }) => stream.told.has(id) && list.told.has(id)),
    )
    return {
      title: `One change tells one person, ${perSecond}/s for ${seconds} s, ${where} (ms)`,
      rows: rowsOf(changes, stream.told, list.told),
    }
  } finally {
    await Promise.all([stream.stop(), list.stop()])
  }
}

type Moments = Followed['told']

const rowsOf = (changes: readonly Change[], pushed: Moments, listed: Moments): Row[] => {
  const until = (moments: Moments, from: 'sentAt' | 'answeredAt') =>
    spreadOf(changes.map((change) => (moments.get(change.id) ?? Number.NaN) - change[from]))
  const toPush = until(pushed, 'answeredAt')
  return [
    {
      what: 'from the answer to the push',
      ...toPush,
      aim: `p50 < ${aim.p50}, p99 < ${aim.p99}`,
      met: toPush.p50 < aim.p50 && toPush.p99 < aim.p99,
    },
    { what: 'from the request to the push', ...until(pushed, 'sentAt') },
    {
      what: `from the answer to the list, asked every ${listPauseMs} ms`,
      ...until(listed, 'answeredAt'),
    },
    { what: 'from the request to the list', ...until(listed, 'sentAt') },
    {
      what: 'from the request to the answer',
      ...spreadOf(changes.map(({ sentAt, answeredAt }) => answeredAt - sentAt)),
    },
  ]
}
