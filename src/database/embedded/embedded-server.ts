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
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorText, StartupError } from '../../errors.ts'
import { type Address, listenSettings } from './embedded-address.ts'
import { explainOutput } from './embedded-errors.ts'
import { connectTo, type Session } from './embedded-locks.ts'
import { hasPostmaster, removeStaleLocks, type Server } from './embedded-postmaster.ts'
import { changeOwner, type ServerUser } from './embedded-user.ts'

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
