/**
 * Sessions on an embedded server. Each process that uses the server keeps one, with a shared lock that PostgreSQL
 * releases however the process ends; the watcher (embedded-watch.ts) has one with a lock of its own.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { errorText, StartupError } from '../../errors.ts'
import { type Address, urlOf } from './embedded-address.ts'

export type Session = {
  readonly address: Address
  readonly client: pg.Client
  readonly ended: Promise<void>
}

/** Advisory locks in the database `postgres`, which always exists and has nothing of Docket's. */
const locks = { users: 1, watcher: 2 }

/** Connects to the server of this folder: a copied project contains another one's address. */
export const connectTo = async (
  data: string,
  address: Address | undefined,
): Promise<Session | undefined> => {
  if (address === undefined) return undefined
  const client = new pg.Client({
    connectionString: urlOf(address, 'postgres'),
    application_name: 'docket presence',
    connectionTimeoutMillis: 5000,
  })
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve)
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const served = await ask<string>(client, `current_setting('data_directory')`)
    if ((await realpath(served)) === (await realpath(data))) return { address, client, ended }
  } catch {
    // It does not run, starts or stops.
  }
  await client.end().catch(() => undefined)
  return undefined
}

/** Counts the session's process as one that uses the server; creates the database if necessary. */
export const enter = async ({ client }: Session): Promise<void> => {
  try {
    await client.query(`SELECT pg_advisory_lock_shared(${locks.users})`)
    const { rowCount } = await client.query(`SELECT FROM pg_database WHERE datname = 'docket'`)
    if (rowCount === 0) await client.query('CREATE DATABASE docket')
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

/** Ends what `enter` began; returns whether no process uses the server any more. False also if the session is lost. */
export const leave = async ({ client }: Session): Promise<boolean> => {
  try {
    await client.query(`SELECT pg_advisory_unlock_shared(${locks.users})`)
    return await isFree(client, locks.users)
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

export const isUsed = async ({ client }: Session): Promise<boolean> =>
  !(await isFree(client, locks.users))

export const isWatched = async ({ client }: Session): Promise<boolean> =>
  !(await isFree(client, locks.watcher))

/** Makes this session the watcher's; false if the server has a watcher. */
export const becomeWatcher = ({ client }: Session): Promise<boolean> =>
  ask(client, `pg_try_advisory_lock(${locks.watcher})`)

/** The lock lasts for the statement only. */
const isFree = (client: pg.Client, lock: number): Promise<boolean> =>
  ask(client, `pg_try_advisory_xact_lock(${lock})`)

const ask = async <T>(client: pg.Client, expression: string): Promise<T> => {
  const { rows } = await client.query<{ value: T }>(`SELECT ${expression} AS value`)
  return rows[0]?.value as T
}

// The lock for creating, starting and stopping an embedded server, between processes. It is a file lock by SQLite,
// because Node has none. The kernel releases it when its process ends, so it is never stale.

// Longer than the slowest work done under the lock: initdb and a start of 30 s.
const maxWaitMs = 120_000
const pauseMs = 20
const sqliteBusy = 5

/** Runs work while no other process holds the lock of this `.docket` folder. */
export const withServerLock = async <T>(directory: string, work: () => Promise<T>): Promise<T> => {
  const file = join(directory, 'postgres.lock')
  const database = open(file)
  try {
    const deadline = performance.now() + maxWaitMs
    while (!tryLock(database, file)) {
      if (performance.now() > deadline)
        throw new StartupError(
          `Another process holds ${file} for more than two minutes; end it first.`,
        )
      await delay(pauseMs)
    }
    return await work()
  } finally {
    database.close()
  }
}

const tryLock = (database: DatabaseSync, file: string): boolean => {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode === sqliteBusy) return false
    throw new StartupError(`${file} cannot be locked: ${errorText(error)}`, { cause: error })
  }
}

const open = (file: string): DatabaseSync => {
  try {
    createPrivate(file)
    return new DatabaseSync(file, { timeout: 0 })
  } catch (error) {
    throw new StartupError(
      `${file} cannot be opened (${errorText(error)}); the folder must be writable for the service.`,
      { cause: error },
    )
  }
}

/**
 * Creates the file, because SQLite would make it readable for everybody. An existing one is not opened:
 * closing it would release the lock that this process holds on it (POSIX, fcntl).
 */
const createPrivate = (file: string): void => {
  if (!existsSync(file)) writeFileSync(file, '', { flag: 'a', mode: 0o600 })
}
