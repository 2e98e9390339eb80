/** What four exports at once do to a reader of single records. */
import type { LoadResult } from '../load/load.ts'
import { measureBeside, mediansOf, rounds, runLoad } from '../load/run-load.ts'
import type { Place } from '../place.ts'
import { aimOf, type Table } from '../report.ts'
import { hasProgram } from '../run-program.ts'
import { copyByPsql, copyStatement, download } from './export-client.ts'

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
    runLoad({ ...place, operation: 'read an invoice', rows, ms: readMs, pauseMs: 4 })
  await read()
  for (let round = 0; round < rounds; round++) {
    idle.push(await read())
    besideExports.push(await measureBeside(() => download(place), read, atOnce))
    if (hasPsql)
      besidePsql.push(await measureBeside(() => copyByPsql(place, statement), read, atOnce))
  }
  const alone = mediansOf(idle)
  const busy = mediansOf(besideExports)
  const floor = mediansOf(besidePsql)
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
