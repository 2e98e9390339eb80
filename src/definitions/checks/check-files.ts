/** What stands in a project's folder beside its definitions: files that nothing reads, schemas that are not there. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Finding, parseSourceFile } from '../source-file.ts'

const folders = ['entities', 'roles'] as const

/** Warnings only; files that cannot be read at all are told by the loading itself. */
export const checkFiles = async (directory: string): Promise<Finding[]> => {
  const files = ['docket.json']
  const findings: Finding[] = []
  for (const folder of folders)
    for (const name of await namesIn(join(directory, folder)))
      if (name.endsWith('.json')) files.push(`${folder}/${name}`)
      else if (!isAside(name)) findings.push(unread(`${folder}/${name}`))
  const schemas = await Promise.all(files.map((file) => checkSchema(directory, file)))
  return [...findings, ...oneOf(schemas.flat())]
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).then(
    (names) => names.sort(),
    () => [],
  )

/** A folder that was moved has every schema wrong, which is one thing to mend. */
const oneOf = ([first, ...others]: readonly Finding[]): Finding[] => {
  if (!first) return []
  const { length } = others
  const more =
    length === 0 ? '' : `; so it is with ${length} other ${length === 1 ? 'file' : 'files'}`
  return [{ ...first, message: `${first.message}${more}` }]
}

/** Files of editors and of the system, and notes. */
const isAside = (name: string): boolean => /^\.|~$|\.(md|txt)$/.test(name)

const unread = (file: string): Finding => ({
  file,
  line: 1,
  column: 1,
  path: '',
  message: 'is not read: a definition is one JSON file of this folder, named <key>.json',
  severity: 'warning',
})

/** A `$schema` helps editors only, which say nothing when it is missing. */
const checkSchema = async (directory: string, file: string): Promise<Finding[]> => {
  const path = join(directory, file)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return []
  const { source } = parseSourceFile(file, text.replace(/^\uFEFF/, ''))
  const { $schema: named } = (source.value ?? {}) as { readonly $schema?: unknown }
  // Another address is for the editor to fetch.
  if (typeof named !== 'string' || named === '' || /^[a-z][a-z0-9+.-]*:/i.test(named)) return []
  if (existsSync(resolve(dirname(path), named))) return []
  const message = `there is no file "${named}"; docket init in the project's folder writes schema/`
  return [source.finding(['$schema'], message, 'warning')]
}
