/** Restores a backup into a database, in one transaction. */
import { Readable } from 'node:stream'
import pg from 'pg'
import type { BlobStore } from '../blobs/blob-store.ts'
import { receiveFile } from '../blobs/received-file.ts'
import { type CopyIn, copyIn } from '../database/copy.ts'
import { isLastOfConnection, isUnavailable } from '../database/database-errors.ts'
import { listAdvisoryHolders, printHolders } from '../database/locks.ts'
import { newestMigration, refuseOldServer } from '../database/migrate.ts'
import { makeHeldDatabase } from '../database/sending-database.ts'
import { identifier } from '../database/sql.ts'
import { takeAlone, useLock } from '../database/users-of-database.ts'
import { errorText, StartupError } from '../errors.ts'
import { type BackupTable, type Head, ownSchemas, type TableCount } from './backup-format.ts'
import { type BackupReader, readBackup } from './read-backup.ts'
import { dependents } from './schema-queries.ts'

type Options = {
  readonly connectionString: string
  readonly source: Readable
  /** Where the bytes of its files go. */
  readonly blobs: BlobStore
  /** Removes the content of the database first. */
  readonly replace: boolean
  /** Called as the rows of a table are written. */
  readonly onTable: (name: string, bytes: number) => void
}

export type Restored = {
  readonly head: Head
  readonly counts: readonly TableCount[]
  readonly files: number
  /** Why the statistics of its tables could not be computed, if so. */
  readonly withoutStatistics?: unknown
}

/** Thrown when it is unknown whether the database was restored. */
export class RestoreInDoubt extends StartupError {}

/** Returns a summary; the database is unchanged after every error except a RestoreInDoubt. */
export const restoreBackup = async (options: Options): Promise<Restored> => {
  const { connectionString } = options
  const client = new pg.Client({
    connectionString,
    application_name: 'docket restore',
    keepAlive: true,
  })
  let lost: unknown
  // The first one: later statements only say that there is no connection.
  client.on('error', (error) => (lost ??= error))
  await client.connect()
  try {
    await refuseOldServer(client)
    await refuseUse(client)
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await client.query('BEGIN')
    const restored = await readBackup(options.source, writerOf(client, options))
    await commit(client)
    return { ...restored, ...(await makeStatistics(client, restored.head)) }
  } catch (error) {
    if (error instanceof StartupError || !isUnavailable(error)) throw error
    const text = `The connection to PostgreSQL was lost: ${errorText(lost ?? error)}`
    throw new StartupError(text, { cause: error })
  } finally {
    // Uncommitted changes are lost with the connection.
    await client.end()
  }
}

/** A connection that breaks during the commit leaves its result unknown. */
const commit = async (client: pg.Client): Promise<void> => {
  try {
    await client.query('COMMIT')
  } catch (error) {
    if (!isLastOfConnection(error)) throw error
    throw new RestoreInDoubt(`The connection broke at the commit: ${errorText(error)}`, {
      cause: error,
    })
  }
}

/** PostgreSQL computes them later itself: without them the database is only slower. */
const makeStatistics = async (
  client: pg.Client,
  { tables }: Head,
): Promise<Pick<Restored, 'withoutStatistics'>> => {
  try {
    await client.query(`ANALYZE ${tables.map(({ name }) => name).join(', ')}`)
    return {}
  } catch (error) {
    return { withoutStatistics: error }
  }
}

// Connections of a process that has just ended disappear within this time.
const goneWithinMs = 2_000
const maxUsersNamed = 3

/** No other process may use the database during the restore. */
const refuseUse = async (client: pg.Client): Promise<void> => {
  if (await takeAlone(client, { waitMs: goneWithinMs })) return
  const users = await listAdvisoryHolders(client, useLock)
  throw new StartupError(
    `A service, a worker or a command uses this database (${users.length} connections, such as ${printHolders(users.slice(0, maxUsersNamed))}); stop it, then restore.`,
  )
}

const writerOf = (client: pg.Client, options: Options): BackupReader => {
  let copy: CopyIn | undefined
  let current = ''
  let bytesOfTable = 0
  return {
    onHead: async (head) => {
      await refuseUnknown(head)
      await makeRoom(client, options.replace)
      await createEarlierJobs(client, head)
      await client.query(`SET LOCAL search_path = ''; SET LOCAL check_function_bodies = off;
        SET LOCAL client_encoding = 'UTF8'; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO';
        SET LOCAL maintenance_work_mem = '256MB'`)
    },
    onBefore: async (script) => {
      await client.query(script)
    },
    onTable: async ({ name, columns }: BackupTable) => {
      current = name
      bytesOfTable = 0
      options.onTable(name, 0)
      const list = columns.map(identifier).join(', ')
      copy = await copyIn(client, `COPY ${name} (${list}) FROM STDIN`)
    },
    onRows: async (bytes) => {
      bytesOfTable += bytes.length
      await copy?.write(bytes)
      options.onTable(current, bytesOfTable)
    },
    onTableEnd: async () => copy?.end(),
    // Before the commit: bytes without a row are harmless.
    onFile: (sha256, pieces) => storeFile(options.blobs, sha256, pieces),
    onAfter: async (script) => {
      await client.query(script)
      await endSessions(client)
      await makeHeldDatabase(client)
    },
  }
}

