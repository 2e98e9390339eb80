/**
 * Sessions on an embedded server. Each process that uses the server keeps one, with a shared lock that PostgreSQL
 * releases however the process ends; the watcher (embedded-watch.ts) has one with a lock of its own.
 */
import { realpath } from 'node:fs/promises'
import pg from 'pg'
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
