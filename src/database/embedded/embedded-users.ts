/**
 * The processes that use the embedded server. Each holds a shared lock on one file while it runs; a
 * watcher process (embedded-watch.ts) stops the server when no process is left.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../config/child-environment.ts'
import { StartupError } from '../../errors.ts'
import { programBeside } from '../../processes/program-beside.ts'
import { openLockFile, waitForLock } from './embedded-lock.ts'

/** The files of the locks in a `.docket` folder. */
export const lockFiles = (directory: string) => ({
  /** Held while creating, starting or stopping the server. */
  change: join(directory, 'postgres.lock'),
  /** Shared by every process that uses it. */
  users: join(directory, 'postgres.users'),
  /** Held by the watcher. */
  watch: join(directory, 'postgres.watch'),
})

export type Presence = {
  /** Leaves; returns whether no process is left. */
  readonly leave: () => boolean
  /** Ends the watcher if this process started it; only when no process is left. */
  readonly endWatch: () => Promise<void>
}

// A process that checks for users holds the lock for a moment.
const enterWithinMs = 10_000
const watchAgainMs = 5_000

/** Adds this process to the users of the server. Call it under the lock of changes. */
export const enter = async (directory: string): Promise<Presence> => {
  const users = openLockFile(lockFiles(directory).users)
  if (!(await waitForLock(users.tryShared, enterWithinMs))) {
    users.close()
    throw new StartupError(
      `${lockFiles(directory).users} is held by another program; end it first.`,
    )
  }
  let watcher: ChildProcess | undefined
  const ensureWatcher = () => {
    if (!isWatched(directory)) watcher = startWatch(directory)
  }
  ensureWatcher()
  // It may be killed by its id.
  const timer = setInterval(ensureWatcher, watchAgainMs).unref()
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

/** In a session of its own, so that Ctrl-C does not reach it, and without the secrets of the environment. */
const startWatch = (directory: string): ChildProcess => {
  const program = fileURLToPath(programBeside(import.meta.url, 'embedded-watch'))
  const watcher = spawn(process.execPath, [program, directory], {
    cwd: '/',
    detached: true,
    windowsHide: true,
    stdio: 'ignore',
    env: childEnvironment(),
  })
  // Without a watcher the last process stops the server when it ends normally; the next check tries
  // again.
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
