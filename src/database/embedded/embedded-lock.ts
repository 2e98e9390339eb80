/**
 * Locks between processes for the embedded server: who may make, start or stop it, and who uses it.
 * SQLite takes them on files, for Node itself has none: the kernel gives them back when their holder
 * ends, in whatever way, so they are never stale.
 */
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { errorText, StartupError } from '../../errors.ts'

// Longer than the slowest work done under the lock: initdb and a start of 30 s.
const patienceMs = 120_000
const pauseMs = 20
const sqliteBusy = 5

/** A file that locks are taken on; it keeps no data. */
export type LockFile = {
  /** Takes the file for this holder alone; false while anybody else has it or shares it. */
  readonly tryAlone: () => boolean
  /** Takes the file together with others; false while somebody has it alone. */
  readonly tryShared: () => boolean
  readonly release: () => void
  /** Releases it for good. */
  readonly close: () => void
}

/** Opens a lock file, and makes it where there is none. */
export const openLockFile = (file: string): LockFile => {
  const database = open(file)
  const release = () => {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
  const attempt = (...statements: string[]): boolean => {
    try {
      for (const statement of statements) database.exec(statement)
      return true
    } catch (error) {
      release()
      if ((error as { errcode?: unknown }).errcode === sqliteBusy) return false
      throw new StartupError(`${file} cannot be locked: ${errorText(error)}`, { cause: error })
    }
  }
  return {
    tryAlone: () => attempt('BEGIN EXCLUSIVE'),
    // The lock is taken by the first statement that reads.
    tryShared: () => attempt('BEGIN', 'SELECT 1 FROM sqlite_schema'),
    release,
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

/** Tries until it has the lock; answers with whether that was in time. */
export const waitForLock = async (tryLock: () => boolean, withinMs: number): Promise<boolean> => {
  const deadline = performance.now() + withinMs
  while (!tryLock()) {
    if (performance.now() > deadline) return false
    await delay(pauseMs)
  }
  return true
}

/** Runs work while no other process holds the lock. */
export const withFileLock = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  const lock = openLockFile(file)
  try {
    if (!(await waitForLock(lock.tryAlone, patienceMs)))
      throw new StartupError(
        `Another process holds ${file} for more than two minutes; end it first.`,
      )
    return await work()
  } finally {
    lock.close()
  }
}

const open = (file: string): DatabaseSync => {
  try {
    makeClosed(file)
    return new DatabaseSync(file, { timeout: 0 })
  } catch (error) {
    throw new StartupError(
      `${file} cannot be opened (${errorText(error)}); the folder must be writable for the service.`,
      { cause: error },
    )
  }
}

/**
 * SQLite would make it readable for everybody. One that is there is not opened here: to close it would
 * take back the locks that this process has on it (POSIX, fcntl).
 */
const makeClosed = (file: string): void => {
  if (!existsSync(file)) {
    try {
      writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  if ((statSync(file).mode & 0o777) !== 0o600) chmodSync(file, 0o600)
}