const storeFile = async (
  blobs: BlobStore,
  sha256: string,
  pieces: AsyncIterable<Buffer>,
): Promise<void> => {
  const blob = await blobs.create()
  try {
    const body = Readable.from(pieces, { objectMode: false })
    await receiveFile(body, blob.file, { limitBytes: Number.POSITIVE_INFINITY })
    await blob.keep(sha256)
  } finally {
    await blob.close()
  }
}

/** Rejects backups with migrations or job tables that this version does not know. */
const refuseUnknown = async ({ migration, docket }: Head): Promise<void> => {
  if (migration > (await newestMigration()))
    throw new StartupError(
      `It was created by Docket ${docket}; restore it with that version or a newer one.`,
    )
}

const makeRoom = async (client: pg.Client, replace: boolean): Promise<void> => {
  const { rows } = await client.query<{ tables: number }>(
    `SELECT count(*)::integer AS tables FROM pg_tables WHERE schemaname = ANY ($1::text[])`,
    [ownSchemas],
  )
  const tables = rows[0]?.tables ?? 0
  if (tables > 0 && !replace)
    throw new StartupError(
      `The database is not empty: it has ${tables} tables of Docket. Restore into an empty one, or replace its content with --replace.`,
    )
  if (tables === 0) return
  await refuseDependents(client)
  for (const schema of ownSchemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
}

const maxNamed = 20

/** Views and other objects on the tables would be removed with them, and the backup does not contain them. */
const refuseDependents = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(dependents, [ownSchemas])
  if (rows.length === 0) return
  const names = rows.slice(0, maxNamed).map(({ name }) => name)
  const more = rows.length > maxNamed ? `, and ${rows.length - maxNamed} more` : ''
  throw new StartupError(
    `Objects that depend on its tables would be removed with them: ${names.join(', ')}${more}. Remove them yourself and create them again after the restore, or restore into an empty database.`,
  )
}

// Backups of earlier versions have the rows of jobs in this schema; the migration moves them (0049-own-jobs.sql).
const earlierJobs = 'graphile_worker'

/** The tables of jobs in a backup of an earlier version, without the types of their columns, which it does not name. */
const createEarlierJobs = async (client: pg.Client, { tables }: Head): Promise<void> => {
  await client.query(`DROP SCHEMA IF EXISTS ${earlierJobs} CASCADE`)
  const earlier = tables.filter(({ name }) => name.startsWith(`${earlierJobs}.`))
  if (earlier.length > 0) await client.query(`CREATE SCHEMA ${earlierJobs}`)
  for (const { name, columns } of earlier)
    await client.query(
      `CREATE TABLE ${name} (${columns.map((one) => `${identifier(one)} text`).join(', ')})`,
    )
}

/** Ends all sessions and codes of a restored database, because some may have been ended or used up after the backup. */
const endSessions = (client: pg.Client) =>
  // A backup of an earlier version has no such tables.
  client.query(`DO $$ BEGIN
    IF pg_catalog.to_regclass('docket.session') IS NOT NULL THEN
      DELETE FROM docket.session;
    END IF;
    IF pg_catalog.to_regclass('docket.known_browser') IS NOT NULL THEN
      DELETE FROM docket.known_browser;
      DELETE FROM docket.failed_sign_in;
    END IF;
    IF pg_catalog.to_regclass('docket.one_time_code') IS NOT NULL THEN
      DELETE FROM docket.one_time_code;
    END IF;
    IF pg_catalog.to_regclass('docket.login_code') IS NOT NULL THEN
      DELETE FROM docket.login_code;
    END IF;
    IF pg_catalog.to_regclass('docket.invitation') IS NOT NULL THEN
      DELETE FROM docket.invitation;
    END IF;
    IF pg_catalog.to_regclass('docket.passkey') IS NOT NULL THEN
      DELETE FROM docket.recovery_code;
      DELETE FROM docket.sign_in_step;
      DELETE FROM docket.used_challenge;
    END IF;
  END $$`)
