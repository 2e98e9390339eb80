/** Where a program is installed, as tests of other software need that may be missing. */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']

/** Its path; undefined where it is not installed. */
export const findProgram = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find(isProgram)

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
