/** Checks other files of a project's folder: files that nothing reads, and missing schemas. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Finding, findingOfFile, parseSourceFile, type SourceFile } from '../source-file.ts'

const folders = ['entities', 'roles', 'translations'] as const

/** Warnings only; loading reports unreadable files. */
export const checkFiles = async (directory: string): Promise<Finding[]> => {
  const { files, others } = await filesIn(directory)
  const lost = await findLostSchemas(directory, files)
  const schemas = lost.map(({ source, named }) =>
    source.finding(['$schema'], lacking(named), 'warning'),
  )
  return [...others.map(unread), ...oneOf(schemas)]
}

/** Files of definitions, and others that nothing reads. */
const filesIn = async (directory: string) => {
  const files = ['docket.json']
  const others: string[] = []
  for (const folder of folders)
    for (const name of await namesIn(join(directory, folder)))
      if (name.endsWith('.json')) files.push(`${folder}/${name}`)
      else if (!isIgnored(name)) others.push(`${folder}/${name}`)
  return { files, others }
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).then(
    (names) => names.sort(),
    () => [],
  )

/** In a moved folder every schema is missing, so one warning is enough. */
const oneOf = ([first, ...others]: readonly Finding[]): Finding[] => {
  if (!first) return []
  const { length } = others
  const more =
    length === 0 ? '' : `; the same in ${length} other ${length === 1 ? 'file' : 'files'}`
  return [{ ...first, message: `${first.message}${more}` }]
}

/** Hidden files, backup files of editors, and notes. */
const isIgnored = (name: string): boolean => /^\.|~$|\.(md|txt)$/.test(name)

const unread = (file: string): Finding =>
  findingOfFile(
    file,
    'is ignored: a definition is a JSON file in this folder, named <key>.json',
    'warning',
  )

const lacking = (named: string): string =>
  `there is no file "${named}"; "docket init ." in the project's folder writes schema/, and makes the files refer to it`

type LostSchema = {
  readonly path: string
  readonly text: string
  readonly source: SourceFile
  /** The `$schema` of the file. */
  readonly named: string
}

/** Files whose `$schema` names a file that does not exist: only editors read it, and they do not report that. */
export const findLostSchemas = async (
  directory: string,
  files?: readonly string[],
): Promise<LostSchema[]> => {
  const all = files ?? (await filesIn(directory)).files
  const found = await Promise.all(all.map((file) => lostSchemaOf(directory, file)))
  return found.filter((one) => one !== undefined)
}

const lostSchemaOf = async (directory: string, file: string): Promise<LostSchema | undefined> => {
  const path = join(directory, file)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { source } = parseSourceFile(file, text.replace(/^\uFEFF/, ''))
  const { $schema: named } = (source.value ?? {}) as { readonly $schema?: unknown }
  // Editors fetch other addresses.
  if (typeof named !== 'string' || named === '' || /^[a-z][a-z0-9+.-]*:/i.test(named))
    return undefined
  return existsSync(resolve(dirname(path), named)) ? undefined : { path, text, source, named }
}
