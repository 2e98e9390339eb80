/** The default folder of commands. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Whether a folder holds a project: its settings, or entity definitions. */
export const isProjectFolder = (directory: string): boolean =>
  existsSync(join(directory, 'docket.json')) || existsSync(join(directory, 'entities'))

/** The absolute path of a folder; for a working folder that is not a project, its folder `example`. */
export const projectFolder = (name: string): string => {
  const isExample = name === '.' && !isProjectFolder('.') && isProjectFolder('example')
  return resolve(isExample ? 'example' : name)
}
