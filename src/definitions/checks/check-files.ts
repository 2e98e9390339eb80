/** Checks other files of a project's folder: files that nothing reads, and missing schemas. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Finding, findingOfFile, parseSourceFile } from '../source-file.ts'

const folders = ['entities', 'roles', 'translations'] as const

/** Warnings only; loading reports unreadable files. */
export const checkFiles = async (directory: string): Promise<Finding[]> => {
  const files = ['docket.json']
  const findings: Finding[] = []
  for (const folder of folders)
    for (const name of await namesIn(join(directory, folder)))
      if (name.endsWith('.json')) files.push(`${folder}/${name}`)
      else if (!isIgnored(name)) findings.push(unread(`${folder}/${name}`))
  const schemas = await Promise.all(files.map((file) => checkSchema(directory, file)))
  return [...findings, ...oneOf(schemas.flat())]
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

/** Only editors read `$schema`, and they do not report a missing file. */
const checkSchema = async (directory: string, file: string): Promise<Finding[]> => {
  const path = join(directory, file)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return []
  const { source } = parseSourceFile(file, text.replace(/^\uFEFF/, ''))
  const { $schema: named } = (source.value ?? {}) as { readonly $schema?: unknown }
  // Editors fetch other addresses.
  if (typeof named !== 'string' || named === '' || /^[a-z][a-z0-9+.-]*:/i.test(named)) return []
  if (existsSync(resolve(dirname(path), named))) return []
  const message = `there is no file "${named}"; docket init in the project's folder writes schema/`
  return [source.finding(['$schema'], message, 'warning')]
}
