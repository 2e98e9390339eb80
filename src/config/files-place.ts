/** Where the bytes of files are stored. */
import { join } from 'node:path'
import type { Config } from './load-config.ts'

export type FilesPlace = {
  readonly folder: string
  /** In the project's `.docket/`, where it is created; a folder of FILES_URL must exist, because it may be one that is not mounted. */
  readonly isOwn: boolean
}

export const filesPlaceOf = ({ FILES_URL, PROJECT }: Config): FilesPlace =>
  FILES_URL === undefined
    ? { folder: join(PROJECT, '.docket', 'files'), isOwn: true }
    : { folder: FILES_URL, isOwn: false }
