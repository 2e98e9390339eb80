/**
 * The watcher of an embedded server, in a process of its own: stops the server when no process uses it
 * any more, also after a killed service.
 */
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { findAddress } from './embedded-address.ts'
import { becomeWatcher, connectTo, isUsed, type Session, withServerLock } from './embedded-locks.ts'
import { hasPostmaster, type Place, placeOf, shutDown } from './embedded-postmaster.ts'

const pollIntervalMs = 500
// A killed process may have started a server that has no pid file yet, and a server that has lost a process of its own
// ends all sessions: its users come back.
const lingerMs = 2_000

const watch = async (place: Place): Promise<void> => {
  let session: Session | undefined
  const isInUse = async (): Promise<boolean> => {
    try {
      session ??= await openSession(place)
      // A server that does not answer starts or stops.
      return session ? await isUsed(session) : await hasPostmaster(place.data)
    } catch {
      session = undefined
      return true
    }
  }
  const stopUnused = () =>
    withServerLock(place.directory, async () => {
      // A process may have joined before the lock was free.
      if (await isInUse()) return false
      await shutDown(place)
      return true
    })
  let usedAt = performance.now()
  for (;;) {
    await delay(pollIntervalMs)
    if (await isInUse()) usedAt = performance.now()
    else if (performance.now() - usedAt >= lingerMs && (await stopUnused())) return
  }
}

/** A server has one watcher: another one ends here. */
const openSession = async (place: Place): Promise<Session | undefined> => {
  const session = await connectTo(place.data, await findAddress(place))
  if (session && !(await becomeWatcher(session))) process.exit()
  return session
}

// It ends after the processes that it watches, not with them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
  if (signal in constants.signals) process.on(signal, () => undefined)

const [directory = '', transport] = process.argv.slice(2)
// Names the process in process lists, so that killing every "node" does not kill it.
process.title = `docket-watch ${directory}`
await watch(placeOf(directory, transport === 'tcp'))
