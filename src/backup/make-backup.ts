/** Creates a backup: every row of one snapshot, while others write. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { type BlobStore, MissingBlob } from '../blobs/blob-store.ts'
import { listBlobs } from '../blobs/check-blobs.ts'
import { type Batch, copyOut } from '../database/copy.ts'
import { identifier } from '../database/sql.ts'
import { joinUsers } from '../database/users-of-database.ts'
import { StartupError } from '../errors.ts'
import { packageVersion } from '../package-version.ts'
import {
  afterPath,
  type BackupTable,
  beforePath,
  digestOf,
  fileFolder,
  formatName,
  formatVersion,
  type Head,
  headPath,
  type Manifest,
  manifestPath,
  ownSchemas,
  rowsFolder,
  type TableCount,
  tarEnd,
  tarEntry,
} from './backup-format.ts'
import * as ask from './schema-queries.ts'

type Options = {
  readonly connectionString: string
  /** The bytes of its files. */
  readonly blobs: BlobStore
  /** Called before and after each table, with the counts so far. */
  readonly onTable: (name: string, rows: number) => void
}

export type BackupSummary = Pick<Head, 'leftOut' | 'server'> & {
  readonly tables: number
  readonly rows: number
  readonly files: number
  /** Files whose bytes are not in the store. */
  readonly missing: readonly string[]
}

const partBytes = 4 * 1024 * 1024
const maxTries = 10
// Undefined table or schema, and a deadlock with a migration.
const passing = new Set(['42P01', '3F000', '40P01'])

/** The uncompressed bytes of a backup; the generator returns the summary. */
export async function* makeBackup(options: Options): AsyncGenerator<Buffer, BackupSummary> {
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: 'docket backup',
    keepAlive: true,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await joinUsers(client)
    const tables = await begin(client)
    const { head, before, after } = await describe(client, tables)
    const headBytes = Buffer.from(JSON.stringify(head, null, 1))
    yield* tarEntry({ path: headPath, bytes: headBytes })
    yield* tarEntry({ path: beforePath, bytes: before })
    const counts: TableCount[] = []
    for (const [index, table] of head.tables.entries())
      counts.push(yield* rowsOf(client, table, index, options))
    const { files, missing } = yield* filesOf(client, head, options)
    yield* tarEntry({ path: afterPath, bytes: after })
    const manifest: Manifest = { head: digestOf(headBytes), tables: counts, files }
    yield* tarEntry({ path: manifestPath, bytes: Buffer.from(JSON.stringify(manifest, null, 1)) })
    yield tarEnd()
    const rows = counts.reduce((sum, count) => sum + count.rows, 0)
    const { leftOut, server } = head
    return { tables: counts.length, rows, files, missing, leftOut, server }
  } finally {
    await client.end()
  }
}

/** Opens one snapshot for all tables. Waits briefly for locks; the snapshot has no time limit. */
const begin = async (client: pg.Client): Promise<BackupTable[]> => {
  await client.query(`SET timezone = 'UTC'; SET datestyle = 'ISO'; SET client_encoding = 'UTF8';
    SET intervalstyle = 'postgres'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
    SET lock_timeout = '60s'; SET search_path = ''`)
  for (let count = 0; count < maxTries; count++) {
    const tables = await tryLocks(client)
    if (tables) return tables
    await client.query('ROLLBACK')
  }
  throw new StartupError('The tables are being changed: try again when the migration has ended.')
}

/**
 * Takes the snapshot after the locks. An earlier one would see no rows of a table that was rewritten
 * meanwhile, so no query may run before the locks.
 */
const tryLocks = async (client: pg.Client): Promise<BackupTable[] | undefined> => {
  const wanted = await listTables(client)
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    const names = wanted.map(({ name }) => name).join(', ')
    await client.query(`LOCK TABLE ${names} IN ACCESS SHARE MODE`)
  } catch (error) {
    if (passing.has(String((error as { code?: unknown }).code))) return undefined
    throw error
  }
  const found = await listTables(client)
  return isDeepStrictEqual(found, wanted) ? found : undefined
}

const describe = async (client: pg.Client, tables: readonly BackupTable[]) => {
  const before = await scriptOf(client, ask.beforeRows)
  const after = Buffer.concat([await scriptOf(client, ask.afterRows), await positionsOf(client)])
  const { rows: leftOut } = await client.query<{ name: string }>(ask.leftOut, [ownSchemas])
  const { rows } = await client.query<{ server: string; migration: number }>(
    `SELECT current_setting('server_version') AS server, (SELECT max(number) FROM docket.migration) AS migration`,
  )
  const head: Head = {
    format: formatName,
    version: formatVersion,
    docket: packageVersion(),
    madeAt: new Date().toISOString(),
    server: rows[0]?.server ?? '',
    migration: Number(rows[0]?.migration),
    tables,
    before: digestOf(before),
    after: digestOf(after),
    leftOut: leftOut.map(({ name }) => name),
  }
  return { head, before, after }
}

