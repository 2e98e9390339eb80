/** List, create, complete, own overdue list and counters of tasks beside bare routes, by turns. */
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
import { fillTasks, reopenTasks } from './fill.ts'
import type { TaskWish } from './load.ts'

const kinds = [
  { operation: 'list', least: 0.7 },
  { operation: 'overdue', least: 0.7 },
  { operation: 'count', least: 0.7 },
  { operation: 'complete', least: 0.5 },
  { operation: 'create', least: 0.5 },
  // Last, for the worker goes on telling people for a while.
  { operation: 'assign', least: 0 },
] as const
const rounds = 3
const loadMs = 2000
const connections = 8

/** One table, a pair of rows for each operation. */
export const benchTasks = async (
  place: Place,
  rows: number,
  note: (text: string) => void,
): Promise<readonly Table[]> => {
  note(`Filling ${rows.toLocaleString('en')} tasks …\n`)
  await fillTasks(place.databaseUrl, rows)
  const bare = await startBare(place)
  try {
    await assertSameAnswers(place, bare.url)
    const figures: Row[] = []
    for (const { operation, least } of kinds) {
      const wish = { token: place.token, operation, rows, connections }
      figures.push(...(await compare(place.databaseUrl, wish, [place.url, bare.url], least)))
      note(`Measured ${operation}.\n`)
    }
    return [{ title: `${connections} connections, median of ${rounds} (ms)`, rows: figures }]
  } finally {
    await bare.stop()
  }
}

type Wish = Omit<TaskWish, 'url' | 'ms'>

const compare = async (
  databaseUrl: string,
  wish: Wish,
  [ourUrl, bareUrl]: readonly [string, string],
  least: number,
): Promise<Row[]> => {
  const ours: LoadResult[] = []
  const theirs: LoadResult[] = []
  const measure = async (url: string, ms: number): Promise<LoadResult> => {
    if (wish.operation === 'complete') await reopenTasks(databaseUrl)
    return runLoad({ ...wish, url, ms })
  }
  for (let round = -1; round < rounds; round++) {
    // The first round only warms up.
    const ms = round < 0 ? loadMs / 2 : loadMs
    const bare = await measure(bareUrl, ms)
    const docket = await measure(ourUrl, ms)
    if (round < 0) continue
    theirs.push(bare)
    ours.push(docket)
  }
  const [us, them] = [figuresOf(ours), figuresOf(theirs)]
  const ratio = us['req/s'] / them['req/s']
  return [
    { what: `${wish.operation}, bare`, ...them },
    { what: `${wish.operation}, Docket`, ...us, ratio, ...aimOf(ratio, { least }) },
  ]
}

const generator = fileURLToPath(new URL('./load.ts', import.meta.url))

const runLoad = async (wish: TaskWish): Promise<LoadResult> => {
  const { output } = await runProgram(process.execPath, [generator, JSON.stringify(wish)])
  return JSON.parse(output) as LoadResult
}

const figuresOf = (results: readonly LoadResult[]) => ({
  'req/s': median(results.map(({ perSecond }) => perSecond)),
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
})

const startBare = async ({ databaseUrl }: Place) => {
  const port = await freePort()
  const script = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if ((await fetch(`${url}/api/tasks/count`).catch(() => undefined))?.ok) break
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
  const paths = ['/invoice/7/task', '/api/tasks?status=overdue&limit=20', '/api/tasks/count']
  for (const path of paths) {
    const ours = await (await fetch(`${url}${path}`, { headers })).json()
    const theirs = await (await fetch(`${bareUrl}${path}`)).json()
    if (!isDeepStrictEqual(ours, theirs))
      throw new Error(
        `The answers to GET ${path} differ: ${JSON.stringify(ours).slice(0, 900)} ${JSON.stringify(theirs).slice(0, 900)}`,
      )
  }
}
