/** The files that seeds name by their paths in the seed folder: what they are, and whether their fields take them. */
import { createHash } from 'node:crypto'
import { open, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { ReceivedUpload } from '../../blobs/blob-rows.ts'
import { keptFileName } from '../../blobs/file-name.ts'
import { withoutLocation } from '../../blobs/picture-location.ts'
import {
  type FileColumn,
  isFileColumn,
  maxFilesOf,
  refusedFile,
  stripsLocation,
} from '../../definitions/files.ts'
import type { JsonPath } from '../../definitions/source-file.ts'
import { shown } from '../../definitions/values/check-value.ts'
import { errorText } from '../../errors.ts'
import { lookAt } from '../../uploads/receive-uploads.ts'
import { type Cell, errorAt, type RawRecord, type SeedError, type SeedFile } from './seed.ts'

/** A file of the seed folder, with its path in it. */
export type NamedFile = SeenFile & { readonly path: string }

type SeenFile = Omit<ReceivedUpload, 'sha256WithoutLocation'>

/** Where the files are, and how large one may be. */
export type SeedFolder = { readonly path: string; readonly maxBytes: number }

/** The folder of a project with its seeds and their files. */
export const seedFolderOf = (directory: string): string => join(directory, 'seed')

/** Puts what the files are in place of their paths, as JSON; a file that its field does not take is an error at its place. */
export const withFiles = async (seed: SeedFile, folder: SeedFolder): Promise<SeedFile> => {
  if (!seed.entity.columns.some(isFileColumn)) return seed
  const errors: SeedError[] = []
  const records: RawRecord[] = []
  for (const record of seed.records) {
    const cells: Cell[] = []
    const wrong = [...record.wrong]
    for (const cell of record.cells) {
      const { column } = cell.target
      const read =
        isFileColumn(column) && cell.value !== null
          ? await readFiles(folder, column, cell, seed.isText)
          : { value: cell.value }
      if ('value' in read) cells.push({ ...cell, value: read.value })
      else {
        wrong.push(column)
        errors.push(errorAt(seed, read.path, read.message))
      }
    }
    records.push({ ...record, cells, wrong })
  }
  return { ...seed, records, errors: [...seed.errors, ...errors] }
}

type Refused = { readonly path: JsonPath; readonly message: string }

const readFiles = async (
  folder: SeedFolder,
  column: FileColumn,
  { value, path }: Cell,
  isText: boolean,
): Promise<{ readonly value: string | null } | Refused> => {
  const isOne = column.field.type === 'file'
  const paths = isOne ? [value] : isText ? String(value).split(';') : value
  if (!Array.isArray(paths))
    return { path, message: `must be an array of paths of files in seed/, not ${shown(value)}` }
  const most = maxFilesOf(column)
  if (paths.length > most)
    return { path, message: `has ${paths.length} files; at most ${most} are allowed` }
  const files = new Map<string, NamedFile>()
  for (const [at, given] of paths.entries()) {
    const place = isOne || isText ? path : [...path, at]
    if (typeof given !== 'string')
      return { path: place, message: `must be the path of a file in seed/, not ${shown(given)}` }
    const file = await readNamed(folder, given.trim(), stripsLocation(column))
    const key = typeof file === 'string' ? '' : `${file.sha256} ${file.filename}`
    const fault =
      typeof file === 'string'
        ? file
        : files.has(key)
          ? 'is the same file as one before it'
          : refusedFile(column.field, file)
    if (typeof file === 'string' || fault !== undefined)
      return { path: place, message: `${shown(given)} ${fault}` }
    files.set(key, file)
  }
  return { value: files.size === 0 ? null : JSON.stringify([...files.values()]) }
}

/** A file by its path in the folder, or the reason why it cannot be used. */
const readNamed = async (
  folder: SeedFolder,
  path: string,
  isStripped: boolean,
): Promise<NamedFile | string> => {
  try {
    const root = await realpath(folder.path)
    const real = await realpath(join(root, path))
    // Also a link that leads out of it.
    if (!real.startsWith(root + sep)) return 'is not in the folder seed/'
    const found = await stat(real)
    if (!found.isFile() || found.size === 0) return 'is not a file with content'
    if (found.size > folder.maxBytes)
      return `has ${found.size} bytes; FILES_MAX_BYTES allows ${folder.maxBytes}`
    const { hasLocation, ...seen } = await readContent(real, path, isStripped)
    return hasLocation
      ? 'says where it was taken, or may say so, which the field does not keep (stripLocation); remove it from the file'
      : { path, ...seen }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? 'does not exist in seed/'
      : `cannot be read: ${code ?? errorText(error)}`
  }
}

const readContent = async (
  real: string,
  path: string,
  isStripped: boolean,
): Promise<SeenFile & { readonly hasLocation: boolean }> => {
  const file = await open(real, 'r')
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
      hash.update(piece)
      bytes += piece.length
    }
    const seen = {
      sha256: hash.digest('hex'),
      bytes,
      ...(await lookAt(file, keptFileName(path))),
    }
    const hasLocation = isStripped && (await withoutLocation(file, seen)) !== 'none'
    return { ...seen, hasLocation }
  } finally {
    await file.close()
  }
}
