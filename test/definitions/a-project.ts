/** Small projects written to a temporary folder, and what the check finds in them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoadedProject, loadProject } from '../../src/definitions/load-project.ts'
import { printFinding } from '../../src/definitions/source-file.ts'

/** Files by their path; a value that is a string or bytes is written as it is. */
export type Files = Readonly<Record<string, unknown>>

/** Loads a project of these files. */
export const load = async (files: Files, timeZone?: string): Promise<LoadedProject> => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-test-'))
  try {
    for (const [path, value] of Object.entries(files)) {
      await mkdir(join(directory, path, '..'), { recursive: true })
      await writeFile(join(directory, path), isWritten(value) ? value : JSON.stringify(value))
    }
    return await loadProject(directory, timeZone)
  } finally {
    await rm(directory, { recursive: true })
  }
}

const isWritten = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array

/** The findings as they are printed. */
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
