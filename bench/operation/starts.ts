/** Many processes that start at once on a database that follows the definitions. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPackage } from '../../packaging/built-copy.ts'
import type { Environment } from '../environment.ts'
import { timed } from '../figures.ts'
import { runProgram } from '../programs.ts'
import { aimOf, note, type Row, type Table } from '../report.ts'

const processes = 20

const atOnce = async (count: number, run: () => Promise<unknown>): Promise<number> => {
  const ms = await timed(() => Promise.all(Array.from({ length: count }, run)))
  return ms / 1000
}

/** Of the package that npm installs, which is what servers run, and of the sources of a clone. */
export const measureStarts = async (environment: Environment): Promise<Table> => {
  const folder = await buildPackage()
  try {
    return {
      title: 'Starts, seconds until the last of them answers',
      rows: [
        ...(await measureFrom(environment, 'the package', join(folder, 'dist/cli/main.js'))),
        ...(await measureFrom(environment, 'the sources', environment.entryPoint)),
        {
          what: `${processes} node -e 0`,
          seconds: await atOnce(processes, () => runProgram(process.execPath, ['-e', '0'])),
        },
      ],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const measureFrom = async (
  environment: Environment,
  origin: string,
  commandLine: string,
): Promise<Row[]> => {
  note(`Starting ${processes} processes of ${origin} at once …\n`)
  const measure = async (count: number, args: readonly string[]): Promise<number> => {
    const stops: (() => Promise<void>)[] = []
    const seconds = await atOnce(count, async () => {
      const variables = { DATABASE_POOL_SIZE: '2' }
      const { stop } = await environment.startService(args, variables, commandLine)
      stops.push(stop)
    })
    await Promise.all(stops.map((stop) => stop()))
    return seconds
  }
  // The first one keeps the compiled files.
  const first = await measure(1, ['--no-jobs'])
  const many = await measure(processes, ['--no-jobs'])
  const showHelp = () => runProgram(process.execPath, [commandLine, 'start', '--help'])
  return [
    { what: `${origin}: one docket start --no-jobs`, seconds: await measure(1, ['--no-jobs']) },
    { what: `${origin}: the first one, which may have to compile`, seconds: first },
    {
      what: `${origin}: ${processes} docket start --no-jobs`,
      seconds: many,
      ...aimOf(many, { most: 5 }),
    },
    { what: `${origin}: ${processes} docket start`, seconds: await measure(processes, []) },
    {
      what: `${origin}: ${processes} docket start --help, which only loads the files`,
      seconds: await atOnce(processes, showHelp),
    },
  ]
}
