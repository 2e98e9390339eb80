/** List, count and mark of the person with the most notifications, beside bare routes, by turns. */
import { askJson, openClient } from '../http-client.ts'
import type { Operation } from '../load/operations.ts'
import {
  assertSameAnswers,
  compareWithBare,
  type Pair,
  rounds,
  startBare,
} from '../load/run-load.ts'
import type { Note, Place } from '../place.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { benchFanOut } from './bench-fan-out.ts'
import { fillNotifications } from './fill.ts'
import { measureStreams } from './measure-streams.ts'

const readings: readonly Operation[] = [
  'list notifications',
  'list unseen notifications',
  'count notifications',
  'count unseen notifications',
]
const ms = 3000
// Decided for the person with the most notifications.
const maxMs = 10

/** The inbox, open streams, and then what fills them. */
export const benchNotifications = async (
  place: Place,
  rows: number,
  note: Note,
): Promise<readonly Table[]> => {
  const inbox = await benchInbox(place, rows, note)
  return [...inbox, ...(await benchFanOut(place, note))]
}

/** A table of reading, one of marking, one of reading after all that, and one of open streams. */
const benchInbox = async (place: Place, rows: number, note: Note): Promise<readonly Table[]> => {
  const ask = openClient(place)
  const { id: userId } = await askJson<{ id: number }>(ask, '/api/me')
  note(`Filling ${rows.toLocaleString('en')} notifications …\n`)
  await fillNotifications(place.databaseUrl, rows, userId)
  const script = new URL('./bare-server.ts', import.meta.url)
  const env = { DATABASE_URL: place.databaseUrl, USER_ID: `${userId}` }
  const bare = await startBare(script, env)
  try {
    const pair = { docket: place, bare }
    const queries = ['?limit=20', '?limit=20&status=unseen', '/count', '/count?status=unseen']
    const paths = queries.map((query) => `/api/notifications${query}`)
    await assertSameAnswers(pair, paths)
    const before = await compareReadings(pair)
    note('Measured reading.\n')
    const marked = await compareMarks(pair)
    note('Measured marking.\n')
    const after = await compareReadings(pair)
    return [
      { title: `Reading, median of ${rounds} (ms)`, rows: before },
      { title: 'Marking (ms)', rows: marked },
      { title: 'Reading again, after all that was marked (ms)', rows: after },
      await measureStreams(place, note),
    ]
  } finally {
    await bare.stop()
  }
}

const compareReadings = async (pair: Pair): Promise<Row[]> => {
  const rows: Row[] = []
  for (const operation of readings) {
    const task = { operation, connections: 8, ms }
    const aim = ({ p99 }: { p99: number }) => aimOf(p99, { most: maxMs })
    rows.push(...(await compareWithBare(pair, { task, aim })))
  }
  return rows
}

const compareMarks = async (pair: Pair): Promise<Row[]> => {
  const path = '/api/notifications?limit=1000'
  type Found = readonly { readonly _id: string; readonly timestamp: string }[]
  const found = await askJson<Found>(openClient(pair.docket), path)
  const choice = { ids: found.map(({ _id }) => _id), latest: found[0]?.timestamp ?? '' }
  const hundred = { ...choice, operation: 'mark 100 notifications', ms } as const
  const all = { ...choice, operation: 'mark all notifications' } as const
  return [
    ...(await compareWithBare(pair, { task: { ...hundred, connections: 1 } })),
    ...(await compareWithBare(pair, { task: { ...hundred, connections: 8 } })),
    // A time that none takes, since so many are to be made.
    ...(await compareWithBare(pair, {
      task: { ...all, connections: 1, maxRequests: 4, ms: 600_000 },
    })),
  ]
}
