/**
 * Databases that are prepared once per test run, and cloned for each test that needs one. Tests of the preparation itself
 * begin with an empty database (`process/service/`, `service/database/`).
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../src/config/load-config.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Project } from '../../src/definitions/load-project.ts'
import { syncOptionsOf } from '../../src/runtime/open-database.ts'
import { syncSchema } from '../../src/schema-sync/sync-schema.ts'
import { ensureRoles } from '../../src/users/roles.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from './database.ts'

const prepared = () =>
  templateDatabase('prepared', async ({ pool }) => {
    await migrate(pool)
  })

/** A database with the tables of Docket and of jobs, which every service creates in an empty one. */
export const createPreparedDatabase = async (): Promise<TestDatabase> =>
  createTestDatabase({ template: await prepared() })

/** Files of a project that its tables and roles follow. */
const definitionFiles = '{docket.json,{entities,roles,translations}/**/*.json}'

/** Also with the tables and roles of a project: its service finds nothing to synchronise. */
export const createSyncedDatabase = async (
  project: Project,
  config: Config,
): Promise<TestDatabase> => {
  const hash = createHash('sha256').update(String(config.TIME_ZONE))
  for (const file of globSync(definitionFiles, { cwd: project.directory }).sort())
    hash.update(file).update(readFileSync(join(project.directory, file)))
  const sync = async ({ pool }: Pick<TestDatabase, 'pool'>) => {
    await syncSchema({ ...syncOptionsOf(pool, project, config), observe: () => undefined })
    await ensureRoles(pool, project.catalog)
  }
  const name = `synced_${hash.digest('hex').slice(0, 16)}`
  return createTestDatabase({ template: await templateDatabase(name, sync, await prepared()) })
}
