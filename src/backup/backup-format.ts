/**
 * The format of a backup: a gzipped tar archive with a header, the schema as SQL, the rows of every table
 * in the format of COPY, and a manifest at the end with counts and checksums (docs/backup.md).
 */
import { createHash } from 'node:crypto'
import { StartupError } from '../errors.ts'

export const formatName = 'docket-backup'
/** Readers reject later versions. Since 2 it may have the bytes of files. */
export const formatVersion = 2

export const headPath = 'head.json'
export const beforePath = 'schema-before-rows.sql'
export const afterPath = 'schema-after-rows.sql'
export const manifestPath = 'manifest.json'

/** The schemas that are recreated from the backup. */
export const ownSchemas = ['docket', 'records'] as const

export type BackupTable = {
  /** With its schema, quoted for SQL. */
  readonly name: string
  readonly columns: readonly string[]
}

export type Head = {
  readonly format: typeof formatName
  readonly version: number
  /** Version of Docket that created it. */
  readonly docket: string
  /** ISO 8601, UTC. */
  readonly madeAt: string
  /** Version of its PostgreSQL. */
  readonly server: string
  /** Number of the last migration of the schema `docket`. */
  readonly migration: number
  readonly tables: readonly BackupTable[]
  /** SHA-256 of the two files of SQL, in hexadecimal. */
  readonly before: string
  readonly after: string
  /** Objects of the schemas that are not in the backup. */
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
  /** Of version 1 none. */
  readonly files?: number
  readonly head: string
  readonly tables: readonly TableCount[]
}

// A path in an archive has at most 100 bytes.
const maxShown = 70

/** The path of the rows of a table; split into files, because a file's header contains its length. */
export const rowsFolder = (index: number, table: string): string => {
  const shown = table.replaceAll(/[^A-Za-z0-9_.-]/g, '').slice(0, maxShown)
  return `rows/${String(index + 1).padStart(4, '0')}-${shown}/`
}

/** The path of the parts of a file, by the SHA-256 of its bytes. */
export const fileFolder = (sha256: string): string => `files/${sha256}/`

/** The SHA-256 of the file that a part belongs to; undefined if it is of none. */
export const fileOfPart = (path: string): string | undefined =>
  /^files\/([0-9a-f]{64})\/\d+$/.exec(path)?.[1]

/** SHA-256 in hexadecimal. */
export const digestOf = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('hex')

/** Parses the header; throws a StartupError when this version cannot read it. */
export const readHead = (bytes: Buffer): Head => {
  const head = readJson(bytes) as Partial<Head> | null
  if (head?.format !== formatName || !Array.isArray(head.tables))
    throw new StartupError('It is not a backup of Docket.')
  if (Number(head.version) > formatVersion)
    throw new StartupError(
      `It was created by Docket ${head.docket}; restore it with that version or a newer one.`,
    )
  return head as Head
}

/** Parses the manifest. */
export const readManifest = (bytes: Buffer): Manifest => {
  const manifest = readJson(bytes) as Partial<Manifest> | null
  if (!Array.isArray(manifest?.tables)) throw new StartupError('Its manifest cannot be read.')
  return manifest as Manifest
}

const readJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new StartupError('It is not a backup of Docket, or it is damaged.', { cause: error })
  }
}
