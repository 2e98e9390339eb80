/** The embedded server: creates its data, starts it and waits until it answers. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorText, StartupError } from '../../errors.ts'
import { type Address, listenSettings } from './embedded-address.ts'
import { connectTo, type Session } from './embedded-locks.ts'
import { hasPostmaster, removeStaleLocks, type Server } from './embedded-postmaster.ts'
import {
  changeOwner,
  missingLibraries,
  type ServerUser,
  unfinishedInstallation,
} from './embedded-user.ts'

const execute = promisify(execFile)
const startTimeoutMs = 30_000

/** Creates the data folder if necessary; with `isSynced` false without waiting for the disk. */
export const initialise = async (
  server: Server,
  address: Address,
  isSynced: boolean,
): Promise<void> => {
  const { directory, data, user, binaries } = server
  if (existsSync(join(data, 'PG_VERSION'))) return
  for (const name of await readdir(directory))
    if (name.startsWith('postgres.new-'))
      await rm(join(directory, name), { recursive: true, force: true })
  // The folder is renamed when it is complete, so that an incomplete one is never used.
  const workshop = await mkdtemp(`${data}.new-`)
  await changeOwner(user, workshop)
  const unfinished = join(workshop, 'data')
  await run(server, binaries.initdb, [
    `--pgdata=${unfinished}`,
    '--encoding=UTF8',
    '--username=docket',
    ...(await authentication(user, workshop, address)),
    '--locale-provider=icu',
    '--icu-locale=und',
    `--locale=${libcLocale}`,
    ...(isSynced ? [] : ['--no-sync']),
    '--no-instructions',
  ])
  await rename(unfinished, data)
  await rm(workshop, { recursive: true })
}

// Only Linux always has C.UTF-8; with ICU it has little effect.
const libcLocale = process.platform === 'linux' ? 'C.UTF-8' : 'C'

const authentication = async (user: ServerUser, workshop: string, { password }: Address) => {
  if (password === undefined) return ['-A', 'trust']
  const file = join(workshop, 'password')
  await writeFile(file, password, { mode: 0o600 })
  await changeOwner(user, file)
  return ['-A', 'scram-sha-256', `--pwfile=${file}`]
}

const run = async (
  { user, directory }: Server,
  file: string,
  args: readonly string[],
): Promise<void> => {
  const [command, all] = user.command(file, args)
  try {
    await execute(command, all, { ...user.spawnOptions, cwd: '/' })
  } catch (error) {
    const output = errorText(error)
    const sentence = explainOutput(output, directory) ?? output
    throw new StartupError(`The embedded database cannot be created. ${sentence}`, { cause: error })
  }
}

/** Starts the server, or waits for one that is starting or stopping, and connects to it. */
export const startServer = async (
  server: Server,
  address: Address,
  settings: Readonly<Record<string, string>>,
): Promise<Session> => {
  const deadline = performance.now() + startTimeoutMs
  let child: Child | undefined
  for (;;) {
    const session = await connectTo(server.data, address)
    if (session) return session
    if (child?.ended !== undefined && (await waitsForOrphans(server, child))) child = undefined
    if (child?.ended !== undefined || performance.now() > deadline)
      throw await startupError(server, child)
    if (child === undefined && !(await hasPostmaster(server.data))) {
      await removeStaleLocks(server.data)
      child = await spawnPostmaster(server, { ...settings, ...listenSettings(address) })
    }
    await delay(20)
  }
}

type Child = { ended: string | undefined; readonly logFrom: number }

// Sessions of a killed server may run on for a moment, and keep its shared memory.
const waitsForOrphans = async ({ directory }: Server, { logFrom }: Child): Promise<boolean> =>
  (await endOfLog(directory, logFrom)).includes('pre-existing shared memory block')

/** In a session of its own, so that Ctrl-C ends requests before the database. */
const spawnPostmaster = async (
  { data, binaries, user, directory }: Server,
  settings: Readonly<Record<string, string>>,
): Promise<Child> => {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = await openLog(directory)
  const child: Child = { ended: undefined, logFrom: (await log.stat()).size }
  const [command, args] = user.command(binaries.postgres, ['-D', data, ...options])
  const postmaster = spawn(command, args, {
    ...user.spawnOptions,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  postmaster.on('error', (error) => {
    child.ended = error.message
  })
  postmaster.on('exit', (code) => {
    child.ended = `it ended with code ${code}`
  })
  postmaster.unref()
  await log.close()
  return child
}

const startupError = async (
  { directory }: Server,
  child: Child | undefined,
): Promise<StartupError> => {
  const lines = await endOfLog(directory, child?.logFrom ?? 0)
  const sentence = explainOutput(lines, directory)
  return new StartupError(
    sentence === undefined
      ? `The embedded database does not start (${child?.ended ?? 'no answer in 30 s'}). ${logOf(directory)} ends with:\n${lines}`
      : `The embedded database does not start. ${sentence} Its log is ${logOf(directory)}.`,
  )
}

const maxLogBytes = 10 * 1024 * 1024

const logOf = (directory: string) => join(directory, 'postgres.log')

/** Opens the log for a server that will start; renames a long one, which no process writes to yet. */
export const openLog = async (directory: string): Promise<FileHandle> => {
  const file = logOf(directory)
  if (existsSync(file) && (await stat(file)).size > maxLogBytes) await rename(file, `${file}.1`)
  const log = await open(file, 'a', 0o600)
  // A log of an earlier version may be readable for everybody.
  await log.chmod(0o600)
  return log
}

/** The last lines of the log; `from` is its length before the start, in bytes. */
const endOfLog = async (directory: string, from: number): Promise<string> => {
  const bytes = await readFile(logOf(directory)).catch(() => Buffer.alloc(0))
  return bytes.subarray(from).toString('utf8').trim().split('\n').slice(-10).join('\n')
}

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
