/**
 * The user that the embedded server runs as. PostgreSQL does not run as root, so root starts it as
 * another user, if necessary with a capability to access closed folders.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, readFile, stat } from 'node:fs/promises'
import { StartupError } from '../../errors.ts'

type Ids = { readonly uid: number; readonly gid: number }

export type ServerUser = {
  /** Undefined: the user of this process. */
  readonly ids: Ids | undefined
  readonly spawnOptions: Partial<Ids>
  /** The command line that runs a program as this user. */
  readonly command: (file: string, args: readonly string[]) => [string, readonly string[]]
}

type Places = { readonly initdb: string; readonly directory: string; readonly data: string }

// What the loader of Linux or macOS says of a program without its libraries: npm adds links to them last.
export const missingLibraries = /error while loading shared libraries|Library not loaded/

/** What to do about them. */
export const unfinishedInstallation =
  'Libraries of PostgreSQL are missing: the installation is not finished, or npm was not allowed to run its scripts. Run "npm ci" again.'

const direct: ServerUser['command'] = (file, args) => [file, args]
const nobody: Ids = { uid: 65534, gid: 65534 }

/** Chooses a user that can access the programs and the data, and how to switch to it. */
export const chooseServerUser = async (places: Places): Promise<ServerUser> => {
  if (process.getuid?.() !== 0) return { ids: undefined, spawnOptions: {}, command: direct }
  const ids = await otherUser(places.data)
  if (reaches(ids, places)) return { ids, spawnOptions: ids, command: direct }
  return { ids, spawnOptions: {}, command: becoming(ids, places) }
}

/** The user of the server when this process is root. */
const otherUser = async (data: string): Promise<Ids> =>
  (await ownerOf(data)) ?? (await postgresUser()) ?? nobody

/** The group that needs access to the data folder; undefined: the server runs as this user. */
export const groupOfServer = async (data: string): Promise<number | undefined> =>
  process.getuid?.() === 0 ? (await otherUser(data)).gid : undefined

/** PostgreSQL requires that its data belong to its user, so existing data decide. */
const ownerOf = async (data: string): Promise<Ids | undefined> => {
  if (!existsSync(data)) return undefined
  const { uid, gid } = await stat(data)
  return uid === 0 ? undefined : { uid, gid }
}

const postgresUser = async (): Promise<Ids | undefined> => {
  if (!existsSync('/etc/passwd')) return undefined
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n')
  const [, , uid, gid] = users.find((entry) => entry.startsWith('postgres:'))?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

// A trailing slash checks access to the folder itself.
const reaches = (ids: Ids, { initdb, directory }: Places): boolean =>
  spawnSync('/bin/sh', ['-c', 'test -x "$1" && test -e "$2/."', 'sh', initdb, directory], {
    ...ids,
    cwd: '/',
  }).status === 0

/**
 * With dac_override in its ambient set the server can access folders that are closed to its user, such as
 * a clone under /root. Containers grant root that capability by default, unlike the narrower
 * dac_read_search. Without no_setuid_fixup, access(2), which PostgreSQL uses to find its programs, would
 * ignore the capability.
 */
const becoming = ({ uid, gid }: Ids, { initdb, directory }: Places): ServerUser['command'] => {
  const identity = ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups']
  const capability = [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ]
  const command: ServerUser['command'] = (file, args) => [
    'setpriv',
    [...identity, ...capability, file, ...args],
  ]
  // A dry run that finds every program and file, and creates nothing.
  const [file, args] = command(initdb, ['--show', '-D', '/'])
  const tried = spawnSync(file, args, { cwd: '/', encoding: 'utf8' })
  if (tried.status === 0) return command
  if (missingLibraries.test(tried.stderr ?? ''))
    throw new StartupError(`PostgreSQL does not start. ${unfinishedInstallation}`)
  const reason = tried.error ? 'setpriv (package util-linux) is missing' : tried.stderr.trim()
  throw new StartupError(
    `PostgreSQL does not run as root, and user ${uid} cannot reach ${initdb} or ${directory} (${reason}). Install setpriv, move the project to a folder that every user may pass through, run Docket as another user, or set DATABASE_URL.`,
  )
}

/** Makes the server's user the owner of an empty folder or a file. */
export const changeOwner = async ({ ids }: ServerUser, path: string): Promise<void> => {
  if (ids) await chown(path, ids.uid, ids.gid)
}
