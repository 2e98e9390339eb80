/** List, count and mark of the person with the most notifications, beside bare routes, by turns. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { median } from '../figures.ts'
import { freePort, type Place } from '../place.ts'
import type { LoadResult } from '../records/load.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { runProgram } from '../run-program.ts'
import { benchFanOut } from './bench-fan-out.ts'
import { fillNotifications } from './fill.ts'
import type { NotificationWish } from './load.ts'
import { measureStreams } from './measure-streams.ts'
import type { Operation } from './operations.ts'

const readings: readonly Operation[] = ['list', 'listUnseen', 'count', 'countUnseen']
const rounds = 3
const loadMs = 3000
// Decided for the person with the most notifications.
const mostMs = 10

/** The inbox, open streams, and then what fills them. */
export const benchNotifications = async (
  place: Place,
  rows: number,
  note: (text: string) => void,
): Promise<readonly Table[]> => {
  const inbox = await benchInbox(place, rows, note)
  return [...inbox, ...(await benchFanOut(place, note))]
}

/** A table of reading, one of marking, one of reading after all that, and one of open streams. */
const benchInbox = async (
  place: Place,
  rows: number,
  note: (text: string) => void,
): Promise<readonly Table[]> => {
  const userId = await idOf(place)
  note(`Filling ${rows.toLocaleString('en')} notifications …\n`)
  await fillNotifications(place.databaseUrl, rows, userId)
  const bare = await startBare(place, userId)
  try {
    await assertSameAnswers(place, bare.url)
    const read = async () => {
      const tables: Row[] = []
      for (const operation of readings) tables.push(...(await compare(place, bare.url, operation)))
      return tables
    }
    const before = await read()
    note('Measured reading.\n')
    const marked = [
      ...(await compare(place, bare.url, 'mark100', { connections: 1, ms: loadMs })),
      ...(await compare(place, bare.url, 'mark100')),
      ...(await compare(place, bare.url, 'markAll', { connections: 1, most: 4, ms: 600_000 })),
    ]
    note('Measured marking.\n')
    const after = await read()
    const streams = await measureStreams(place, note)
    return [
      { title: `Reading, median of ${rounds} (ms)`, rows: before },
      { title: 'Marking (ms)', rows: marked },
      { title: 'Reading again, after all that was marked (ms)', rows: after },
      streams,
    ]
  } finally {
    await bare.stop()
  }
}

const idOf = async ({ url, token }: Place): Promise<number> => {
  const answer = await fetch(`${url}/api/me`, { headers: { Authorization: `Bearer ${token}` } })
  return ((await answer.json()) as { id: number }).id
}

type Load = Pick<NotificationWish, 'connections' | 'ms' | 'most'>

const compare = async (
  place: Place,
  bareUrl: string,
  operation: Operation,
  load: Load = { connections: 8, ms: loadMs },
): Promise<Row[]> => {
  const ours: LoadResult[] = []
  const theirs: LoadResult[] = []
  for (let round = -1; round < rounds; round++) {
    // The first round only warms up.
    const wish = { token: place.token, operation, ...load }
    const bare = await runLoad({ ...wish, url: bareUrl })
    const docket = await runLoad({ ...wish, url: place.url })
    if (round < 0) continue
    theirs.push(bare)
    ours.push(docket)
  }
  const [us, them] = [figuresOf(ours), figuresOf(theirs)]
  const aim = readings.includes(operation) ? aimOf(us.p99, { most: mostMs }) : {}
  return [
    { what: `${operation}, ${load.connections} connections, bare`, ...them },
    {
      what: `${operation}, ${load.connections} connections, Docket`,
      ...us,
      ratio: us['req/s'] / them['req/s'],
      ...aim,
    },
  ]
}

const generator = fileURLToPath(new URL('./load.ts', import.meta.url))

const runLoad = async (wish: NotificationWish): Promise<LoadResult> => {
  const { output } = await runProgram(process.execPath, [generator, JSON.stringify(wish)])
  return JSON.parse(output) as LoadResult
}

const figuresOf = (results: readonly LoadResult[]) => ({
  'req/s': median(results.map(({ perSecond }) => perSecond)),
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
})

const startBare = async ({ databaseUrl }: Place, userId: number) => {
  const port = await freePort()
  const script = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: `${port}`, USER_ID: `${userId}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if ((await fetch(`${url}/api/notifications/count`).catch(() => undefined))?.ok) break
    await delay(50)
  }
  const stop = async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
  }
  return { url, stop }
}

/** A peer that answers less would be no peer. */
const assertSameAnswers = async ({ url, token }: Place, bareUrl: string): Promise<void> => {
  const headers = { Authorization: `Bearer ${token}` }
  for (const query of ['?limit=20', '?limit=20&status=unseen', '/count', '/count?status=unseen']) {
    const path = `/api/notifications${query}`
    const ours = await (await fetch(`${url}${path}`, { headers })).json()
    const theirs = await (await fetch(`${bareUrl}${path}`)).json()
    if (!isDeepStrictEqual(ours, theirs)) throw new Error(`The answers to GET ${path} differ.`)
  }
}
