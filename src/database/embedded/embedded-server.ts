/** The embedded server: creates its data, starts it and waits until it answers. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import { type Address, listenSettings, urlOf } from './embedded-address.ts'
import { explainOutput } from './embedded-errors.ts'
import { endOfLog, openLog } from './embedded-log.ts'
import { hasPostmaster, removeStaleLocks, type Server } from './embedded-postmaster.ts'
import { changeOwner, type ServerUser } from './embedded-user.ts'

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
  const locale = ['--locale-provider=icu', '--icu-locale=und', `--locale=${libcLocale}`]
  const identity = ['-U', 'docket', ...(await authentication(user, workshop, address))]
  const speed = isSynced ? [] : ['--no-sync']
  await run(server, binaries.initdb, [
    '-D',
    unfinished,
    '-E',
    'UTF8',
    ...identity,
    ...locale,
    ...speed,
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

const madeText = (output: string, folder: string): string => {
  const sentence = explainOutput(output, folder)
  return `The embedded database cannot be created. ${sentence ?? `PostgreSQL says:\n${output}`}`
}

const run = (
  { user, directory: folder }: Server,
  file: string,
  args: readonly string[],
): Promise<void> =>
  new Promise((resolve, reject) => {
    const [command, all] = user.command(file, args)
    const child = spawn(command, all, {
      ...user.spawnOptions,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk).slice(-4000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) =>
      reject(new StartupError(`${file} cannot be run: ${error.message}`)),
    )
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new StartupError(madeText(output, folder)))
    })
  })

/** Starts the server, or waits for one that is starting or stopping. */
export const spawnServer = async (
  server: Server,
  address: Address,
  settings: Readonly<Record<string, string>>,
): Promise<void> => {
  const deadline = performance.now() + startTimeoutMs
  let child: Child | undefined
  while (!(await isServing(server, address))) {
    if (child?.ended !== undefined && (await waitsForOrphans(server, child))) child = undefined
    if (child?.ended !== undefined || performance.now() > deadline)
      throw await startupError(server, child)
    if (child === undefined && !(await hasPostmaster(server.data))) {
      await removeStaleLocks(server.data)
      child = await start(server, { ...settings, ...listenSettings(address) })
    }
    await delay(20)
  }
}

// Sessions of a killed server may run on for a moment, and keep its shared memory.
const waitsForOrphans = async ({ directory }: Server, { logFrom }: Child): Promise<boolean> =>
  (await endOfLog(directory, logFrom)).lines.includes('pre-existing shared memory block')

type Child = { ended: string | undefined; readonly logFrom: number }

/** In a session of its own, so that Ctrl-C ends requests before the database. */
const start = async (
  server: Server,
  settings: Readonly<Record<string, string>>,
): Promise<Child> => {
  const { data, binaries, user, directory } = server
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = await openLog(directory)
  const logFrom = (await log.stat()).size
  const [command, args] = user.command(binaries.postgres, ['-D', data, ...options])
  const stdio = ['ignore', log.fd, log.fd] as const
  const postmaster = spawn(command, args, {
    ...user.spawnOptions,
    cwd: '/',
    detached: true,
    stdio: [...stdio],
  })
  const child: Child = { ended: undefined, logFrom }
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
  const reason = child?.ended ?? 'no answer in 30 s'
  const { file, lines } = await endOfLog(directory, child?.logFrom ?? 0)
  const sentence = explainOutput(lines, directory)
  return new StartupError(
    sentence === undefined
      ? `The embedded database does not start (${reason}). ${file} ends with:\n${lines}`
      : `The embedded database does not start. ${sentence} Its log is ${file}.`,
  )
}

/** Whether the server of this folder answers: a copied project contains another one's address. */
export const isServing = async (
  { data }: Pick<Server, 'data'>,
  address: Address,
): Promise<boolean> => {
  const client = new pg.Client({
    connectionString: urlOf(address, 'postgres'),
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ data: string }>(
      `SELECT current_setting('data_directory') AS data`,
    )
    return (await realpath(rows[0]?.data ?? '')) === (await realpath(data))
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
