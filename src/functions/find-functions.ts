/** Finds the functions of a project: its files by kind and name. Runs none of them. */
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, findingOfFile, unreadable } from '../definitions/source-file.ts'

/** A document function makes files of a record; a message handler reacts to a change. */
export type FunctionKind = 'document' | 'handler'

export type FunctionFile = {
  readonly kind: FunctionKind
  readonly name: string
  /** Path relative to the project's folder. */
  readonly file: string
  /** Absolute path. */
  readonly path: string
}

/** The files by name. Names of definitions are looked up here and never joined to a path. */
export type FunctionFiles = Readonly<Record<FunctionKind, ReadonlyMap<string, FunctionFile>>>

/** The project folder of each kind. */
export const functionFolders: Readonly<Record<FunctionKind, string>> = {
  document: 'document-functions',
  handler: 'message-handlers',
}

/** Allowed file extensions, in the order in which messages list them. */
export const functionExtensions: readonly string[] = ['.ts', '.js', '.mjs', '.cjs']

/** Reads the folders; reports two files with the same name, and names with `..`. */
export const findFunctions = async (
  directory: string,
): Promise<{ files: FunctionFiles; findings: Finding[] }> => {
  const findings: Finding[] = []
  const document = await readFolder(directory, 'document', findings)
  const handler = await readFolder(directory, 'handler', findings)
  return { files: { document, handler }, findings }
}

const readFolder = async (
  directory: string,
  kind: FunctionKind,
  findings: Finding[],
): Promise<ReadonlyMap<string, FunctionFile>> => {
  const folder = functionFolders[kind]
  const found = new Map<string, FunctionFile>()
  for (const entry of await entriesOf(directory, folder, findings)) {
    const name = nameOf(entry.name)
    const file = `${folder}/${entry.name}`
    const path = join(directory, folder, entry.name)
    if (name === undefined || !(await isFile(path, entry))) continue
    const other = found.get(name)
    if (other) findings.push(findingOfFile(file, `is "${name}", and so is ${other.file}; keep one`))
    else if (name.includes('..'))
      findings.push(findingOfFile(file, 'has ".." in its name, so no definition can name it'))
    else found.set(name, { kind, name, file, path })
  }
  return found
}

const entriesOf = async (
  directory: string,
  folder: string,
  findings: Finding[],
): Promise<Dirent[]> => {
  try {
    const entries = await readdir(join(directory, folder), { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') findings.push(unreadable(folder, error))
    return []
  }
}

/** Undefined for files that are not functions, such as notes and type declarations. */
const nameOf = (file: string): string | undefined => {
  const extension = functionExtensions.find((one) => file.endsWith(one))
  if (extension === undefined || file.endsWith('.d.ts') || file.startsWith('.')) return undefined
  return file.slice(0, -extension.length)
}

const isFile = async (path: string, entry: Dirent): Promise<boolean> =>
  entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(path)))

const leadsToFile = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
