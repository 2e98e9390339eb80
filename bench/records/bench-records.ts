/** Create, read, list and search beside bare Fastify routes on the same table, by turns. */
import type { Operation } from '../load/operations.ts'
import { assertSameAnswers, compareWithBare, rounds, startBare } from '../load/run-load.ts'
import type { Note, Place } from '../place.ts'
import { aimOf, type Row, type Table } from '../report.ts'

const leastRatios: readonly [operation: Operation, least: number][] = [
  ['read an invoice', 0.7],
  ['list invoices', 0.7],
  ['search invoices', 0.7],
  ['create an invoice', 0.5],
]
const ms = 2000

/** A table per operation, with a pair of rows for 1, 8 and 32 connections. */
export const benchRecords = async (
  place: Place,
  rows: number,
  note: Note,
): Promise<readonly Table[]> => {
  const script = new URL('./bare-server.ts', import.meta.url)
  const bare = await startBare(script, { DATABASE_URL: place.databaseUrl })
  try {
    const pair = { docket: place, bare }
    await assertSameAnswers(pair, ['/invoice/7', '/invoice?limit=20'])
    const tables: Table[] = []
    for (const [operation, least] of leastRatios) {
      const figures: Row[] = []
      for (const connections of [1, 8, 32]) {
        const task = { operation, rows, connections, ms }
        const aim = ({ ratio }: { ratio: number }) => aimOf(ratio, { least })
        figures.push(...(await compareWithBare(pair, { task, aim })))
      }
      tables.push({ title: `${operation}, median of ${rounds} (ms)`, rows: figures })
      note(`Measured: ${operation}.\n`)
    }
    return tables
  } finally {
    await bare.stop()
  }
}
