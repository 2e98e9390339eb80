/** A PostgreSQL server for one test, which stops, crashes and restarts it. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import { createPool } from '../../src/database/pool.ts'
import { afterwards } from './afterwards.ts'
import { until } from './wait.ts'

export type OwnServer = Awaited<ReturnType<typeof startOwnServer>>

/** Starts it on an empty folder. The address stays the same after every start. */
export const startOwnServer = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-own-server-'))
  afterwards(() => rm(directory, { recursive: true, force: true }))
  const observe = () => undefined
  const launch = () => startEmbedded({ directory, settings: { fsync: 'off' }, observe })
  let server = await launch()
  afterwards(() => server.stop())
  const { connectionString } = server
  const pool = createPool({ connectionString, size: 5, observe })
  afterwards(() => pool.end())
  const pidFile = join(directory, 'postgres', 'postmaster.pid')
  // The file disappears and reappears while it is read.
  const readPid = async () => Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
  const stop = async () => {
    await server.stop()
    await until('the server is gone', () => !existsSync(pidFile))
  }
  const start = async () => {
    server = await launch()
  }
  /** Crashes the server. The embedded server restarts it. */
  const crash = async () => {
    const before = await readPid()
    process.kill(before, 'SIGQUIT')
    await until('the server is back', async () => {
      const now = await readPid()
      return !Number.isNaN(now) && now !== before
    })
    await until('the server answers', () =>
      pool.query('SELECT').then(
        () => true,
        () => false,
      ),
    )
  }
  return { connectionString, pool, stop, start, crash }
}
