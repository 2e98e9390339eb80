/**
 * Locks between processes for the embedded server: for creating, starting, stopping and using it. They
 * are file locks by SQLite, because Node has none. The kernel releases them when their process ends, so
 * they are never stale.
 */
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { errorText, StartupError } from '../../errors.ts'

// Longer than the slowest work done under the lock: initdb and a start of 30 s.
const maxWaitMs = 120_000
const pauseMs = 20
const sqliteBusy = 5

/** A lock file without data. */
export type LockFile = {
  /** Takes an exclusive lock; false while another process holds or shares it. */
  readonly tryAlone: () => boolean
  /** Takes a shared lock; false while another process holds it exclusively. */
  readonly tryShared: () => boolean
  readonly release: () => void
  /** Releases the lock and closes the file. */
  readonly close: () => void
}

/** Opens a lock file, and creates it if necessary. */
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
    // The first statement that reads takes the lock.
    tryShared: () => attempt('BEGIN', 'SELECT 1 FROM sqlite_schema'),
    release,
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

/** Retries until it has the lock; returns whether that was in time. */
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
    if (!(await waitForLock(lock.tryAlone, maxWaitMs)))
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
 * Creates the file, because SQLite would make it readable for everybody. An existing one is not opened:
 * closing it would release the locks that this process holds on it (POSIX, fcntl).
 */
const makeClosed = (file: string): void => {
  if (!existsSync(file)) {
    try {
      writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
    } catch (error) {
      // Another process has created it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  if ((statSync(file).mode & 0o777) !== 0o600) chmodSync(file, 0o600)
}
