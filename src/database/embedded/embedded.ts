/**
 * The embedded database: a real PostgreSQL from npm packages, with its data under a project's `.docket/`.
 * Several processes may use it; the last one stops it, and a watcher does so after killed processes. A
 * server that ends while it is used is restarted.
 */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { errorText, StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { makePrivate } from '../private-folder.ts'
import { type Address, knownAddress, newAddress, urlOf } from './embedded-address.ts'
import { findBinaries } from './embedded-binaries.ts'
import { asStartupError, checkData } from './embedded-errors.ts'
import { withFileLock } from './embedded-lock.ts'
import { type Server, shutDown } from './embedded-postmaster.ts'
import { initialise, isServing, spawnServer } from './embedded-server.ts'
import { superviseServer } from './embedded-supervisor.ts'
import { chooseServerUser, groupOfServer } from './embedded-user.ts'
import { enter, lockFiles, type Presence } from './embedded-users.ts'

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

/** Starts the server, or joins a running one. */
export const startEmbedded = async ({
  directory,
  observe,
  settings = {},
  overTcp = process.platform === 'win32',
}: Options): Promise<EmbeddedDatabase> => {
  const server = await prepare(resolve(directory))
  const { change } = lockFiles(server.directory)
  const bringUp = () => ensureServing({ ...server, overTcp }, { ...defaultSettings, ...settings })
  const observeStart = (begun: number) =>
    observe({
      kind: 'embeddedDatabaseStarted',
      directory: server.data,
      ms: performance.now() - begun,
    })
  return withFileLock(change, async () => {
    const begun = performance.now()
    const presence = await enter(server.directory)
    try {
      const { address, isStarted } = await bringUp()
      await createDatabase(address)
      if (isStarted) observeStart(begun)
      const connectionString = urlOf(address, 'docket')
      const keeper = superviseServer({
        connectionString,
        observe,
        revive: () =>
          withFileLock(change, async () => {
            const again = performance.now()
            if ((await bringUp()).isStarted) observeStart(again)
          }),
      })
      let left: Promise<void> | undefined
      const leave = async () => {
        await keeper.stop()
        await withFileLock(change, () => leaveServer(server, presence))
      }
      return {
        connectionString,
        stop: () => {
          left ??= leave()
          return left
        },
      }
    } catch (error) {
      await leaveServer(server, presence)
      throw asStartupError(error, server.directory)
    }
  })
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
export const findEmbedded = async (
  directory: string,
  overTcp = process.platform === 'win32',
): Promise<string | undefined> => {
  const folder = resolve(directory)
  const data = join(folder, 'postgres')
  const address = await knownAddress({ directory: folder, data, overTcp })
  if (address === undefined || !(await isServing({ data }, address))) return undefined
  return urlOf(address, 'docket')
}

/**
 * The last process stops the server: no process can join meanwhile, because that needs the lock of
 * changes.
 */
const leaveServer = async (server: Server, presence: Presence): Promise<void> => {
  if (!presence.leave()) return
  await shutDown(server)
  await presence.endWatch()
}

type Place = Server & { readonly overTcp: boolean }

/** Call it under the lock of changes. */
const ensureServing = async (
  place: Place,
  settings: Readonly<Record<string, string>>,
): Promise<{ address: Address; isStarted: boolean }> => {
  const known = await knownAddress(place)
  if (known !== undefined && (await isServing(place, known)))
    return { address: known, isStarted: false }
  await checkData(place)
  const address = await newAddress(place)
  await initialise(place, address, settings.fsync !== 'off')
  await spawnServer(place, address, settings)
  return { address, isStarted: true }
}

const prepare = async (directory: string): Promise<Server> => {
  const binaries = await findBinaries()
  const data = join(directory, 'postgres')
  try {
    await makePrivate(directory, await groupOfServer(data))
  } catch (error) {
    throw new StartupError(`${directory} cannot be created:  ${errorText(error)}`, { cause: error })
  }
  const user = await chooseServerUser({ initdb: binaries.initdb, directory, data })
  return { directory, data, binaries, user }
}

const createDatabase = async (address: Address): Promise<void> => {
  const client = new pg.Client({ connectionString: urlOf(address, 'postgres') })
  await client.connect()
  try {
    const { rowCount } = await client.query(`SELECT FROM pg_database WHERE datname = 'docket'`)
    if (rowCount === 0) await client.query('CREATE DATABASE docket')
  } finally {
    await client.end()
  }
}
