/**
 * The lock for creating, starting and stopping an embedded server, between processes. It is a file lock by SQLite,
 * because Node has none. The kernel releases it when its process ends, so it is never stale.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { errorText, StartupError } from '../../errors.ts'

// Longer than the slowest work done under the lock: initdb and a start of 30 s.
const maxWaitMs = 120_000
const pauseMs = 20
const sqliteBusy = 5

/** Runs work while no other process holds the lock of this `.docket` folder. */
export const withServerLock = async <T>(directory: string, work: () => Promise<T>): Promise<T> => {
  const file = join(directory, 'postgres.lock')
  const database = open(file)
  try {
    const deadline = performance.now() + maxWaitMs
    while (!tryLock(database, file)) {
      if (performance.now() > deadline)
        throw new StartupError(
          `Another process holds ${file} for more than two minutes; end it first.`,
        )
      await delay(pauseMs)
    }
    return await work()
  } finally {
    database.close()
  }
}

const tryLock = (database: DatabaseSync, file: string): boolean => {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode === sqliteBusy) return false
    throw new StartupError(`${file} cannot be locked: ${errorText(error)}`, { cause: error })
  }
}

const open = (file: string): DatabaseSync => {
  try {
    createPrivate(file)
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
 * closing it would release the lock that this process holds on it (POSIX, fcntl).
 */
const createPrivate = (file: string): void => {
  if (!existsSync(file)) writeFileSync(file, '', { flag: 'a', mode: 0o600 })
}
