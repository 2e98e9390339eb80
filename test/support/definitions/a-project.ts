/** Small projects in a temporary folder, and the findings of their check. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LoadedProject, loadProject } from '../../../src/definitions/load-project.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Files by path; a string or bytes are written unchanged, other values as JSON. */
export type Files = Readonly<Record<string, unknown>>

/** Loads a project that consists of these files. */
export const load = async (files: Files, timeZone?: string): Promise<LoadedProject> => {
  const directory = temporaryFolder()
  for (const [path, value] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true })
    await writeFile(join(directory, path), isFileContent(value) ? value : JSON.stringify(value))
  }
  return loadProject(directory, timeZone)
}

const isFileContent = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array

/** The printed findings. */
export const findingsOf = async (files: Files): Promise<string[]> =>
  (await load(files)).findings.map(printFinding)

/** The findings in the entity `order`, without file, line and column. */
export const errorsOfOrder = async (order: object, files: Files = {}): Promise<string[]> => {
  const found = await findingsOf({
    ...files,
    'entities/order.json': { key: 'order', fields: [], ...order },
  })
  return found.map((line) => line.replace(/^entities\/order\.json:\d+:\d+ /, ''))
}

/** The findings in entities of one project, each after the key of its entity, in alphabetical order. */
export const findingsOfEntities = async (
  entities: Readonly<Record<string, object>>,
  others: Files = {},
): Promise<string[]> => {
  const own = Object.entries(entities).map(([key, more]) => [
    `entities/${key}.json`,
    { key, fields: [], ...more },
  ])
  const found = await findingsOf({ ...others, ...Object.fromEntries(own) })
  return found.map((line) => line.replace(/^entities\/(\w+)\.json:\d+:\d+ /, '$1: ')).sort()
}
