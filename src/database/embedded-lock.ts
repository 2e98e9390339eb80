/** Lets one process at a time make, start or stop the embedded server. */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { errorText, StartFault } from '../errors.ts'

// Longer than the slowest work done under the lock: initdb and a start of 30 s.
const patienceMs = 120_000
const sqliteBusy = 5

/**
 * Runs work while no other process holds the lock. SQLite takes the file lock, for Node itself has
 * none: the kernel gives it back when its holder dies, so it is never stale.
 */
export const withFileLock = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  const lock = open(file)
  try {
    const deadline = performance.now() + patienceMs
    while (!tryLock(lock)) {
      if (performance.now() > deadline)
        throw new StartFault(
          `Another process holds ${file} for more than two minutes; end it first.`,
        )
      await delay(20)
    }
    return await work()
  } finally {
    lock.close()
  }
}

const open = (file: string): DatabaseSync => {
  try {
    return new DatabaseSync(file, { timeout: 0 })
  } catch (error) {
    throw new StartFault(
      `${file} cannot be opened (${errorText(error)}); the folder must be writable for the service.`,
      { cause: error },
    )
  }
}

const tryLock = (lock: DatabaseSync): boolean => {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode === sqliteBusy) return false
    throw new StartFault(`The embedded database cannot be locked: ${errorText(error)}`, {
      cause: error,
    })
  }
}
