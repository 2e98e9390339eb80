/** Starts one PostgreSQL for the whole test run. Every test file creates its own databases in it. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedDatabase, startEmbedded } from '../../src/database/embedded/embedded.ts'
import { dropDatabasesOfRun } from './database.ts'
import { findPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'

let server: EmbeddedDatabase | undefined
let pooler: PgBouncer | undefined
let directory = ''
let compiled = ''

// The data of a test run does not have to survive a power loss.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
}

/** Called before the first test file. The files are processes that inherit the environment. */
export const globalSetup = async (): Promise<void> => {
  process.env.TEST_RUN = randomBytes(4).toString('hex')
  // Hundreds of processes load the same files: the first one to exit stores them compiled.
  compiled = await mkdtemp(join(tmpdir(), 'docket-compiled-'))
  // Compiled code that was stored is counted less exactly.
  if (process.env.NODE_V8_COVERAGE === undefined) process.env.NODE_COMPILE_CACHE = compiled
  await startServer()
  if (process.env.TEST_POOLER) await startPooler()
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

/** Called after the last test file. */
export const globalTeardown = async (): Promise<void> => {
  await pooler?.stop()
  await rm(compiled, { recursive: true, force: true, maxRetries: 5 })
  if (!server) return dropDatabasesOfRun()
  await server.stop()
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
}
