/**
 * The user that the embedded server runs as. PostgreSQL refuses to run as root, so root hands it to
 * `postgres` or `nobody`, where needed with the one capability to pass through closed folders.
 */
import { spawnSync } from 'node:child_process'
import { chown, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFault } from '../errors.ts'

export type ServerUser = {
  /** Undefined: the user of this process. */
  readonly ids: { readonly uid: number; readonly gid: number } | undefined
  readonly spawnOptions: { readonly uid?: number; readonly gid?: number }
  /** The command line that runs a program as this user. */
  readonly command: (file: string, args: string[]) => [string, string[]]
}

const direct: ServerUser['command'] = (file, args) => [file, args]

/** Chooses the user and how to become it, so that it reaches both the programs and the data. */
export const chooseServerUser = async (program: string, directory: string): Promise<ServerUser> => {
  if (process.getuid?.() !== 0) return { ids: undefined, spawnOptions: {}, command: direct }
  const ids = await serverIds()
  if (reaches(ids, [program, directory])) return { ids, spawnOptions: ids, command: direct }
  const become = ['--reuid', `${ids.uid}`, '--regid', `${ids.gid}`, '--clear-groups', '--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const command: ServerUser['command'] = (file, args) => ['setpriv', [...become, file, ...args]]
  const [tried, args] = command(program, ['--version'])
  if (spawnSync(tried, args).status === 0) return { ids, spawnOptions: {}, command }
  throw new StartFault(
    `PostgreSQL cannot run as root, and another user cannot reach ${directory}. Move the project to a folder that every user may pass through, run as another user, or set DATABASE_URL.`,
  )
}

const reaches = (ids: { uid: number; gid: number }, paths: readonly string[]): boolean => {
  const script = `for (const path of process.argv.slice(1)) fs.accessSync(path)`
  const tried = spawnSync(process.execPath, ['-e', script, ...paths], { ...ids, cwd: '/', env: {} })
  return tried.status === 0
}

const serverIds = async () => {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return line ? { uid: Number(uid), gid: Number(gid) } : { uid: 65534, gid: 65534 }
}

/** Gives a folder to the server's user, with all that is in it. */
export const own = async (directory: string, { ids }: ServerUser): Promise<void> => {
  if (!ids) return
  await chown(directory, ids.uid, ids.gid)
  for (const name of await readdir(directory, { recursive: true }))
    await chown(join(directory, name), ids.uid, ids.gid)
}
