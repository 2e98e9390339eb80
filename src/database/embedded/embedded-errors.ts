/** Why an embedded server cannot be created or started, with a message that says what to do. */
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorText, StartupError } from '../../errors.ts'
import type { Server } from './embedded-postmaster.ts'
import { missingLibraries, unfinishedInstallation } from './embedded-user.ts'

/** Throws when the data have another version, or belong to a user that the server cannot run as. */
export const checkData = async ({ data, binaries, user }: Server): Promise<void> => {
  const versionFile = join(data, 'PG_VERSION')
  if (!existsSync(data)) return
  const owner = (await stat(data)).uid
  const required = user.ids?.uid ?? process.getuid?.() ?? owner
  if (owner !== required) throw new StartupError(ownerText(data, owner, required, user.ids?.gid))
  if (!existsSync(versionFile)) return
  const version = (await readFile(versionFile, 'utf8')).trim()
  const ours = await majorOf(binaries.postgres)
  if (version !== ours) throw new StartupError(versionText(data, version, ours))
}

const ownerText = (data: string, owner: number, required: number, group: number | undefined) => {
  const whose = owner === 0 ? 'root' : `user ${owner}`
  const whom = group === undefined ? `${required}` : `${required}:${group}`
  return owner === 0
    ? `${data} belongs to root, and PostgreSQL does not run as root. A copy keeps its owner with "cp -a"; "chown -R ${whom} '${data}'" gives this one to the user that PostgreSQL runs as.`
    : `${data} belongs to ${whose}, and PostgreSQL runs as user ${required}. Start Docket as that user, or give the data to this one: chown -R ${whom} '${data}'`
}

const versionText = (data: string, version: string, ours: string) =>
  `${data} is of PostgreSQL ${version}, and this version of Docket contains PostgreSQL ${ours}. Create a backup with the previous version of Docket ("docket backup"), move the folder away, and restore the backup with this version ("docket restore"); see docs/operations.md.`

/** The major version of the npm package with the programs. */
const majorOf = async (program: string): Promise<string> => {
  const file = join(dirname(program), '..', '..', 'package.json')
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string }
  return version.split('.')[0] ?? version
}

// Messages of PostgreSQL (and Node, in lower case), and what they mean for the user.
const explanations: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [missingLibraries, unfinishedInstallation],
  [/No space left on device/i, 'The disk of {folder} is full: free some space.'],
  [/Disk quota exceeded/i, 'The disk quota of its user on the disk of {folder} is exhausted.'],
  [
    /could not look up effective user ID/,
    'The user that Docket runs as is not in /etc/passwd: add it, or set DATABASE_URL.',
  ],
  [
    /could not (create|map|resize|open) (anonymous )?shared memory/,
    'There is not enough shared memory: 256 MB are required (--shm-size of a container).',
  ],
  [/could not create semaphores/, 'The kernel has no more semaphores (kernel.sem).'],
  [/Read-only file system/i, '{folder} is on a read-only file system.'],
  [
    /has (wrong ownership|invalid permissions)/,
    'Its data folder must belong to its user and be closed to others: chmod -R go-rwx {folder}/postgres',
  ],
  [
    /Permission denied/i,
    'Its user may not read all of {folder}/postgres: copy with "cp -a" to keep owners, or change the owner with chown -R.',
  ],
  [/Address already in use/, 'Another program uses its address.'],
]

/** The message for output of a PostgreSQL program, if it is a known error. */
export const explainOutput = (output: string, folder: string): string | undefined =>
  explanations.find(([pattern]) => pattern.test(output))?.[1].replaceAll('{folder}', folder)

const ofFiles = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EMFILE', 'ENFILE', 'EIO'])

/** Converts an error of files and folders to a StartupError; returns others unchanged. */
export const asStartupError = (error: unknown, folder: string): unknown => {
  if (!ofFiles.has(String((error as NodeJS.ErrnoException | null)?.code))) return error
  const text = errorText(error)
  const sentence = explainOutput(text, folder)
  return new StartupError(
    `The embedded database cannot be used in ${folder} (${text}).${sentence ? ` ${sentence}` : ''}`,
    { cause: error },
  )
}
