/** Where the bytes of files are stored. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError } from '../errors.ts'
import type { Config } from './load-config.ts'

export type FilesFolder = {
  readonly folder: string
  /** In the project's `.docket/`, where it is created; a folder of FILES_URL must exist, because it may be one that is not mounted. */
  readonly isOwn: boolean
}

export type FilesBucket = {
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly region: string
  /** Undefined: Amazon's. */
  readonly endpoint: string | undefined
  /** Undefined: the default credentials of AWS clients. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined
}

export type FilesPlace = FilesFolder | FilesBucket

/** Larger files would have to be sent in parts. */
const maxOfBucket = 5_368_709_120

/** Throws a StartupError for a file size that the place does not take. */
export const filesPlaceOf = (config: Config): FilesPlace => {
  const { FILES_URL, PROJECT } = config
  if (FILES_URL === undefined) return { folder: join(PROJECT, '.docket', 'files'), isOwn: true }
  const { protocol, hostname, pathname, searchParams } = new URL(FILES_URL)
  if (protocol === 'file:') return { folder: fileURLToPath(FILES_URL), isOwn: false }
  if (config.FILES_MAX_BYTES > maxOfBucket)
    throw new StartupError(`FILES_MAX_BYTES may be ${maxOfBucket} at most with a bucket.`)
  const path = pathname.replace(/^\/+|\/+$/g, '')
  return {
    bucket: hostname,
    prefix: path === '' ? '' : `${path}/`,
    region: searchParams.get('region') ?? 'us-east-1',
    endpoint: searchParams.get('endpoint') ?? undefined,
    credentials: credentialsOf(config),
  }
}

const credentialsOf = ({
  FILES_ACCESS_KEY_ID: accessKeyId,
  FILES_SECRET_ACCESS_KEY: secretAccessKey,
}: Config): FilesBucket['credentials'] =>
  accessKeyId !== undefined && secretAccessKey !== undefined
    ? { accessKeyId, secretAccessKey }
    : undefined
