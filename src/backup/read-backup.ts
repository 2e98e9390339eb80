/** Reads a whole backup and verifies the checksum of every part. */
import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { StartupError } from '../errors.ts'
import {
  afterPath,
  beforePath,
  digestOf,
  type Entry,
  fileFolder,
  fileOfPart,
  type Head,
  headPath,
  manifestPath,
  readHead,
  readManifest,
  readTar,
  rowsFolder,
  type TableCount,
} from './backup-format.ts'

/** Receives the parts, in this order; a mere check does nothing with them. */
export type BackupReader = {
  readonly onHead: (head: Head) => Promise<void>
  readonly onBefore: (script: string) => Promise<void>
  /** Called for each table, also an empty one. */
  readonly onTable: (table: Head['tables'][number]) => Promise<void>
  readonly onRows: (bytes: Buffer) => Promise<void>
  /** Called after all rows of a table; returns their number, if known. */
  readonly onTableEnd: () => Promise<number | undefined>
  /** Called with the pieces of a file, of which only one is in memory; verified when the last one was taken. */
  readonly onFile: (sha256: string, pieces: AsyncIterable<Buffer>) => Promise<void>
  readonly onAfter: (script: string) => Promise<void>
}

type Seen = { readonly bytes: number; readonly sha256: string; readonly rows: number | undefined }

/** Reads all of it; throws a StartupError when it is not a backup, damaged or truncated. */
export const readBackup = async (
  source: Readable,
  reader: BackupReader,
): Promise<{ head: Head; counts: readonly TableCount[]; files: number }> => {
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  try {
    return await readEntries(readTar(gunzip), reader)
  } catch (error) {
    throw isOfGzip(error)
      ? new StartupError('It is not a backup of Docket, or it is damaged or truncated.', {
          cause: error,
        })
      : error
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}

const isOfGzip = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code ?? '').startsWith('Z_')

const readEntries = async (entries: ReturnType<typeof readTar>, reader: BackupReader) => {
  const next = async (path: string): Promise<Buffer> => {
    const { value, done } = await entries.next()
    if (done || value.path !== path) throw new StartupError(`It is damaged: ${path} is missing.`)
    return value.bytes
  }
  const headBytes = await next(headPath)
  const head = readHead(headBytes)
  await reader.onHead(head)
  await reader.onBefore(checked(await next(beforePath), head.before, beforePath))
  const { seen, next: first } = await readRows(entries, head, reader)
  const { files, next: after } = await readFiles(entries, first, reader)
  if (after.path !== afterPath) throw new StartupError(`It is damaged: ${after.path} is unknown.`)
  await reader.onAfter(checked(after.bytes, head.after, afterPath))
  const manifest = readManifest(await next(manifestPath))
  if (manifest.head !== digestOf(headBytes)) throw damaged(headPath)
  head.tables.forEach(({ name }, index) => {
    compare(name, manifest.tables[index], seen[index])
  })
  if ((manifest.files ?? 0) !== files)
    throw new StartupError(`It has ${files} files and should have ${manifest.files}.`)
  // Reads to the very end, where the checksum of the compressed file is.
  for await (const { path } of entries)
    throw new StartupError(`It is damaged: ${path} is unexpected.`)
  return { head, counts: manifest.tables, files }
}

const damaged = (what: string) =>
  new StartupError(`It is damaged: ${what} does not match its checksum.`)

const checked = (bytes: Buffer, digest: string, path: string): string => {
  if (digestOf(bytes) !== digest) throw damaged(path)
  return bytes.toString('utf8')
}

/** Reads the rows of all tables; returns the entry after them. */
const readRows = async (
  entries: ReturnType<typeof readTar>,
  { tables }: Head,
  reader: BackupReader,
): Promise<{ seen: readonly Seen[]; next: Entry }> => {
  const seen: Seen[] = []
  let open: { hash: Hash; bytes: number } | undefined
  const advance = async () => {
    if (open) {
      const rows = await reader.onTableEnd()
      seen.push({ bytes: open.bytes, sha256: open.hash.digest('hex'), rows })
    }
    const table = tables[seen.length]
    open = table && { hash: createHash('sha256'), bytes: 0 }
    if (table) await reader.onTable(table)
  }
  const folder = () => rowsFolder(seen.length, tables[seen.length]?.name ?? '')
  await advance()
  for (;;) {
    const value = await nextOf(entries)
    while (open && !value.path.startsWith(folder())) await advance()
    if (!open) return { seen, next: value }
    open.hash.update(value.bytes)
    open.bytes += value.bytes.length
    await reader.onRows(value.bytes)
  }
}

const nextOf = async (entries: ReturnType<typeof readTar>): Promise<Entry> => {
  const { value, done } = await entries.next()
  if (done) throw new StartupError('It is truncated: a part of it is missing.')
  return value
}

/** Reads the bytes of all files; returns their number, and the entry after them. */
const readFiles = async (
  entries: ReturnType<typeof readTar>,
  first: Entry,
  reader: BackupReader,
): Promise<{ files: number; next: Entry }> => {
  let entry = first
  async function* piecesOf(sha256: string) {
    const hash = createHash('sha256')
    while (fileOfPart(entry.path) === sha256) {
      hash.update(entry.bytes)
      yield entry.bytes
      entry = await nextOf(entries)
    }
    if (hash.digest('hex') !== sha256) throw damaged(fileFolder(sha256))
  }
  for (let files = 0; ; files++) {
    const sha256 = fileOfPart(entry.path)
    if (sha256 === undefined) return { files, next: entry }
    await reader.onFile(sha256, piecesOf(sha256))
  }
}

const compare = (name: string, said: TableCount | undefined, seen: Seen | undefined): void => {
  if (said?.name !== name || said.sha256 !== seen?.sha256 || said.bytes !== seen.bytes)
    throw damaged(name)
  if (seen.rows !== undefined && seen.rows !== said.rows)
    throw new StartupError(`${name} has ${seen.rows} rows and should have ${said.rows}.`)
}
