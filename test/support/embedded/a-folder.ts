/** Folders with an embedded database, and processes that use one. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbedded } from '../../../src/database/embedded/embedded.ts'
import type { Observation } from '../../../src/observations.ts'
import { within } from '../wait.ts'

type Start = Partial<Omit<Parameters<typeof startEmbedded>[0], 'directory' | 'observe'>>

export type Folder = {
  readonly directory: string
  readonly observations: readonly Observation[]
  readonly start: (options?: Start) => Promise<EmbeddedDatabase>
  /** Whether the server has shut down cleanly: it removes its pid file last. */
  readonly isStopped: () => boolean
  /** Starts in another process; resolves once that process uses the database. */
  readonly startInProcess: () => Promise<OtherProcess>
}

type OtherProcess = {
  readonly connectionString: string
  /** false: the process uses a server that was already running. */
  readonly isStarted: boolean
  /** Sends a signal to the whole process group, as a terminal does, and waits for the exit. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>
}

let common: Promise<string> | undefined

after(async () => {
  const parent = await common
  if (parent !== undefined) await rm(parent, { recursive: true, maxRetries: 10 })
})

/** A `.docket` folder that the tests of a file use in turn; each test stops its server. */
export const aFolder = async (t: TestContext): Promise<Folder> => {
  common ??= mkdtemp(join(tmpdir(), 'docket-embedded-'))
  return folderForTest(t, join(await common, '.docket'))
}

/** A `.docket` folder that does not exist yet; it is removed after the test. */
export const aNewFolder = async (
  t: TestContext,
  { mode = 0o755, path = '.docket' } = {},
): Promise<Folder> => {
  const parent = await mkdtemp(join(tmpdir(), 'docket-embedded-'))
  await chmod(parent, mode)
  const folder = folderForTest(t, join(parent, path))
  t.after(async () => {
    const addressFile = join(folder.directory, 'postgres-address.json')
    const { host } = existsSync(addressFile) ? JSON.parse(await readFile(addressFile, 'utf8')) : {}
    if (host?.startsWith(tmpdir())) await rm(host, { recursive: true, force: true, maxRetries: 10 })
    await rm(parent, { recursive: true, force: true, maxRetries: 10 })
  })
  return folder
}

const folderForTest = (t: TestContext, directory: string): Folder => {
  const observations: Observation[] = []
  const started: EmbeddedDatabase[] = []
  const processes: OtherProcess[] = []
  t.after(async () => {
    for (const item of processes) await item.kill('SIGKILL')
    for (const item of started) await item.stop()
  })
  return {
    directory,
    observations,
    start: async (options = {}) => {
      const observe = (observation: Observation) => void observations.push(observation)
      const item = await startEmbedded({
        directory,
        observe,
        settings: { fsync: 'off' },
        ...options,
      })
      started.push(item)
      return item
    },
    isStopped: () => !existsSync(join(directory, 'postgres', 'postmaster.pid')),
    startInProcess: async () => {
      const item = await startInProcess(directory)
      processes.push(item)
      return item
    },
  }
}

/** Runs a program and waits until it exits. */
export const run = async (file: string, ...args: string[]): Promise<void> => {
  const exit = once(spawn(file, args, { stdio: 'inherit' }), 'exit')
  const [code] = await within(`${file} exits`, exit)
  if (code !== 0) throw new Error(`${file} exited with ${code}`)
}

const script = fileURLToPath(new URL('use-embedded.ts', import.meta.url))

const startInProcess = async (directory: string): Promise<OtherProcess> => {
  const child = spawn(process.execPath, [script, directory], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = await within('the process uses the database', once(child.stdout, 'data'))
  return {
    ...(JSON.parse(String(line)) as { connectionString: string; isStarted: boolean }),
    kill: async (signal) => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, signal)
      await within('the process exits', exited)
    },
  }
}

/** Runs a query and returns the first value of its first row. */
export const ask = async (connectionString: string, text: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString })
  // When the connection is lost, its query rejects.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

/** The process id of the server that runs in a folder. */
export const postmasterOf = async ({ directory }: Folder): Promise<number> =>
  Number((await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** The process id of the watcher of a folder. */
export const watcherOf = async ({ directory }: Folder): Promise<number | undefined> => {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' })
  const line = stdout.split('\n').find((item) => item.includes(`docket-watch ${directory}`))
  return line === undefined ? undefined : Number(line.trim().split(' ')[0])
}
