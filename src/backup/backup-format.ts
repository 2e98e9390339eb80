/**
 * The format of a backup: a gzipped tar archive with a header, the schema as SQL, the rows of every table in the format of COPY, and
 * a manifest at the end with counts and checksums (docs/backup.md). Archives are those of POSIX (ustar) with small entries, so that
 * other programs can open a backup.
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

export type Entry = { readonly path: string; readonly bytes: Buffer }

const blockBytes = 512
/** Larger entries are not ours. */
const maxEntryBytes = 64 * 1024 * 1024
const longestPath = 100

/** An entry as blocks: header, bytes, and padding. */
export const tarEntry = ({ path, bytes }: Entry): Buffer[] => {
  const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)
  return [headOf(path, bytes.length), bytes, padding]
}

/** The end of an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * blockBytes)

const headOf = (path: string, size: number): Buffer => {
  if (Buffer.byteLength(path) > longestPath) throw new Error(`${path} is too long for an archive.`)
  const head = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  head.write(path, 0, 'utf8')
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.floor(Date.now() / 1000), 136, 12)
  head.write('0', 156, 'latin1')
  head.write('ustar\x0000', 257, 'latin1')
  octal(checksumOf(head), 148, 7)
  head.write(' ', 155, 'latin1')
  return head
}

/** The checksum of a header, with its own field as spaces. */
const checksumOf = (head: Buffer): number =>
  head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)

/**
 * The entries of an archive in order, one in memory at a time; throws when it is not an archive,
 * truncated, or continues after its end.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const reader = createReader(source)
  for (;;) {
    const head = await reader.take(blockBytes)
    if (head.every(isZero)) return reader.drain()
    const { path, size } = readEntryHead(head)
    const bytes = await reader.take(size)
    await reader.take((blockBytes - (size % blockBytes)) % blockBytes)
    yield { path, bytes }
  }
}

const isZero = (byte: number): boolean => byte === 0

const readEntryHead = (head: Buffer): { path: string; size: number } => {
  const text = (from: number, to: number) => head.toString('utf8', from, to).replace(/\0.*$/s, '')
  const number = (from: number, to: number) => Number.parseInt(text(from, to).trim(), 8)
  const size = number(124, 136)
  const isWhole = text(257, 262) === 'ustar' && number(148, 156) === checksumOf(head)
  if (!isWhole || !(size >= 0 && size <= maxEntryBytes))
    throw new StartupError('It is not an archive of a backup, or it is damaged.')
  return { path: text(0, longestPath), size }
}

const refuseMore = (bytes: Buffer): void => {
  if (!bytes.every(isZero)) throw new StartupError('It is damaged: it continues after its end.')
}

const createReader = (source: AsyncIterable<Buffer>) => {
  const iterator = source[Symbol.asyncIterator]()
  let parts: Buffer[] = []
  let length = 0
  return {
    take: async (count: number): Promise<Buffer> => {
      while (length < count) {
        const { done, value } = await iterator.next()
        if (done) throw new StartupError('It is truncated: a part of it is missing.')
        parts.push(value)
        length += value.length
      }
      const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      const rest = all.subarray(count)
      parts = rest.length > 0 ? [rest] : []
      length = rest.length
      return all.subarray(0, count)
    },
    /** Reads to the end of the source, so that the source can report an error. */
    drain: async (): Promise<void> => {
      parts.forEach(refuseMore)
      for (;;) {
        const { done, value } = await iterator.next()
        if (done) return
        refuseMore(value)
      }
    },
  }
}
