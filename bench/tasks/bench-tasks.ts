/** List, create, complete, own overdue list and counters of tasks beside bare routes, by turns. */
import type { Operation } from '../load/operations.ts'
import { assertSameAnswers, compareWithBare, rounds, startBare } from '../load/run-load.ts'
import type { Note, Place } from '../place.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { fillTasks, reopenTasks } from './fill.ts'

const leastRatios: readonly [operation: Operation, least: number][] = [
  ['list tasks of a record', 0.7],
  ['list own overdue tasks', 0.7],
  ['count own tasks', 0.7],
  ['complete a task', 0.5],
  ['create a task', 0.5],
  // Last, for the worker goes on notifying users for a while.
  ['assign a new task', 0],
]
const ms = 2000
const connections = 8

/** One table, a pair of rows for each operation. */
export const benchTasks = async (
  { databaseUrl, ...place }: Place,
  rows: number,
  note: Note,
): Promise<readonly Table[]> => {
  note(`Filling ${rows.toLocaleString('en')} tasks …\n`)
  await fillTasks(databaseUrl, rows)
  const script = new URL('./bare-server.ts', import.meta.url)
  const bare = await startBare(script, { DATABASE_URL: databaseUrl })
  try {
    const pair = { docket: place, bare }
    const paths = ['/invoice/7/task', '/api/tasks?status=overdue&limit=20', '/api/tasks/count']
    await assertSameAnswers(pair, paths)
    const figures: Row[] = []
    for (const [operation, least] of leastRatios) {
      const comparison = {
        task: { operation, rows, connections, ms },
        aim: ({ ratio }: { ratio: number }) => aimOf(ratio, { least }),
        ...(operation === 'complete a task' && { prepare: () => reopenTasks(databaseUrl) }),
      }
      figures.push(...(await compareWithBare(pair, comparison)))
      note(`Measured: ${operation}.\n`)
    }
    return [{ title: `Tasks, median of ${rounds} (ms)`, rows: figures }]
  } finally {
    await bare.stop()
  }
}
