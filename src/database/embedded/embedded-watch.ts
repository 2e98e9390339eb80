/**
 * The watcher of an embedded server, in a process of its own: stops the server when no process uses it
 * any more, also after a killed service.
 */
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findBinaries } from './embedded-binaries.ts'
import { openLockFile, waitForLock, withFileLock } from './embedded-lock.ts'
import { hasPostmaster, shutDown } from './embedded-postmaster.ts'
import { lockFiles } from './embedded-users.ts'

const pollIntervalMs = 500
const takeOverWithinMs = 5_000
// A killed process may have started a server that has not written its pid file yet.
const lingerMs = 3_000

const watch = async (directory: string): Promise<void> => {
  const files = lockFiles(directory)
  const own = openLockFile(files.watch)
  if (!(await waitForLock(own.tryAlone, takeOverWithinMs))) return
  const users = openLockFile(files.users)
  let quietSince: number | undefined
  let isDone = false
  while (!isDone) {
    await delay(pollIntervalMs)
    if (!isDeserted(users)) {
      quietSince = undefined
      continue
    }
    quietSince ??= performance.now()
    const isQuiet = performance.now() - quietSince >= lingerMs
    isDone = await withFileLock(files.change, async () => {
      // A process may have joined before the lock was free.
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

// It ends after the processes that it watches, not with them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
  if (signal in constants.signals) process.on(signal, () => undefined)

const [directory = ''] = process.argv.slice(2)
// Names the process in process lists, so that killing every "node" does not kill it.
process.title = `docket-watch ${directory}`
await watch(directory)
