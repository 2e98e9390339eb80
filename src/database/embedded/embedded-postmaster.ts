/** The process of the embedded server: whether it lives, and how it is stopped. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './embedded-binaries.ts'
import type { ServerUser } from './embedded-user.ts'

export type Server = {
  readonly directory: string
  readonly data: string
  readonly binaries: Binaries
  readonly user: ServerUser
}

const pidFile = 'postmaster.pid'
// A fast shutdown takes a moment; a session that does not let go is cut off after this.
const fastWithinMs = 30_000
const atOnceWithinMs = 30_000

const postmasterId = async (data: string): Promise<number | undefined> => {
  try {
    return Number((await readFile(join(data, pidFile), 'utf8')).split('\n')[0]) || undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the server of a data folder lives. After a power loss another process may have the number
 * that is written in its pid file.
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
    // The server works inside its data folder, wherever that was moved to.
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
 * Removes what a dead server left: PostgreSQL itself would take any process of its user with the noted
 * number for a server.
 */
export const removeStaleLocks = async (data: string): Promise<void> => {
  await rm(join(data, pidFile), { force: true })
  for (const name of await readdir(data))
    if (name.startsWith('.s.PGSQL.')) await rm(join(data, name), { force: true })
}

/** Fast shutdown: sessions end, what is committed is on disk. */
export const shutDown = async ({
  data,
  binaries,
}: Pick<Server, 'data' | 'binaries'>): Promise<void> => {
  const id = await postmasterId(data)
  if (id === undefined || !(await hasPostmaster(data))) return
  if (process.platform === 'win32') {
    spawnSync(binaries.pg_ctl, ['stop', '-D', data, '-m', 'fast', '-w', '-t', '60'])
    return
  }
  if (await endsWithin(fastWithinMs, id, 'SIGINT', data)) return
  // The next start replays what the log of writes holds.
  await endsWithin(atOnceWithinMs, id, 'SIGQUIT', data)
}

const endsWithin = async (ms: number, id: number, signal: NodeJS.Signals, data: string) => {
  try {
    process.kill(id, signal)
  } catch {
    // It has ended by itself meanwhile.
    return true
  }
  const deadline = performance.now() + ms
  // Its file goes last.
  while (existsSync(join(data, pidFile)) && isAlive(id)) {
    if (performance.now() > deadline) return false
    await delay(10)
  }
  return true
}
