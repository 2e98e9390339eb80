/** The folder of a project, for commands that need its database and none of its definitions. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { hasEmbedded } from '../database/embedded/embedded.ts'
import { StartupError } from '../errors.ts'

/** Throws a StartFault where the folder is none: the embedded database would be made in it. */
export const neededProject = async ({ PROJECT, DATABASE_URL }: Config): Promise<void> => {
  if (DATABASE_URL !== undefined) return
  const found = await stat(PROJECT).catch(() => undefined)
  if (!found?.isDirectory())
    throw new StartupError(`${PROJECT} is not a folder; name that of the project with --project.`)
}

/** Throws a StartFault where there is no database yet, for commands that are of no use on a new one. */
export const neededDatabase = async (config: Config): Promise<void> => {
  await neededProject(config)
  if (config.DATABASE_URL !== undefined || (await hasEmbedded(join(config.PROJECT, '.docket'))))
    return
  throw new StartupError(
    `${config.PROJECT} has no database yet: "docket start" makes it. Name another project with --project, or a database of its own with DATABASE_URL.`,
  )
}
