/** Create, read, list and search beside bare Fastify routes on the same table, by turns. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { median } from '../figures.ts'
import { freePort, type Place } from '../place.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import type { LoadResult, LoadWish } from './load.ts'
import { runLoad } from './run-load.ts'

const kinds = [
  { operation: 'read', least: 0.7 },
  { operation: 'list', least: 0.7 },
  { operation: 'search', least: 0.7 },
  { operation: 'create', least: 0.5 },
] as const
const rounds = 3
const loadMs = 2000

/** A table per operation, with a pair of rows for 1, 8 and 32 connections. */
export const benchRecords = async (
  place: Place,
  rows: number,
  note: (text: string) => void,
): Promise<readonly Table[]> => {
  const bare = await startBare(place)
  try {
    await assertSameAnswers(place, bare.url)
    const tables: Table[] = []
    for (const { operation, least } of kinds) {
      const figures: Row[] = []
      for (const connections of [1, 8, 32]) {
        const wish = { token: place.token, operation, rows, connections, pauseMs: 0 }
        figures.push(...(await compare(wish, [place.url, bare.url], least)))
      }
      tables.push({ title: `${operation}, median of ${rounds} (ms)`, rows: figures })
      note(`Measured ${operation}.\n`)
    }
    return tables
  } finally {
    await bare.stop()
  }
}

type Wish = Omit<LoadWish, 'url' | 'ms'>

const compare = async (
  wish: Wish,
  [ourUrl, bareUrl]: readonly [string, string],
  least: number,
): Promise<Row[]> => {
  const ours: LoadResult[] = []
  const theirs: LoadResult[] = []
  for (let round = -1; round < rounds; round++) {
    // The first round only warms up.
    const ms = round < 0 ? loadMs / 2 : loadMs
    const bare = await runLoad({ ...wish, url: bareUrl, ms })
    const docket = await runLoad({ ...wish, url: ourUrl, ms })
    if (round < 0) continue
    theirs.push(bare)
    ours.push(docket)
  }
  const [us, them] = [figuresOf(ours), figuresOf(theirs)]
  const ratio = us['req/s'] / them['req/s']
  const { connections } = wish
  return [
    { what: `bare, ${connections} connections`, ...them },
    { what: `Docket, ${connections} connections`, ...us, ratio, ...aimOf(ratio, { least }) },
  ]
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
    if ((await fetch(`${url}/invoice/1`).catch(() => undefined))?.ok) break
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
  for (const path of ['/invoice/7', '/invoice?limit=20']) {
    const ours = await (await fetch(`${url}${path}`, { headers })).json()
    const theirs = await (await fetch(`${bareUrl}${path}`)).json()
    if (!isDeepStrictEqual(ours, theirs)) throw new Error(`The answers to GET ${path} differ.`)
  }
}
