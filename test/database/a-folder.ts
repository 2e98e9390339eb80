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
import { type EmbeddedDatabase, startEmbedded } from '../../src/database/embedded/embedded.ts'
import type { Observation } from '../../src/observations.ts'
import { within } from '../support/wait.ts'

type Start = Partial<Omit<Parameters<typeof startEmbedded>[0], 'directory' | 'observe'>>

export type Folder = {
  readonly directory: string
  readonly observations: readonly Observation[]
  readonly start: (options?: Start) => Promise<EmbeddedDatabase>
  /** Whether the server has ended in order: its pid file goes last. */
  readonly isStopped: () => boolean
  /** Starts in a process of its own; answers once it uses the database. */
  readonly startElsewhere: () => Promise<Elsewhere>
}

type Elsewhere = {
  readonly connectionString: string
  /** false: it joined a server that was running. */
  readonly isStarted: boolean
  /** Sends a signal, to the whole process group as a terminal does, and waits for the end. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>
}

let common: Promise<string> | undefined

after(async () => {
  const parent = await common
  if (parent !== undefined) await rm(parent, { recursive: true, maxRetries: 10 })
})

/** A `.docket` folder that the tests of a file take in turns; each leaves it without a server. */
export const aFolder = async (t: TestContext): Promise<Folder> => {
  common ??= mkdtemp(join(tmpdir(), 'docket-embedded-'))
  return using(t, join(await common, '.docket'))
}

/** A `.docket` folder that does not exist yet; it goes with the test. */
export const aNewFolder = async (
  t: TestContext,
  { mode = 0o755, path = '.docket' } = {},
): Promise<Folder> => {
  const parent = await mkdtemp(join(tmpdir(), 'docket-embedded-'))
  await chmod(parent, mode)
  const folder = using(t, join(parent, path))
  t.after(async () => {
    const note = join(folder.directory, 'postgres-address.json')
    const { host } = existsSync(note) ? JSON.parse(await readFile(note, 'utf8')) : {}
    if (host?.startsWith(tmpdir())) await rm(host, { recursive: true, force: true, maxRetries: 10 })
    await rm(parent, { recursive: true, force: true, maxRetries: 10 })
  })
  return folder
}

const using = (t: TestContext, directory: string): Folder => {
  const observations: Observation[] = []
  const started: EmbeddedDatabase[] = []
  const elsewhere: Elsewhere[] = []
  t.after(async () => {
    for (const one of elsewhere) await one.kill('SIGKILL')
    for (const one of started) await one.stop()
  })
  return {
    directory,
    observations,
    start: async (options = {}) => {
      const observe = (observation: Observation) => void observations.push(observation)
      const one = await startEmbedded({
        directory,
        observe,
        settings: { fsync: 'off' },
        ...options,
      })
      started.push(one)
      return one
    },
    isStopped: () => !existsSync(join(directory, 'postgres', 'postmaster.pid')),
    startElsewhere: async () => {
      const one = await startElsewhere(directory)
      elsewhere.push(one)
      return one
    },
  }
}

/** Runs a program to its end. */
export const run = async (file: string, ...args: string[]): Promise<void> => {
  const exit = once(spawn(file, args, { stdio: 'inherit' }), 'exit')
  const [code] = await within(`${file} ends`, exit)
  if (code !== 0) throw new Error(`${file} ended with ${code}`)
}

const script = fileURLToPath(new URL('hold-embedded.ts', import.meta.url))

const startElsewhere = async (directory: string): Promise<Elsewhere> => {
  const child = spawn(process.execPath, [script, directory], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = await within('it uses the database', once(child.stdout, 'data'))
  return {
    ...(JSON.parse(String(line)) as { connectionString: string; isStarted: boolean }),
    kill: async (signal) => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, signal)
      await within('it ends', ended)
    },
  }
}

/** Asks one thing of a database. */
export const ask = async (connectionString: string, text: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString })
  // A connection that is lost tells its query.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

/** The process number of the server that runs in a folder. */
export const postmasterOf = async ({ directory }: Folder): Promise<number> =>
  Number((await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** The process number of the program that watches a folder. */
export const watcherOf = async ({ directory }: Folder): Promise<number | undefined> => {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' })
  const line = stdout.split('\n').find((one) => one.includes(`docket-watch ${directory}`))
  return line === undefined ? undefined : Number(line.trim().split(' ')[0])
}
