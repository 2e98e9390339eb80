/** One change that tells everyone: until all is stored and queued, and what others notice of it. */
import { setTimeout as delay } from 'node:timers/promises'
import { queryRows } from '../../src/database/pool.ts'
import { openClient } from '../http-client.ts'
import { watchMemory } from '../memory.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { untilHolds } from '../until-holds.ts'
import type { FanOutPlace } from './fan-out-place.ts'
import { memberCount } from './fan-out-project.ts'
import { type Neighbours, openNeighbours } from './watch-neighbours.ts'

const events = 3
const aloneMs = 5000
const maxSeconds = 5

/** A row of the neighbours alone, and one for each of a few events. */
export const measureGroup = async (place: FanOutPlace): Promise<Table> => {
  const service = await place.startService('--no-jobs')
  const worker = await place.startWorker({ isMailing: false })
  const neighbours = await openNeighbours(place, service.url)
  // Only warms up.
  await neighbours.work(AbortSignal.timeout(aloneMs))
  const others = await neighbours.work(AbortSignal.timeout(aloneMs))
  const rows: Row[] = []
  const telling = { place, url: service.url, workerPid: worker.pid }
  for (let event = 1; event <= events; event++) {
    rows.push({ what: `event ${event}, alone`, ...(await tellEveryone(telling)) })
    rows.push({
      what: `event ${event}, beside others`,
      ...(await tellBesideOthers(telling, neighbours)),
    })
  }
  rows.push({ what: 'others, no event', ...others })
  await neighbours.stop()
  await Promise.all([service.stop(), worker.stop()])
  const people = memberCount.toLocaleString('en')
  return { title: `One change tells ${people} people, their e-mails wait in the queue`, rows }
}

type NotificationBatch = {
  readonly place: FanOutPlace
  readonly url: string
  readonly workerPid: number
}

/** So that some of the others are on their way when it begins. */
const leadMs = 200

const tellBesideOthers = async (telling: NotificationBatch, { work }: Neighbours): Promise<Row> => {
  const ended = new AbortController()
  const waited = work(ended.signal)
  waited.catch(() => undefined)
  await delay(leadMs)
  const told = await tellEveryone(telling)
  ended.abort()
  return { ...told, ...(await waited) }
}

const tellEveryone = async ({ place, url, workerPid }: NotificationBatch): Promise<Row> => {
  await place.clearEmails()
  const ask = openClient({ url, token: place.token, connections: 1 })
  const told = await watchTold(place)
  const body = { title: 'The lift is out of order' }
  const begun = performance.now()
  let storedS = Number.NaN
  let queuedS = Number.NaN
  const memory = await watchMemory(workerPid, async () => {
    await ask({ method: 'POST', path: '/announcement', body })
    const [stored, queued] = await Promise.all([told.untilStored(), told.untilQueued()])
    storedS = (stored - begun) / 1000
    queuedS = (queued - begun) / 1000
  })
  return {
    'all stored (s)': storedS,
    'all queued (s)': queuedS,
    ...aimOf(Math.max(storedS, queuedS), { most: maxSeconds }),
    'worker before (MiB)': memory?.before,
    'growth (MiB)': memory && memory.peak - memory.before,
  }
}

const totals = 'SELECT sum(total)::integer AS count FROM docket.notification_count'
const deliveries = 'SELECT count(*)::integer AS count FROM docket.delivery'

/** Waits for every member; the last one is asked for first, since counting all takes a while. */
const watchTold = async ({ pool, members: { first, last } }: FanOutPlace) => {
  const count = async (text: string, from: number): Promise<number> => {
    const values = [from, last]
    const [row] = await queryRows<{ count: number | null }>(pool, {
      text: `${text} WHERE user_id BETWEEN $1 AND $2`,
      values,
    })
    return row?.count ?? 0
  }
  const watch = async (what: string, text: string) => {
    const [ofLast, ofAll] = [await count(text, last), await count(text, first)]
    return () =>
      untilHolds(
        what,
        async () =>
          (await count(text, last)) > ofLast && (await count(text, first)) >= ofAll + memberCount,
      )
  }
  return {
    untilStored: await watch('all is stored', totals),
    untilQueued: await watch('all is queued', deliveries),
  }
}
