/**
 * The environment of a benchmark: a copy of the project, its own PostgreSQL, and the service, workers and
 * peers as separate processes. Nothing stays behind after an error or an interrupt.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '../src/database/embedded/embedded.ts'
import { createPool, type Pool } from '../src/database/pool.ts'
import { type Program, runProgram, startProgram, type Variables } from './programs.ts'

/** A service with a token of its administrator, whose id is 1. */
export type Service = Program & { readonly token: string }

export type Environment = {
  /** The folder of the project. */
  readonly project: string
  readonly databaseUrl: string
  readonly pool: Pool
  /** The command line, as a script for Node.js. */
  readonly entryPoint: string
  /** `PostgreSQL 18.4, Node v26.1.0`. */
  readonly versions: string
  /** Starts a service on a free port, from the sources or with another command line. */
  readonly startService: (
    args?: readonly string[],
    variables?: Variables,
    commandLine?: string,
  ) => Promise<Service>
  readonly startWorker: (variables?: Variables) => Promise<Program>
  /** Starts a peer: a script that prints a line with `is ready`. */
  readonly startPeer: (script: URL, variables?: Variables) => Promise<Program>
  /** Stops everything that was started, too. */
  readonly close: () => Promise<void>
}

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const entryPoint = pathOf('../src/cli/main.ts')

// The only caller sends more requests per minute than any real client.
const noLimits = {
  REQUESTS_PER_CALLER: '0',
  REQUESTS_PER_ADDRESS: '0',
  CONNECTIONS_PER_ADDRESS: '0',
  CONNECTIONS_AT_ONCE: '0',
}

/** Its tables are created and empty. */
export const openEnvironment = async (): Promise<Environment> => {
  const { keep, close } = createCloser()
  try {
    const project = await keep(mkdtemp(join(tmpdir(), 'docket-bench-')), (folder) =>
      rm(folder, { recursive: true, force: true, maxRetries: 10 }),
    )
    await cp(pathOf('./project'), project, { recursive: true })
    const observe = () => undefined
    const server = startEmbedded({ directory: join(project, '.docket'), observe })
    const { connectionString } = await keep(server, ({ stop }) => stop())
    const pool = createPool({ connectionString, size: 8, observe })
    await keep(Promise.resolve(pool), () => pool.end())
    const variables = { PROJECT: project, DATABASE_URL: connectionString, LOG_LEVEL: 'warn' }
    await runProgram(process.execPath, [entryPoint, 'migrate'], { variables })
    const { output } = await runProgram(process.execPath, [entryPoint, 'token'], { variables })
    const { rows } = await pool.query<{ server_version: string }>('SHOW server_version')
    const start = (args: readonly string[], readyLine: string, own: Variables = {}) => {
      const all = { PORT: '0', ...noLimits, ...variables, ...own }
      return keep(startProgram(args, { variables: all, readyLine }), ({ stop }) => stop())
    }
    // Such as `--cpu-prof`: flags for these processes only.
    const flags = process.env.BENCH_SERVICE_FLAGS?.split(' ').filter(Boolean) ?? []
    return {
      project,
      entryPoint,
      databaseUrl: connectionString,
      pool,
      versions: `PostgreSQL ${rows[0]?.server_version}, Node ${process.version}`,
      startService: async (args = [], own, commandLine = entryPoint) => {
        const all = [...flags, commandLine, 'start', ...args]
        return { ...(await start(all, 'is up at', own)), token: output.trim() }
      },
      startWorker: (own) => start([...flags, entryPoint, 'worker'], 'run here', own),
      startPeer: (script, own) => start([fileURLToPath(script)], 'is ready', own),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type End = () => Promise<unknown>

/** Closes what was added, the latest first; so do Ctrl-C and SIGTERM, which then end the process. */
const createCloser = () => {
  const ends: End[] = []
  let closing: Promise<void> | undefined
  const endAll = async () => {
    // More may be added meanwhile.
    for (let end = ends.pop(); end; end = ends.pop()) await end()
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
  // npm passes on the Ctrl-C that the terminal sends as well, so this may be called twice.
  const close = () => {
    closing ??= endAll()
    return closing
  }
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    const exit = () => process.exit(128 + constants.signals[signal])
    close().then(exit, exit)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  const keep = <T>(opening: Promise<T>, end: (opened: T) => Promise<unknown>): Promise<T> => {
    ends.push(() => opening.then(end, () => undefined))
    return opening
  }
  return { keep, close }
}
