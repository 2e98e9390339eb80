/** Many processes that start at once on a database that follows the definitions. */
import type { Environment } from '../environment.ts'
import { timed } from '../figures.ts'
import { runProgram } from '../programs.ts'
import { aimOf, note, type Table } from '../report.ts'

const processes = 20

const atOnce = async (count: number, run: () => Promise<unknown>): Promise<number> => {
  const ms = await timed(() => Promise.all(Array.from({ length: count }, run)))
  return ms / 1000
}

export const measureStarts = async (environment: Environment): Promise<Table> => {
  note(`Starting ${processes} processes at once …\n`)
  const start = async (args: readonly string[]) => {
    const { stop } = await environment.startService(args, { DATABASE_POOL_SIZE: '2' })
    stops.push(stop)
  }
  let stops: (() => Promise<void>)[] = []
  const measure = async (count: number, args: readonly string[]): Promise<number> => {
    const seconds = await atOnce(count, () => start(args))
    await Promise.all(stops.map((stop) => stop()))
    stops = []
    return seconds
  }
  const runNode = (args: readonly string[]) => () => runProgram(process.execPath, args)
  // The first one keeps the compiled files.
  const first = await measure(1, ['--no-jobs'])
  const many = await measure(processes, ['--no-jobs'])
  return {
    title: 'Starts, seconds until the last of them answers',
    rows: [
      { what: 'one docket start --no-jobs', seconds: await measure(1, ['--no-jobs']) },
      { what: 'the first one, which may have to compile', seconds: first },
      { what: `${processes} docket start --no-jobs`, seconds: many, ...aimOf(many, { most: 5 }) },
      { what: `${processes} docket start`, seconds: await measure(processes, []) },
      {
        what: `${processes} docket start --help, which only loads the files`,
        seconds: await atOnce(processes, runNode([environment.entryPoint, 'start', '--help'])),
      },
      {
        what: `${processes} node -e 0`,
        seconds: await atOnce(processes, runNode(['-e', '0'])),
      },
    ],
  }
}
