/** The example project on a database with its seeds, which are loaded once for a whole run. */
import { callDocket } from './call-docket.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from './database.ts'
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
  return {
    directory,
    database,
    environment: { DATABASE_URL: database.connectionString, PROJECT: directory },
  }
}
