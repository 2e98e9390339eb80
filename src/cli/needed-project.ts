/** The folder of a project, for commands that need its database and none of its definitions. */
import { stat } from 'node:fs/promises'
import type { Config } from '../config/load-config.ts'
import { StartFault } from '../errors.ts'

/** Throws a StartFault where the folder is none: the embedded database would be made in it. */
export const neededProject = async ({ PROJECT, DATABASE_URL }: Config): Promise<void> => {
  if (DATABASE_URL !== undefined) return
  const found = await stat(PROJECT).catch(() => undefined)
  if (!found?.isDirectory())
    throw new StartFault(`${PROJECT} is not a folder; name that of the project with --project.`)
}
