/**
 * The database that Docket brings along: a real PostgreSQL from npm packages, kept under a
 * project's `.docket/`. Several processes may use one; the last one out stops it.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { errorText, StartFault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { type Binaries, findBinaries } from './embedded-binaries.ts'
import { chooseServerUser, own, type ServerUser } from './embedded-user.ts'
import { socketDirectory } from './embedded-socket.ts'

export type EmbeddedDatabase = {
  readonly connectionString: string
  /** Leaves the server; the last process that leaves stops it. */
  readonly stop: () => Promise<void>
}

type Options = {
  /** The project's `.docket` folder. */
  readonly directory: string
  readonly observe: Observe
  /** Server settings beside the usual ones, such as `fsync: 'off'` for tests. */
  readonly settings?: Readonly<Record<string, string>>
}

const usualSettings = {
  listen_addresses: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // The answer to a write waits for the disk; nothing that was answered is lost.
  synchronous_commit: 'on',
  log_min_messages: 'warning',
}

// Any number will do: held shared by every process that uses the server.
const presenceLock = 7_305_114_001

const startTimeoutMs = 30_000

/** Starts the server, or joins the one that runs already. */
export const startEmbedded = async (options: Options): Promise<EmbeddedDatabase> => {
  const begun = performance.now()
  const data = join(options.directory, 'postgres')
  const binaries = await findBinaries()
  await mkdir(options.directory, { recursive: true })
  const user = await chooseServerUser(binaries.postgres, options.directory)
  return withLock(join(options.directory, 'postgres.lock'), async () => {
    if (!existsSync(join(data, 'PG_VERSION'))) await initialise(binaries, data, user)
    const sockets = await socketDirectory(options.directory, user)
    const address = (database: string) =>
      `postgresql://docket@localhost/${database}?host=${encodeURIComponent(sockets)}`
    const isRunning = await answers(address('postgres'))
    if (!isRunning) await launch({ ...options, binaries, data, user, sockets, url: address('postgres') })
    await createDatabase(address('postgres'))
    const presence = await enter(address('docket'))
    if (!isRunning)
      options.observe({
        kind: 'embeddedDatabaseStarted',
        directory: data,
        ms: performance.now() - begun,
      })
    return {
      connectionString: address('docket'),
      stop: () => leave(presence, data),
    }
  })
}

const initialise = async (binaries: Binaries, data: string, user: ServerUser) => {
  // A folder that is half made is never taken for a whole one: it gets its name at the end.
  const unfinished = `${data}.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await own(unfinished, user)
  const locale = ['--locale-provider=icu', '--icu-locale=und', '--locale=C.UTF-8']
  await run(user, binaries.initdb, ['-D', unfinished, '-U', 'docket', '-E', 'UTF8', '-A', 'trust', ...locale, '--no-instructions'])
  await rename(unfinished, data)
}

const run = (user: ServerUser, file: string, args: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const [command, all] = user.command(file, args)
    const child = spawn(command, all, { ...user.spawnOptions, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk).slice(-4000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => reject(new StartFault(`${file} cannot be run: ${error.message}`)))
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new StartFault(`The embedded database cannot be made:\n${output}`)),
    )
  })

type Launch = Options & {
  readonly binaries: Binaries
  readonly data: string
  readonly user: ServerUser
  readonly sockets: string
  readonly url: string
}

/** Starts the server in a session of its own, so that Ctrl-C ends requests before the database. */
const launch = async ({ binaries, data, user, sockets, url, settings, directory }: Launch) => {
  const all = { ...usualSettings, unix_socket_directories: sockets, ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logFile = join(directory, 'postgres.log')
  const log = await open(logFile, 'a')
  const [command, commandArgs] = user.command(binaries.postgres, ['-D', data, ...args])
  const child = spawn(command, commandArgs, {
    ...user.spawnOptions,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  let ended: string | undefined
  child.on('error', (error) => {
    ended = error.message
  })
  child.on('exit', (code) => {
    ended = `it ended with code ${code}`
  })
  child.unref()
  await log.close()
  const deadline = performance.now() + startTimeoutMs
  while (!(await answers(url))) {
    if (ended === undefined && performance.now() < deadline) {
      await delay(20)
      continue
    }
    const lines = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-10).join('\n')
    throw new StartFault(
      `The embedded database does not start (${ended ?? 'no answer in 30 s'}). Its log says:\n${lines}`,
    )
  }
}

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

const createDatabase = async (url: string) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query(`SELECT FROM pg_database WHERE datname = 'docket'`)
    if (rowCount === 0) await client.query('CREATE DATABASE docket')
  } finally {
    await client.end()
  }
}

const enter = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, application_name: 'docket presence' })
  // The server may be stopped under us by a person; whoever queries it will say so.
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`SELECT pg_advisory_lock_shared(${presenceLock})`)
  return client
}

const leave = async (presence: pg.Client, data: string) => {
  try {
    await presence.query(`SELECT pg_advisory_unlock_shared(${presenceLock})`)
    const { rows } = await presence.query<{ last: boolean }>(
      `SELECT pg_try_advisory_lock(${presenceLock}) AS last`,
    )
    await presence.end()
    if (rows[0]?.last) await stopServer(data)
  } catch {
    // It is gone already.
    await presence.end().catch(() => undefined)
  }
}

/** Fast shutdown: SIGINT to the postmaster, which removes its pid file at the end. */
const stopServer = async (data: string) => {
  const pidFile = join(data, 'postmaster.pid')
  const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  process.kill(pid, 'SIGINT')
  for (let waited = 0; existsSync(pidFile) && waited < 10_000; waited += 20) await delay(20)
}

/** One process at a time makes or starts a server; a lock that its process left behind is broken. */
const withLock = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + 2 * startTimeoutMs
  for (;;) {
    try {
      const handle = await open(file, 'wx')
      await handle.writeFile(String(process.pid))
      await handle.close()
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (await isStale(file)) await rm(file, { force: true })
    else if (performance.now() > deadline)
      throw new StartFault(`Another process holds ${file}; remove it if none is running.`)
    else await delay(50)
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

const isStale = async (file: string): Promise<boolean> => {
  try {
    const pid = Number(await readFile(file, 'utf8'))
    // An empty file is one that is just being written, unless it has been so for long.
    if (pid === 0) return Date.now() - (await stat(file)).mtimeMs > 5000
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' || errorText(error) === ''
  }
}
