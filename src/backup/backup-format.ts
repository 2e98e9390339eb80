/**
 * What a backup is: a gzipped tar archive with a head, the schema as SQL, the rows of every table as
 * COPY writes them, and a manifest at the end that says what is to be there (docs/backup.md).
 */
import { createHash } from 'node:crypto'
import { StartupError } from '../errors.ts'

export const formatName = 'docket-backup'
/** A reader refuses a later one. */
export const formatVersion = 1

export const headPath = 'head.json'
export const beforePath = 'schema-before-rows.sql'
export const afterPath = 'schema-after-rows.sql'
export const manifestPath = 'manifest.json'

/** The schemas that are made again from the backup; that of jobs is made by graphile-worker. */
export const ownSchemas = ['docket', 'records'] as const

export type BackupTable = {
  /** With its schema, quoted as SQL wants it. */
  readonly name: string
  readonly columns: readonly string[]
}

export type Head = {
  readonly format: typeof formatName
  readonly version: number
  /** Version of the Docket that made it. */
  readonly docket: string
  /** ISO 8601, UTC. */
  readonly madeAt: string
  /** Version of its PostgreSQL. */
  readonly server: string
  /** Number of the last migration of the schema `docket`. */
  readonly migration: number
  /** Number of the last migration of the tables of jobs. */
  readonly jobsMigration: number
  readonly tables: readonly BackupTable[]
  /** SHA-256 of the two files of SQL, in hexadecimal. */
  readonly before: string
  readonly after: string
  /** What the schemas hold beside, and the backup does not. */
  readonly leftOut: readonly string[]
}

export type TableCount = {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  /** SHA-256 of its rows, in hexadecimal. */
  readonly sha256: string
}

export type Manifest = {
  readonly head: string
  readonly tables: readonly TableCount[]
}

// A path in an archive has 100 bytes.
const maxShown = 70

/** Where the rows of a table are; cut into files, for the head of a file says its length. */
export const rowsFolder = (index: number, table: string): string => {
  const shown = table.replaceAll(/[^A-Za-z0-9_.-]/g, '').slice(0, maxShown)
  return `rows/${String(index + 1).padStart(4, '0')}-${shown}/`
}

/** SHA-256 in hexadecimal. */
export const digestOf = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('hex')

/** Reads the head; a StartFault where it is none that this Docket knows. */
export const readHead = (bytes: Buffer): Head => {
  const head = readJson(bytes) as Partial<Head> | null
  if (head?.format !== formatName || !Array.isArray(head.tables))
    throw new StartupError('It is no backup of Docket.')
  if (Number(head.version) > formatVersion)
    throw new StartupError(
      `It was made by Docket ${head.docket}; restore it with that one or a newer.`,
    )
  return head as Head
}

/** Reads the manifest. */
export const readManifest = (bytes: Buffer): Manifest => {
  const manifest = readJson(bytes) as Partial<Manifest> | null
  if (!Array.isArray(manifest?.tables)) throw new StartupError('Its manifest cannot be read.')
  return manifest as Manifest
}

const readJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new StartupError('It is no backup of Docket, or it is damaged.', { cause: error })
  }
}
