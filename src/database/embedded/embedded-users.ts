/**
 * Who uses the embedded server. Each process shares a lock on one file for as long as it lives; beside
 * them a process of its own watches (embedded-watch.ts), and stops the server when nobody is left.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainEnvironment } from '../../config/plain-environment.ts'
import { StartupError } from '../../errors.ts'
import { programBeside } from '../../processes/program-beside.ts'
import { openLockFile, waitForLock } from './embedded-lock.ts'

/** The files of the locks in a `.docket` folder. */
export const lockFiles = (directory: string) => ({
  /** Held by whoever makes, starts or stops the server. */
  change: join(directory, 'postgres.lock'),
  /** Shared by everybody who uses it. */
  users: join(directory, 'postgres.users'),
  /** Held by the one who watches. */
  watch: join(directory, 'postgres.watch'),
})

export type Presence = {
  /** Whether nobody is left, now that this one has left. */
  readonly leave: () => boolean
  /** Ends the watching process where this one started it; only when nobody is left. */
  readonly endWatch: () => Promise<void>
}

// Whoever looks whether somebody uses the server has the lock for a moment.
const enterWithinMs = 10_000
const watchAgainMs = 5_000

/** Makes this process one of those that use the server. To be called under the lock of changes. */
export const enter = async (directory: string): Promise<Presence> => {
  const users = openLockFile(lockFiles(directory).users)
  if (!(await waitForLock(users.tryShared, enterWithinMs))) {
    users.close()
    throw new StartupError(
      `${lockFiles(directory).users} is held by another program; end it first.`,
    )
  }
  let watcher: ChildProcess | undefined
  const seeToWatch = () => {
    if (!isWatched(directory)) watcher = startWatch(directory)
  }
  seeToWatch()
  // Somebody may end it by its number.
  const timer = setInterval(seeToWatch, watchAgainMs).unref()
  return {
    leave: () => {
      clearInterval(timer)
      users.release()
      const isLast = users.tryAlone()
      users.close()
      return isLast
    },
    endWatch: () => ended(watcher),
  }
}

const isWatched = (directory: string): boolean => {
  const watch = openLockFile(lockFiles(directory).watch)
  const isFree = watch.tryAlone()
  watch.close()
  return !isFree
}

/** In a session of its own, which no Ctrl-C reaches, and without the secrets of the environment. */
const startWatch = (directory: string): ChildProcess => {
  const program = fileURLToPath(programBeside(import.meta.url, 'embedded-watch'))
  const watcher = spawn(process.execPath, [program, directory], {
    cwd: '/',
    detached: true,
    windowsHide: true,
    stdio: 'ignore',
    env: plainEnvironment(),
  })
  // Without a watcher the server is stopped by those who leave in order; the next look tries again.
  watcher.on('error', () => undefined)
  watcher.unref()
  return watcher
}

const ended = (child: ChildProcess | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null)
      return resolve()
    child.ref()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
