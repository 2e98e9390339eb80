/** Folders with an embedded database, and processes that use one. What a test starts ends with it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbedded } from '../../../src/database/embedded/embedded.ts'
import type { Observation } from '../../../src/observations.ts'
import { afterwards } from '../afterwards.ts'
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
  /** Kills the whole process group, as a terminal does, and waits for the exit. */
  readonly kill: () => Promise<void>
}

const makeParent = () => mkdtemp(join(tmpdir(), 'docket-embedded-'))

let common: Promise<string> | undefined

/** A `.docket` folder that the tests of a file use in turn. */
export const aFolder = async (): Promise<Folder> => {
  if (!common) {
    common = makeParent()
    const parent = await common
    process.once('exit', () => rmSync(parent, { recursive: true, force: true }))
  }
  return folderAt(join(await common, '.docket'))
}

/** A `.docket` folder that does not exist yet; it is removed after the test. */
export const aNewFolder = async ({ mode = 0o755, path = '.docket' } = {}): Promise<Folder> => {
  const parent = await makeParent()
  await chmod(parent, mode)
  const folder = folderAt(join(parent, path))
  afterwards(async () => {
    const addressFile = join(folder.directory, 'postgres-address.json')
    const { host } = existsSync(addressFile) ? JSON.parse(await readFile(addressFile, 'utf8')) : {}
    if (host?.startsWith(tmpdir())) await rm(host, { recursive: true, force: true, maxRetries: 10 })
    await rm(parent, { recursive: true, force: true, maxRetries: 10 })
  })
  return folder
}

const folderAt = (directory: string): Folder => {
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  return {
    directory,
    observations,
    start: async (options = {}) => {
      const settings = { fsync: 'off' }
      const database = await startEmbedded({ directory, observe, settings, ...options })
      afterwards(database.stop)
      return database
    },
    isStopped: () => !existsSync(join(directory, 'postgres', 'postmaster.pid')),
    startInProcess: async () => {
      const item = await startInProcess(directory)
      afterwards(item.kill)
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
    kill: async () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL')
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
