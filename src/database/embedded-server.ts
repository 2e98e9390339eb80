/** The embedded server as a process: its data are made, it is started, found alive, and stopped. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartFault } from '../errors.ts'
import { type Address, listenSettings, urlOf } from './embedded-address.ts'
import type { Binaries } from './embedded-binaries.ts'
import { endOfLog, openLog } from './embedded-log.ts'
import { giveTo, type ServerUser } from './embedded-user.ts'

export type Server = {
  readonly directory: string
  readonly data: string
  readonly binaries: Binaries
  readonly user: ServerUser
}

const startTimeoutMs = 30_000
const stopTimeoutMs = 60_000
const pidFile = 'postmaster.pid'

/** Makes the data folder where there is none; `isSynced` false saves the wait for the disk. */
export const initialise = async (
  server: Server,
  address: Address,
  isSynced: boolean,
): Promise<void> => {
  const { directory, data, user, binaries } = server
  if (existsSync(join(data, 'PG_VERSION'))) return
  for (const name of await readdir(directory))
    if (name.startsWith('postgres.new-'))
      await rm(join(directory, name), { recursive: true, force: true })
  // A folder that is half made is never taken for a whole one: it gets its name at the end.
  const workshop = await mkdtemp(`${data}.new-`)
  await giveTo(user, workshop)
  const unfinished = join(workshop, 'data')
  const locale = ['--locale-provider=icu', '--icu-locale=und', `--locale=${libcLocale}`]
  const identity = ['-U', 'docket', ...(await authentication(user, workshop, address))]
  const speed = isSynced ? [] : ['--no-sync']
  await run(user, binaries.initdb, [
    '-D',
    unfinished,
    '-E',
    'UTF8',
    ...identity,
    ...locale,
    ...speed,
    '--no-instructions',
  ])
  await rename(unfinished, data)
  await rm(workshop, { recursive: true })
}

// Only Linux is sure to have C.UTF-8; what it decides beside ICU is little.
const libcLocale = process.platform === 'linux' ? 'C.UTF-8' : 'C'

const authentication = async (user: ServerUser, workshop: string, { password }: Address) => {
  if (password === undefined) return ['-A', 'trust']
  const file = join(workshop, 'password')
  await writeFile(file, password, { mode: 0o600 })
  await giveTo(user, file)
  return ['-A', 'scram-sha-256', `--pwfile=${file}`]
}

const run = (user: ServerUser, file: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const [command, all] = user.command(file, args)
    const child = spawn(command, all, {
      ...user.spawnOptions,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk).slice(-4000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => reject(new StartFault(`${file} cannot be run: ${error.message}`)))
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new StartFault(`The embedded database cannot be made:\n${output}`))
    })
  })

/** Starts the server, or waits for one that is just coming up or going down. */
export const launch = async (
  server: Server,
  address: Address,
  settings: Readonly<Record<string, string>>,
): Promise<void> => {
  const deadline = performance.now() + startTimeoutMs
  let child: Child | undefined
  while (!(await isServing(server, address))) {
    if (child?.ended !== undefined && (await waitsForOrphans(server))) child = undefined
    if (child?.ended !== undefined || performance.now() > deadline)
      throw await startFault(server, child?.ended ?? 'no answer in 30 s')
    if (child === undefined && !(await hasPostmaster(server))) {
      await removeStaleLocks(server)
      child = await start(server, { ...settings, ...listenSettings(address) })
    }
    await delay(20)
  }
}

// The sessions of a server that was killed outlive it for a moment, and keep its memory.
const waitsForOrphans = async ({ directory }: Server): Promise<boolean> =>
  (await endOfLog(directory)).lines.includes('pre-existing shared memory block')

type Child = { ended: string | undefined }

/** In a session of its own, so that Ctrl-C ends requests before the database. */
const start = async (
  server: Server,
  settings: Readonly<Record<string, string>>,
): Promise<Child> => {
  const { data, binaries, user, directory } = server
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = await openLog(directory)
  const [command, args] = user.command(binaries.postgres, ['-D', data, ...options])
  const stdio = ['ignore', log.fd, log.fd] as const
  const postmaster = spawn(command, args, {
    ...user.spawnOptions,
    cwd: '/',
    detached: true,
    stdio: [...stdio],
  })
  const child: Child = { ended: undefined }
  postmaster.on('error', (error) => {
    child.ended = error.message
  })
  postmaster.on('exit', (code) => {
    child.ended = `it ended with code ${code}`
  })
  postmaster.unref()
  await log.close()
  return child
}

const startFault = async ({ directory }: Server, reason: string): Promise<StartFault> => {
  const { file, lines } = await endOfLog(directory)
  return new StartFault(
    `The embedded database does not start (${reason}). ${file} ends with:\n${lines}`,
  )
}

/** Whether the server of this very folder answers: a copied project carries another one's address. */
export const isServing = async ({ data }: Server, address: Address): Promise<boolean> => {
  const client = new pg.Client({
    connectionString: urlOf(address, 'postgres'),
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ data: string }>(
      `SELECT current_setting('data_directory') AS data`,
    )
    return (await realpath(rows[0]?.data ?? '')) === (await realpath(data))
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

const postmasterId = async ({ data }: Server): Promise<number | undefined> => {
  try {
    return Number((await readFile(join(data, pidFile), 'utf8')).split('\n')[0]) || undefined
  } catch {
    return undefined
  }
}

/** After a power loss another process may have the number that is written in the pid file. */
const hasPostmaster = async (server: Server): Promise<boolean> => {
  const id = await postmasterId(server)
  if (id === undefined || !isAlive(id)) return false
  if (process.platform === 'win32') return true
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'comm=', '-p', `${id}`], { encoding: 'utf8' }).stdout.includes(
      'postgres',
    )
  try {
    // The server works inside its data folder, wherever that was moved to.
    const [there, data] = await Promise.all([stat(`/proc/${id}/cwd`), stat(server.data)])
    return there.ino === data.ino && there.dev === data.dev
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

/** PostgreSQL itself would take any process of its user with the noted number for a server. */
const removeStaleLocks = async ({ data }: Server): Promise<void> => {
  await rm(join(data, pidFile), { force: true })
  for (const name of await readdir(data))
    if (name.startsWith('.s.PGSQL.')) await rm(join(data, name), { force: true })
}

/** Fast shutdown: sessions end, what is committed is on disk. */
export const shutDown = async (server: Server): Promise<void> => {
  const id = await postmasterId(server)
  if (id === undefined) return
  if (process.platform === 'win32') {
    await run(server.user, server.binaries.pg_ctl, ['stop', '-D', server.data, '-m', 'fast'])
    return
  }
  process.kill(id, 'SIGINT')
  const deadline = performance.now() + stopTimeoutMs
  // Its file goes last.
  while (existsSync(join(server.data, pidFile)) && performance.now() < deadline) await delay(10)
}
