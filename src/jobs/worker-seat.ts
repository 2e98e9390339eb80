/**
 * A worker's seat: a connection of its own that holds the worker's lock and looks after the others.
 * A process that ends in whatever way loses the connection, and by that its seat.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { tcpSettings } from '../database/connections/session-settings.ts'
import { joinUsers } from '../database/locks/users-of-database.ts'
import type { Observe } from '../observations.ts'
import { settledWithin } from '../within.ts'
import { leaveWorker, recoverWorkers, registerWorker } from './worker-store.ts'

export type WorkerLease = {
  readonly workerId: string
  /** Rejects when the connection is lost, and the lock with it. */
  readonly lost: Promise<never>
  /** Strikes the worker off, gives back what it still has in hand, and closes the connection. */
  readonly leave: () => Promise<void>
  /** Closes the connection; another worker finds the free lock and gives back the jobs. */
  readonly close: () => Promise<void>
}

const answerWithinMs = 10_000
const closeWithinMs = 1_000
// What stays undone then is done by another worker that finds the free lock.
const leaveWithinMs = 5_000
const lookEveryMs = 4_000

/** Takes a seat; throws when the database does not answer. */
export const acquireLease = async (
  connectionString: string,
  observe: Observe,
): Promise<WorkerLease> => {
  const workerId = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`
  const client = new pg.Client({
    connectionString,
    application_name: 'docket worker',
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
    keepAlive: true,
  })
  const closed = new AbortController()
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => undefined)
  client.on('error', reject)
  client.on('end', () => reject(new Error('The connection ended.')))
  const close = async () => {
    closed.abort()
    await settledWithin(closeWithinMs, client.end())
  }
  try {
    await Promise.race([lost, client.connect()])
    // A host that is lost says nothing: its lock would stay for two hours.
    await client.query(tcpSettings()).catch(() => undefined)
    await joinUsers(client)
    await registerWorker(client, workerId)
  } catch (error) {
    await close()
    throw error
  }
  lookAfterOthers(client, observe, closed.signal).catch(reject)
  const leave = async () => {
    await settledWithin(leaveWithinMs, leaveWorker(client, workerId))
    await close()
  }
  return { workerId, lost, leave, close }
}

/** Looks for dead workers again and again, which also shows that the connection is alive. */
const lookAfterOthers = async (client: pg.Client, observe: Observe, closed: AbortSignal) => {
  while (!closed.aborted) {
    const { workers, jobs } = await recoverWorkers(client)
    if (workers > 0) observe({ kind: 'workerRecovered', workers, jobs })
    const pauseMs = lookEveryMs * (0.75 + Math.random() / 2)
    await delay(pauseMs, undefined, { signal: closed }).catch(() => undefined)
  }
}
