/** Why an embedded server cannot be made or started, as a sentence that says what to do. */
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorText, StartupError } from '../../errors.ts'
import type { Server } from './embedded-postmaster.ts'

/** Throws where the data are of another version, or belong to a user that the server cannot be. */
export const checkData = async ({ data, binaries, user }: Server): Promise<void> => {
  const versionFile = join(data, 'PG_VERSION')
  if (!existsSync(data)) return
  const owner = (await stat(data)).uid
  const wanted = user.ids?.uid ?? process.getuid?.() ?? owner
  if (owner !== wanted) throw new StartupError(ownerText(data, owner, wanted, user.ids?.gid))
  if (!existsSync(versionFile)) return
  const version = (await readFile(versionFile, 'utf8')).trim()
  const ours = await majorOf(binaries.postgres)
  if (version !== ours) throw new StartupError(versionText(data, version, ours))
}

const ownerText = (data: string, owner: number, wanted: number, group: number | undefined) => {
  const whose = owner === 0 ? 'root' : `user ${owner}`
  const whom = group === undefined ? `${wanted}` : `${wanted}:${group}`
  return owner === 0
    ? `${data} belongs to root, and PostgreSQL does not run as root. A copy keeps its owner with "cp -a"; "chown -R ${whom} '${data}'" gives this one to the user that PostgreSQL runs as.`
    : `${data} belongs to ${whose}, and PostgreSQL runs as user ${wanted}. Start Docket as that user, or give the data to this one: chown -R ${whom} '${data}'`
}

const versionText = (data: string, version: string, ours: string) =>
  `${data} is of PostgreSQL ${version}, and this Docket brings PostgreSQL ${ours}. Make a backup with the Docket that you had ("docket backup"), move the folder away, and restore the backup with this one ("docket restore"); docs/operations.md shows it.`

/** The first part of the version of the npm package that the programs are in. */
const majorOf = async (program: string): Promise<string> => {
  const file = join(dirname(program), '..', '..', 'package.json')
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string }
  return version.split('.')[0] ?? version
}

// What PostgreSQL (and Node, in small letters) says, and what that means for whoever started it.
const known: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/No space left on device/i, 'The disk is full: make room on the one that {folder} is on.'],
  [/Disk quota exceeded/i, 'The quota of its user on the disk of {folder} is used up.'],
  [
    /could not look up effective user ID/,
    'The user that Docket runs as has no line in /etc/passwd: add one, or set DATABASE_URL.',
  ],
  [
    /could not (create|map|resize|open) (anonymous )?shared memory/,
    'There is too little shared memory: 256 MB are needed (--shm-size of a container).',
  ],
  [/could not create semaphores/, 'The kernel gives no more semaphores (kernel.sem).'],
  [/Read-only file system/i, '{folder} is on a file system that cannot be written.'],
  [
    /has (wrong ownership|invalid permissions)/,
    'Its data folder must belong to its user and be closed to others: chmod -R go-rwx {folder}/postgres',
  ],
  [
    /Permission denied/i,
    'Its user may not read all of {folder}/postgres: a copy keeps owners with "cp -a"; chown -R gives it to one user.',
  ],
  [/Address already in use/, 'Another program listens at its address.'],
]

/** The sentence for what a program of PostgreSQL printed, where it is a known error. */
export const explainOutput = (output: string, folder: string): string | undefined =>
  known.find(([pattern]) => pattern.test(output))?.[1].replaceAll('{folder}', folder)

const ofFiles = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EMFILE', 'ENFILE', 'EIO'])

/** An error of files and folders as a StartFault; anything else as it is. */
export const asStartupError = (error: unknown, folder: string): unknown => {
  if (!ofFiles.has(String((error as NodeJS.ErrnoException | null)?.code))) return error
  const text = errorText(error)
  const sentence = explainOutput(text, folder)
  return new StartupError(
    `The embedded database cannot be used in ${folder} (${text}).${sentence ? ` ${sentence}` : ''}`,
    { cause: error },
  )
}
