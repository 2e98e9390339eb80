/** Which folder a command works on when it names none. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Whether a folder holds a project: its settings, or definitions of entities. */
export const isProjectFolder = (directory: string): boolean =>
  existsSync(join(directory, 'docket.json')) || existsSync(join(directory, 'entities'))

/** The absolute path of a named folder; of the working folder, the example in it where it is no project. */
export const projectFolder = (name: string): string => {
  const isExample = name === '.' && !isProjectFolder('.') && isProjectFolder('example')
  return resolve(isExample ? 'example' : name)
}
