/** What four exports at once do to a reader of single records. */
import { median } from '../figures.ts'
import type { Place } from '../place.ts'
import type { LoadResult } from '../records/load.ts'
import { runLoad } from '../records/run-load.ts'
import { aimOf, type Table } from '../report.ts'
import { hasProgram } from '../run-program.ts'
import { copyByPsql, copyStatement, download } from './export-client.ts'

const rounds = 3
const readMs = 5000
const aimTimes = 3

const atOnce = 4

/**
 * `GET /invoice/:id` every few milliseconds: alone, beside exports, and beside as many psql that run
 * the same COPY, which tells what the machine itself does to a reader. By turns.
 */
export const measureNeighbours = async (place: Place, rows: number): Promise<Table> => {
  const statement = await copyStatement(place)
  const hasPsql = await hasProgram('psql')
  const idle: LoadResult[] = []
  const besideExports: LoadResult[] = []
  const besidePsql: LoadResult[] = []
  const read = () =>
    runLoad({ ...place, operation: 'read', rows, connections: 1, ms: readMs, pauseMs: 4 })
  await read()
  for (let round = 0; round < rounds; round++) {
    idle.push(await read())
    besideExports.push(await readBeside(() => download(place), read))
    if (hasPsql) besidePsql.push(await readBeside(() => copyByPsql(place, statement), read))
  }
  const alone = figuresOf(idle)
  const busy = figuresOf(besideExports)
  const floor = figuresOf(besidePsql)
  const ratio = busy.p99 / alone.p99
  return {
    title: 'GET /invoice/:id (ms), median of 3',
    rows: [
      { what: 'alone', ...alone },
      { what: `beside ${atOnce} exports`, ...busy, ratio, ...aimOf(ratio, { most: aimTimes }) },
      ...(hasPsql
        ? [{ what: `beside ${atOnce} psql COPY`, ...floor, ratio: floor.p99 / alone.p99 }]
        : []),
    ],
  }
}

const figuresOf = (results: readonly LoadResult[]) => ({
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
  most: median(results.map(({ most }) => most)),
  requests: results.reduce((sum, { requests }) => sum + requests, 0),
})

/** The load goes on, again and again, for as long as the reader reads. */
const readBeside = async (
  load: () => Promise<unknown>,
  read: () => Promise<LoadResult>,
): Promise<LoadResult> => {
  let isReading = true
  const loadAgain = async () => {
    while (isReading) await load()
  }
  const loading = Array.from({ length: atOnce }, loadAgain)
  const result = await read()
  isReading = false
  await Promise.all(loading)
  return result
}