const listTables = async (client: pg.Client): Promise<BackupTable[]> => {
  type Row = { sql: string; schema: string; name: string; columns: string[] }
  const { rows } = await client.query<Row>(ask.tables, [ownSchemas])
  if (!rows.some(({ schema, name }) => schema === 'docket' && name === 'migration'))
    throw new StartupError('There is nothing to back up: Docket has never run on this database.')
  return rows.map(({ sql, columns }) => ({ name: sql, columns: columns ?? [] }))
}

const scriptOf = async (client: pg.Client, questions: readonly string[]): Promise<Buffer> => {
  const statements: string[] = []
  for (const question of questions) {
    const { rows } = await client.query<{ sql: string }>(question, [ownSchemas])
    statements.push(...rows.map(({ sql }) => `${sql};\n`))
  }
  return Buffer.from(statements.join(''))
}

/** The values of sequences; they may be ahead of the snapshot, never behind it. */
const positionsOf = async (client: pg.Client): Promise<Buffer> => {
  const { rows } = await client.query<{ name: string }>(ask.sequences, [ownSchemas])
  const statements: string[] = []
  for (const { name } of rows) {
    const { rows: at } = await client.query<{ sql: string }>(
      `SELECT format(
         'SELECT pg_catalog.setval(%L, %s, %s);', $1::text, last_value, is_called::text
       ) AS sql
       FROM ${name}`,
      [name],
    )
    statements.push(`${at[0]?.sql}\n`)
  }
  return Buffer.from(statements.join(''))
}

/** The rows of a table in parts; only one part is in memory. */
async function* rowsOf(
  client: pg.Client,
  { name, columns }: BackupTable,
  index: number,
  { onTable }: Options,
): AsyncGenerator<Buffer, TableCount> {
  const hash = createHash('sha256')
  const parts = divide(rowsFolder(index, name))
  let count = { rows: 0, bytes: 0 }
  onTable(name, 0)
  const statement = `COPY ${name} (${columns.map(identifier).join(', ')}) TO STDOUT`
  const copying: Readable = copyOut(client, statement, { end: '\n', separator: '' })
  for await (const { bytes, rows } of copying as AsyncIterable<Batch>) {
    hash.update(bytes)
    count = { rows: count.rows + rows, bytes: count.bytes + bytes.length }
    yield* parts.add(bytes)
    onTable(name, count.rows)
  }
  yield* parts.end()
  return { name, ...count, sha256: hash.digest('hex') }
}

/** Divides bytes into the entries of a folder. */
const divide = (folder: string) => {
  let parts = 0
  let filling: Buffer[] = []
  let filled = 0
  const part = (): Buffer[] => {
    parts += 1
    const bytes = Buffer.concat(filling)
    filling = []
    filled = 0
    return tarEntry({ path: `${folder}${String(parts).padStart(8, '0')}`, bytes })
  }
  return {
    *add(bytes: Buffer): Generator<Buffer> {
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + partBytes - filled)
        filling.push(Buffer.from(piece))
        filled += piece.length
        at += piece.length
        if (filled === partBytes) yield* part()
      }
    },
    *end(): Generator<Buffer> {
      if (filled > 0) yield* part()
    },
  }
}

/** The bytes of the files that the snapshot knows: they stay for FILES_KEEP_DAYS, whatever happens to their records. */
async function* filesOf(
  client: pg.Client,
  { tables }: Head,
  { blobs, onTable }: Options,
): AsyncGenerator<Buffer, { readonly files: number; readonly missing: readonly string[] }> {
  const missing: string[] = []
  let files = 0
  // The tables may be of an earlier version.
  const hasFiles = blobs.isInBackups && tables.some(({ name }) => name === 'docket.blob')
  if (!hasFiles) return { files, missing }
  for await (const { sha256 } of listBlobs(client)) {
    const bytes = await blobs.open(sha256).catch(undefinedIfMissing)
    if (!bytes) {
      missing.push(sha256)
      continue
    }
    const parts = divide(fileFolder(sha256))
    for await (const piece of bytes as AsyncIterable<Buffer>) yield* parts.add(piece)
    yield* parts.end()
    files += 1
    onTable('files', files)
  }
  return { files, missing }
}

const undefinedIfMissing = (error: unknown): undefined => {
  if (!(error instanceof MissingBlob)) throw error
}
