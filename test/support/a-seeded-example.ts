/** The example project on a database with its seeds, which are loaded once for a whole run. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolderStore } from '../../src/blobs/folder-store.ts'
import { callDocket } from './call-docket.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from './database.ts'
import { keepBytes } from './files/keep-bytes.ts'
import { copyExample } from './service.ts'

export type SeededExample = {
  /** A copy of the project, which a test may change. */
  readonly directory: string
  readonly database: TestDatabase
  /** For commands. */
  readonly environment: Readonly<Record<'DATABASE_URL' | 'PROJECT', string>>
}

export const openSeededExample = async (): Promise<SeededExample> => {
  const directory = await copyExample()
  const template = await templateDatabase('seeded_example', async ({ connectionString }) => {
    const environment = { DATABASE_URL: connectionString, PROJECT: directory }
    const { code, err } = await callDocket(['seed'], environment)
    if (code !== 0) throw new Error(err)
  })
  const database = await createTestDatabase({ template })
  await storeSeedFiles(directory)
  return {
    directory,
    database,
    environment: { DATABASE_URL: database.connectionString, PROJECT: directory },
  }
}

/** The bytes of the files of the seeds: the template has their rows, and each copy of the project a store of its own. */
const storeSeedFiles = async (directory: string): Promise<void> => {
  const blobs = openFolderStore({ folder: join(directory, '.docket', 'files'), isOwn: true })
  const folder = join(directory, 'seed', 'files')
  for (const name of await readdir(folder))
    await keepBytes(blobs, await readFile(join(folder, name)))
}
