/** Checks the project of commands that need its database but not its definitions. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { hasEmbedded } from '../database/embedded/embedded.ts'
import { StartupError } from '../errors.ts'

/**
 * Throws a StartupError when the folder does not exist, because the embedded database would be created in
 * it.
 */
export const requireProject = async ({ PROJECT, DATABASE_URL }: Config): Promise<void> => {
  if (DATABASE_URL !== undefined) return
  const found = await stat(PROJECT).catch(() => undefined)
  if (!found?.isDirectory())
    throw new StartupError(`${PROJECT} is not a folder; choose the project with --project.`)
}

/** Throws a StartupError when there is no database yet, for commands that make no sense on a new one. */
export const requireExistingDatabase = async (config: Config): Promise<void> => {
  await requireProject(config)
  if (config.DATABASE_URL !== undefined || (await hasEmbedded(join(config.PROJECT, '.docket'))))
    return
  throw new StartupError(
    `${config.PROJECT} has no database yet: "docket start" creates it. Choose another project with --project, or a database with DATABASE_URL.`,
  )
}
