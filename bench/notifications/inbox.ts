/** List, count and mark of the user with the most notifications, compared with bare routes, by turns. */
import type { Environment, Service } from '../environment.ts'
import { rounds } from '../figures.ts'
import { getJson, type Request } from '../http-client.ts'
import { assertSameAnswers, bareServer, compareWithBare, type Pair } from '../load.ts'
import type { Row, Table } from '../report.ts'

const reads = [
  { what: 'list notifications', path: '/api/notifications?limit=20' },
  { what: 'list unseen notifications', path: '/api/notifications?limit=20&status=unseen' },
  { what: 'count notifications', path: '/api/notifications/count' },
  { what: 'count unseen notifications', path: '/api/notifications/count?status=unseen' },
]
const ms = 3000

/** A table of reads, one of marks, and one of reads after all that. */
export const benchInbox = async (environment: Environment, docket: Service): Promise<Table[]> => {
  const pair = { docket, bare: await environment.startPeer(bareServer) }
  await assertSameAnswers(
    pair,
    reads.map(({ path }) => path),
  )
  const comparisons = reads.map(({ what, path }) => ({
    what,
    request: () => ({ path }),
    connections: 8,
    ms,
    maxP99: 10,
  }))
  const before = await compareWithBare(pair, comparisons)
  const marked = await compareMarks(pair)
  const after = await compareWithBare(pair, comparisons)
  await pair.bare.stop()
  return [
    { title: `Reading, median of ${rounds} (ms)`, rows: before },
    { title: 'Marking (ms)', rows: marked },
    { title: 'Reading again, after all that was marked (ms)', rows: after },
  ]
}

const compareMarks = async (pair: Pair): Promise<Row[]> => {
  type Found = readonly { readonly _id: string; readonly timestamp: string }[]
  const found = await getJson<Found>(pair.docket, '/api/notifications?limit=1000')
  const ids = found.map(({ _id }) => _id)
  // A mark reverts the one before it.
  const mark = (turn: number, body: object): Request => ({
    method: 'PUT',
    path: '/api/notifications/mark',
    body: { ...body, status: turn % 2 ? 'seen' : 'unseen' },
  })
  const markSome = (turn: number) => {
    const begin = Math.floor(Math.random() * (ids.length - 100))
    return mark(turn, { ids: ids.slice(begin, begin + 100) })
  }
  const hundred = { what: 'mark 100 notifications', request: markSome, ms }
  const all = {
    what: 'mark all notifications',
    request: (turn: number) => mark(turn, { ids: [], before: found[0]?.timestamp }),
    connections: 1,
    // A limit that is never reached, because many marks are needed.
    maxRequests: 4,
    ms: 600_000,
  }
  return compareWithBare(pair, [
    { ...hundred, connections: 1 },
    { ...hundred, connections: 8 },
    all,
  ])
}
