/**
 * The database that Docket brings along: a real PostgreSQL from npm packages, kept under a
 * project's `.docket/`. Several processes may use one; the last one out stops it.
 */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { errorText, StartFault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { type Address, knownAddress, newAddress, urlOf } from './embedded-address.ts'
import { findBinaries } from './embedded-binaries.ts'
import { withFileLock } from './embedded-lock.ts'
import { initialise, isServing, launch, type Server, shutDown } from './embedded-server.ts'
import { chooseServerUser } from './embedded-user.ts'

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
  /** Listens on a port of 127.0.0.1 with a password instead of a socket. */
  readonly overTcp?: boolean
}

const usualSettings = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  log_min_messages: 'warning',
}

// Any number will do: held shared by every process that uses the server.
const presenceLock = 7_305_114_001

/** Starts the server, or joins the one that runs already. */
export const startEmbedded = async ({
  directory,
  observe,
  settings = {},
  overTcp = process.platform === 'win32',
}: Options): Promise<EmbeddedDatabase> => {
  const begun = performance.now()
  const server = await prepare(resolve(directory))
  const lock = join(server.directory, 'postgres.lock')
  return withFileLock(lock, async () => {
    const place = { ...server, overTcp }
    const known = await knownAddress(place)
    const isRunning = known !== undefined && (await isServing(server, known))
    const address = isRunning ? known : await newAddress(place)
    if (!isRunning) {
      const all = { ...usualSettings, ...settings }
      await initialise(server, address, settings.fsync !== 'off')
      await launch(server, address, all)
    }
    await createDatabase(address)
    const presence = await enter(address)
    const ms = performance.now() - begun
    if (!isRunning) observe({ kind: 'embeddedDatabaseStarted', directory: server.data, ms })
    let left: Promise<void> | undefined
    return {
      connectionString: urlOf(address, 'docket'),
      stop: () => {
        left ??= withFileLock(lock, () => leave(server, address, presence))
        return left
      },
    }
  })
}

const prepare = async (directory: string): Promise<Server> => {
  const binaries = await findBinaries()
  try {
    await mkdir(directory, { recursive: true })
  } catch (error) {
    throw new StartFault(`${directory} cannot be made: ${errorText(error)}`, { cause: error })
  }
  const data = join(directory, 'postgres')
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

/** A connection that shows for as long as it is open that this process uses the server. */
const enter = async (address: Address): Promise<pg.Client> => {
  const client = presenceClient(address)
  await client.connect()
  await client.query(`SELECT pg_advisory_lock_shared(${presenceLock})`)
  return client
}

const presenceClient = (address: Address): pg.Client => {
  const client = new pg.Client({
    connectionString: urlOf(address, 'docket'),
    application_name: 'docket presence',
  })
  // The server may be stopped under us by a person; whoever queries it will say so.
  client.on('error', () => undefined)
  return client
}

const leave = async (server: Server, address: Address, presence: pg.Client): Promise<void> => {
  await presence.query(`SELECT pg_advisory_unlock_shared(${presenceLock})`).catch(() => undefined)
  await presence.end().catch(() => undefined)
  // Nobody can enter meanwhile: entering needs the file lock, which is held here.
  if (await isDeserted(address)) await shutDown(server)
}

const isDeserted = async (address: Address): Promise<boolean> => {
  const client = presenceClient(address)
  try {
    await client.connect()
    const { rows } = await client.query<{ free: boolean }>(
      `SELECT pg_try_advisory_lock(${presenceLock}) AS free`,
    )
    return rows[0]?.free === true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
