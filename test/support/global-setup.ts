/** Starts one PostgreSQL for the whole test run. Every test file creates its own databases in it. */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage } from '../../packaging/built-copy.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../src/database/embedded/embedded.ts'
import { findChromium } from './chromium.ts'
import { dropDatabasesOfRun } from './database.ts'
import { findPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'

let server: EmbeddedDatabase | undefined
let pooler: PgBouncer | undefined
let directory = ''
let program: string | undefined
let inMemory: string | undefined

// The data of a test run does not have to survive a power loss.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
}

const compiled = fileURLToPath(new URL('../../node_modules/.cache/docket-tests', import.meta.url))

// Of the databases and files of a run, with room to spare.
const neededBytes = 6 * 2 ** 30

let environmentBefore: NodeJS.ProcessEnv = {}

/**
 * Called before the first test file. The files are processes that inherit the environment. Programs that they start are built before
 * if `builds` says so: each loads a few files then in place of two thousand.
 */
export const globalSetup = async ({ builds = false } = {}): Promise<void> => {
  environmentBefore = { ...process.env }
  process.env.TEST_RUN = randomBytes(4).toString('hex')
  // Unpacked here, because processes that begin at once would do it at once, in one place.
  process.env.TEST_CHROMIUM = await findChromium()
  inMemory = await makeFolderInMemory()
  if (inMemory !== undefined) process.env.TMPDIR = inMemory
  // Hundreds of processes load the same files: the first one to exit stores them compiled, for later runs too.
  // Compiled code that was stored is counted less exactly.
  const isCounted = process.env.NODE_V8_COVERAGE !== undefined
  if (!isCounted) process.env.NODE_COMPILE_CACHE = compiled
  const building = builds && !isCounted ? buildPackage() : undefined
  await startServer()
  program = await building
  if (program !== undefined) process.env.TEST_PROGRAM = join(program, 'dist/cli/main.js')
  if (process.env.TEST_POOLER) await startPooler()
}

const memory = '/dev/shm'
const memoryFolder = /^docket-tests-(\d+)$/

/**
 * A folder for all temporary files, in memory where Linux offers enough of it: creating a database, which is 900 files,
 * takes a tenth of the processor time there. Removes those of runs that were killed.
 */
const makeFolderInMemory = async (): Promise<string | undefined> => {
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  if (free < neededBytes) return undefined
  for (const name of await readdir(memory)) {
    const [, pid] = memoryFolder.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid)))
      // Its server may still be ending, and write.
      await rm(join(memory, name), { recursive: true, force: true, maxRetries: 10 })
  }
  const folder = join(memory, `docket-tests-${process.pid}`)
  await mkdir(folder)
  return folder
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const startServer = async (): Promise<void> => {
  if (process.env.TEST_DATABASE_URL) return
  directory = await mkdtemp(join(tmpdir(), 'docket-test-'))
  server = await startEmbedded({ directory, settings, observe: () => undefined })
  process.env.TEST_DATABASE_URL = server.connectionString
}

/** The services of the tests then use it (`npm run test:long -- pooler`). */
const startPooler = async (): Promise<void> => {
  const program = findPgBouncer()
  if (program === undefined) throw new Error('PgBouncer is not installed.')
  const url = process.env.TEST_DATABASE_URL ?? ''
  pooler = await startPgBouncer(program, url)
  process.env.TEST_POOLER_URL = pooler.addressOf(url)
  process.env.TEST_POOLER_SERVER = url
}

/** Called after the last test file; another run may follow in this process. */
export const globalTeardown = async (): Promise<void> => {
  await pooler?.stop()
  if (server) await server.stop()
  else await dropDatabasesOfRun()
  for (const folder of [directory, program ?? '', inMemory ?? ''])
    if (folder !== '') await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  server = pooler = program = inMemory = undefined
  directory = ''
  for (const name of Object.keys(process.env))
    if (!(name in environmentBefore)) delete process.env[name]
  Object.assign(process.env, environmentBefore)
}
