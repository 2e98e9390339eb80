/**
 * The embedded database: a real PostgreSQL from npm packages, with its data under a project's `.docket/`.
 * Several processes may use it; the last one stops it, and a watcher does so after killed processes. A
 * server that ends while it is used is restarted.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../config/process-limits.ts'
import { errorText, StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { programBeside } from '../../processes/service-thread.ts'
import { pauseAfter, serverRetries } from '../../retry-policy.ts'
import { makePrivate } from '../private-folder.ts'
import { chooseAddress, findAddress, urlOf } from './embedded-address.ts'
import {
  connectTo,
  enter,
  isWatched,
  leave,
  type Session,
  withServerLock,
} from './embedded-locks.ts'
import {
  findBinaries,
  hasPostmaster,
  type Place,
  placeOf,
  type Server,
  shutDown,
} from './embedded-postmaster.ts'
import { asStartupError, checkData, initialise, startServer } from './embedded-server.ts'
import { chooseServerUser, groupOfServer } from './embedded-user.ts'

export type EmbeddedDatabase = {
  readonly connectionString: string
  /** Leaves the server; the last process stops it. */
  readonly stop: () => Promise<void>
}

type Options = {
  /** The project's `.docket` folder. */
  readonly directory: string
  readonly observe: Observe
  /** Additional server settings, such as `fsync: 'off'` for tests. */
  readonly settings?: Readonly<Record<string, string>>
  /** Listens on a port of 127.0.0.1 with a password instead of a socket. */
  readonly overTcp?: boolean
}

const defaultSettings = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  log_min_messages: 'warning',
  // Details, parameters and statements contain data of records.
  log_error_verbosity: 'terse',
  log_parameter_max_length_on_error: '0',
  log_min_error_statement: 'panic',
}

const checkWatcherMs = 5_000

/** Starts the server, or joins a running one. */
export const startEmbedded = async ({
  directory,
  observe,
  settings,
  overTcp = process.platform === 'win32',
}: Options): Promise<EmbeddedDatabase> => {
  const server = await prepare(placeOf(resolve(directory), overTcp))
  let watcher: ChildProcess | undefined
  const watch = () => {
    watcher = startWatcher(server)
  }
  const rejoin = () => joinServer(server, { ...defaultSettings, ...settings }, watch, observe)
  let session = await rejoin()
  const stopping = new AbortController()
  const aborted = once(stopping.signal, 'abort')
  /** Joins again whenever the session is lost, which restarts a server that has ended. */
  const keepJoined = async () => {
    for (let failures = 0; ; ) {
      await Promise.race([session.ended, aborted])
      if (stopping.signal.aborted) return
      try {
        session = await rejoin()
        failures = 0
      } catch (error) {
        if (failures === 0) observe({ kind: 'embeddedDatabaseLost', error })
        failures += 1
        const pauseMs = pauseAfter(serverRetries, failures)
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
  const keeping = keepJoined()
  const watcherCheck = setInterval(async () => {
    // While the session is lost this is unknown.
    if (!(await isWatched(session).catch(() => true))) watch()
  }, checkWatcherMs).unref()
  const stop = async () => {
    clearInterval(watcherCheck)
    stopping.abort()
    await keeping
    // No process can join meanwhile.
    await withServerLock(server.directory, async () => {
      if (!(await leave(session))) return
      await shutDown(server)
      // One that another process started ends by itself.
      watcher?.kill('SIGKILL')
    })
  }
  let stopped: Promise<void> | undefined
  return {
    connectionString: urlOf(session.address, 'docket'),
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

const joinServer = async (
  server: Server,
  settings: Readonly<Record<string, string>>,
  watch: () => void,
  observe: Observe,
): Promise<Session> => {
  try {
    return await withServerLock(server.directory, async () => {
      const begun = performance.now()
      const running = await connectTo(server.data, await findAddress(server))
      // The watcher comes first, because this process may be killed at any time.
      if (!running) watch()
      const session = running ?? (await launch(server, settings))
      await enter(session)
      const ms = performance.now() - begun
      if (!running) observe({ kind: 'embeddedDatabaseStarted', directory: server.data, ms })
      return session
    })
  } catch (error) {
    throw asStartupError(error, server.directory)
  }
}

/** Whether a folder has data of an embedded server. */
export const hasEmbedded = async (directory: string): Promise<boolean> => {
  const found = await stat(join(directory, 'postgres', 'PG_VERSION')).catch(
    (error: NodeJS.ErrnoException) => error,
  )
  // Reading the folder reports missing permissions.
  return !(found instanceof Error && ['ENOENT', 'ENOTDIR'].includes(found.code ?? ''))
}

/** The address of the server of a folder, if it runs. */
export const findEmbedded = async (directory: string): Promise<string | undefined> => {
  const place = placeOf(resolve(directory), process.platform === 'win32')
  const session = await connectTo(place.data, await findAddress(place))
  await session?.client.end()
  return session && urlOf(session.address, 'docket')
}

const prepare = async (place: Place): Promise<Server> => {
  const { directory, data } = place
  const binaries = await findBinaries()
  try {
    await makePrivate(directory, await groupOfServer(data))
  } catch (error) {
    throw new StartupError(`${directory} cannot be created: ${errorText(error)}`, { cause: error })
  }
  const user = await chooseServerUser({ initdb: binaries.initdb, directory, data })
  return { ...place, binaries, user }
}

const launch = async (
  server: Server,
  settings: Readonly<Record<string, string>>,
): Promise<Session> => {
  await checkData(server)
  // A server that starts, or is too busy to answer, has its address.
  const current = (await hasPostmaster(server.data)) ? await findAddress(server) : undefined
  const address = current ?? (await chooseAddress(server, server.user))
  await initialise(server, address, settings.fsync !== 'off')
  return startServer(server, address, settings)
}

/** In a session of its own, so that Ctrl-C does not reach it, and without the secrets of the environment. */
const startWatcher = ({ directory, overTcp }: Place): ChildProcess => {
  const program = fileURLToPath(programBeside(import.meta.url, 'embedded-watch'))
  const args = [program, directory, overTcp ? 'tcp' : 'socket']
  const watcher = spawn(process.execPath, args, {
    cwd: '/',
    detached: true,
    windowsHide: true,
    stdio: 'ignore',
    env: childEnvironment(),
  })
  // Without a watcher the last process stops the server when it ends normally; the next check tries
  // again.
  watcher.on('error', () => undefined)
  watcher.unref()
  return watcher
}
