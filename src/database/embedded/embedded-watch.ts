/**
 * The program that watches an embedded server from a process of its own, and stops it when nobody uses
 * it any more. What a killed service cannot do itself, this does for it.
 */
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findBinaries } from './embedded-binaries.ts'
import { openLockFile, waitForLock, withFileLock } from './embedded-lock.ts'
import { hasPostmaster, shutDown } from './embedded-postmaster.ts'
import { lockFiles } from './embedded-users.ts'

const lookEveryMs = 500
const takeOverWithinMs = 5_000
// One who was killed may have begun a server that has written no pid file yet.
const lingerMs = 3_000

const watch = async (directory: string): Promise<void> => {
  const files = lockFiles(directory)
  const own = openLockFile(files.watch)
  if (!(await waitForLock(own.tryAlone, takeOverWithinMs))) return
  const users = openLockFile(files.users)
  let quietSince: number | undefined
  let isDone = false
  while (!isDone) {
    await delay(lookEveryMs)
    if (!isDeserted(users)) {
      quietSince = undefined
      continue
    }
    quietSince ??= performance.now()
    const isQuiet = performance.now() - quietSince >= lingerMs
    isDone = await withFileLock(files.change, async () => {
      // Somebody may have entered before the lock was free.
      if (!isDeserted(users)) return false
      const hasStopped = await stop(directory)
      if (hasStopped || isQuiet) own.close()
      return hasStopped || isQuiet
    })
  }
}

const isDeserted = (users: ReturnType<typeof openLockFile>): boolean => {
  const isFree = users.tryAlone()
  users.release()
  return isFree
}

/** Stops the server, if there is one. */
const stop = async (directory: string): Promise<boolean> => {
  const data = join(directory, 'postgres')
  if (!(await hasPostmaster(data))) return false
  await shutDown({ data, binaries: await findBinaries() })
  return true
}

// It ends when those whom it watches have ended, not with them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
  if (signal in constants.signals) process.on(signal, () => undefined)

const [directory = ''] = process.argv.slice(2)
// What lists processes shows it, and who ends every "node" does not end it.
process.title = `docket-watch ${directory}`
await watch(directory)
