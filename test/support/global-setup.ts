/** Starts one PostgreSQL for the whole test run; every test file makes databases of its own in it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedDatabase, startEmbedded } from '../../src/database/embedded.ts'

let server: EmbeddedDatabase | undefined
let directory = ''

// The data of a test run need not survive a power loss.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
}

export const globalSetup = async (): Promise<void> => {
  if (process.env['TEST_DATABASE_URL']) return
  directory = await mkdtemp(join(tmpdir(), 'docket-test-'))
  server = await startEmbedded({ directory, settings, observe: () => undefined })
  process.env['TEST_DATABASE_URL'] = server.connectionString
}

export const globalTeardown = async (): Promise<void> => {
  await server?.stop()
  if (directory) await rm(directory, { recursive: true, force: true })
}
