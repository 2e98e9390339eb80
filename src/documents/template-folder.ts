/**
 * The folder `printable-documents` of a project: its files by path, read again when they change. Links
 * that lead out of the folder are refused.
 */
import type { Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { errorText } from '../errors.ts'
import { shareRun } from '../limit.ts'
import type { TemplateFiles } from './typst/engine.ts'

/** Its name in every project. */
export const templateFolderName = 'printable-documents'

type FolderContent = {
  readonly files: TemplateFiles
  /** Why files are not used, by path. */
  readonly refused: ReadonlyMap<string, string>
}

export type TemplateFolder = {
  /** Absolute path. */
  readonly path: string
  /** The current content; the same `files` object when nothing has changed. */
  readonly read: () => Promise<FolderContent>
}

// Each rendering process receives all files.
const maxBytes = 64 * 1_048_576

type KnownFile = { readonly stamp: string; readonly bytes: Uint8Array }
type Known = { readonly byPath: ReadonlyMap<string, KnownFile>; readonly content: FolderContent }

/** The folder of a project; it need not exist. */
export const openTemplateFolder = (projectDirectory: string): TemplateFolder => {
  const path = join(projectDirectory, templateFolderName)
  let known: Known = { byPath: new Map(), content: { files: new Map(), refused: new Map() } }
  return {
    path,
    read: shareRun(async () => {
      known = await readFolder(path, known)
      return known.content
    }),
  }
}

const readFolder = async (path: string, before: Known): Promise<Known> => {
  const refused = new Map<string, string>()
  const byPath = new Map<string, KnownFile>()
  const root = await realpath(path).catch(() => path)
  let size = 0
  for (const entry of await entriesOf(root)) {
    const name = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (isIgnored(name)) continue
    const read = await readEntry(root, join(entry.parentPath, entry.name), before.byPath.get(name))
    if (typeof read === 'string') refused.set(name, read)
    else if (size + read.bytes.byteLength > maxBytes)
      refused.set(name, `makes the folder larger than ${maxBytes / 1_048_576} MiB`)
    else {
      size += read.bytes.byteLength
      byPath.set(name, read)
    }
  }
  const isSame =
    byPath.size === before.byPath.size &&
    [...byPath].every(([name, file]) => before.byPath.get(name) === file)
  const files = isSame
    ? before.content.files
    : new Map([...byPath].map(([name, { bytes }]) => [name, bytes]))
  return { byPath, content: { files, refused } }
}

/** All entries below a folder; does not follow links, as `recursive` would. */
const entriesOf = async (folder: string): Promise<Dirent[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const below = entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(async (entry) => (entry.isDirectory() ? entriesOf(join(folder, entry.name)) : [entry]))
  return (await Promise.all(below)).flat()
}

/** Hidden files, and backup files of editors. */
const isIgnored = (name: string): boolean =>
  name.split('/').some((part) => part.startsWith('.')) || name.endsWith('~')

/** The file, or the reason why it is not used. */
const readEntry = async (
  root: string,
  path: string,
  before: KnownFile | undefined,
): Promise<KnownFile | string> => {
  try {
    const real = await realpath(path)
    if (!real.startsWith(root + sep)) return `is a link to a file outside of ${templateFolderName}/`
    const found = await stat(real)
    if (found.isDirectory()) return 'is a link to a folder'
    if (!found.isFile()) return 'is not a file'
    if (found.size > maxBytes) return `is larger than ${maxBytes / 1_048_576} MiB`
    const stamp = `${found.mtimeMs} ${found.ctimeMs} ${found.size} ${found.ino}`
    return before?.stamp === stamp ? before : { stamp, bytes: await readFile(real) }
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? errorText(error)}`
  }
}
