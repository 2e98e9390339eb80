/** How fast workers work off a backlog of events, beside the same number of empty jobs. */
import { fileURLToPath } from 'node:url'
import { queryRows } from '../../src/database/pool.ts'
import { sendNotifications } from '../../src/records/write/change-events.ts'
import { median } from '../figures.ts'
import type { Note } from '../place.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { startProgram } from '../start-program.ts'
import { type Backlog, drain } from './backlog.ts'
import { emptyJob } from './empty-job.ts'
import { type FanOutPlace, jobsAtOnce } from './fan-out-place.ts'
import { readersOf } from './fan-out-project.ts'

const events = 5000
const warmUpEvents = 500
const rounds = 3
const leastOfCeiling = 0.5
const workerCounts = [1, 2]

type Drained = 'empty' | 'memo' | 'circular'

/** Three rows for each number of workers: empty jobs, events of one recipient, events of ten. */
export const measureDrain = async (place: FanOutPlace, note: Note): Promise<Table> => {
  const rates = new Map(workerCounts.map((workers) => [workers, newRates()]))
  for (let round = 1; round <= rounds; round++) {
    for (const [workers, { empty, memo, circular }] of rates) {
      const peers = await startAll(workers, () => startPeer(place))
      empty.push(await rateOf(place, { entity: 'memo', kind: emptyJob }))
      await peers.stop()
      const own = await startAll(workers, () => place.startWorker({ isMailing: false }))
      memo.push(await rateOf(place, { entity: 'memo', kind: sendNotifications }))
      circular.push(await rateOf(place, { entity: 'circular', kind: sendNotifications }))
      await own.stop()
    }
    note(`Worked off the backlogs ${round} of ${rounds} times.\n`)
  }
  const backlog = `${events.toLocaleString('en')} events`
  return {
    title: `A backlog of ${backlog}, ${jobsAtOnce} jobs at once in a worker, e-mails wait in the queue, median of ${rounds}`,
    rows: [...rates].flatMap(([workers, found]) => rowsOf(workers, found)),
  }
}

type Rates = Readonly<Record<Drained, number[]>>

const newRates = (): Rates => ({ empty: [], memo: [], circular: [] })

const rowsOf = (workers: number, rates: Rates): Row[] => {
  const processes = workers === 1 ? '1 process' : `${workers} processes`
  const ceiling = median(rates.empty)
  const rowOf = (what: string, entity: Backlog['entity']) => {
    const perSecond = median(rates[entity])
    const ratio = perSecond / ceiling
    const pairs = rates[entity].map((rate, round) => rate / (rates.empty[round] ?? Number.NaN))
    return {
      what: `${processes}, ${what}`,
      'events/s': perSecond,
      'notifications/s': perSecond * readersOf[entity].length,
      ratio,
      range: `${Math.min(...pairs).toFixed(2)}-${Math.max(...pairs).toFixed(2)}`,
      ...aimOf(ratio, { least: leastOfCeiling }),
    }
  }
  return [
    { what: `${processes}, empty jobs`, 'events/s': ceiling },
    rowOf('one recipient each', 'memo'),
    rowOf('ten recipients each', 'circular'),
  ]
}

/** Events a second, after a few that only warm up. */
const rateOf = async (place: FanOutPlace, backlog: Omit<Backlog, 'events'>): Promise<number> => {
  await place.clearEmails()
  await drain(place, { ...backlog, events: warmUpEvents })
  const before = await countTold(place)
  const seconds = await drain(place, { ...backlog, events })
  const told = backlog.kind === emptyJob ? 0 : events * readersOf[backlog.entity].length
  const found = (await countTold(place)) - before
  if (found !== told) throw new Error(`Of ${told} notifications ${found} were stored.`)
  return events / seconds
}

const countTold = async ({ pool, members: { first, last } }: FanOutPlace): Promise<number> => {
  const text =
    'SELECT sum(total)::integer AS count FROM docket.notification_count WHERE user_id BETWEEN $1 AND $2'
  const [row] = await queryRows<{ count: number }>(pool, { text, values: [first, last] })
  return row?.count ?? 0
}

type Stoppable = { readonly stop: () => Promise<void> }

const startAll = async (count: number, start: () => Promise<Stoppable>): Promise<Stoppable> => {
  const started = await Promise.all(Array.from({ length: count }, start))
  return {
    stop: async () => {
      await Promise.all(started.map(({ stop }) => stop()))
    },
  }
}

const startPeer = ({ databaseUrl }: FanOutPlace): Promise<Stoppable> => {
  const script = fileURLToPath(new URL('./run-empty-jobs.ts', import.meta.url))
  const env = { DATABASE_URL: databaseUrl, JOBS_AT_ONCE: `${jobsAtOnce}` }
  return startProgram([script], { env, until: 'run here' })
}
