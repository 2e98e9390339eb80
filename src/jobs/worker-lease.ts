/**
 * The lease of a worker: a connection that holds the worker's lock, and recovers jobs of dead workers. However a
 * process ends, it loses the connection, and with it the lease.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { tcpSettings } from '../database/connections/session-settings.ts'
import { joinUsers } from '../database/users-of-database.ts'
import type { Observe } from '../observations.ts'
import { settledWithin } from '../within.ts'
import { recoverWorkers, registerWorker, removeWorker } from './worker-store.ts'

export type WorkerLease = {
  readonly workerId: string
  /** Rejects when the connection, and with it the lock, is lost. */
  readonly lost: Promise<never>
  /** Removes the worker, releases the jobs that it still runs, and closes the connection. */
  readonly release: () => Promise<void>
  /** Closes the connection; another worker finds the free lock and releases the jobs. */
  readonly close: () => Promise<void>
}

const responseTimeoutMs = 10_000
const closeTimeoutMs = 1_000
// Otherwise another worker that finds the free lock releases the jobs.
const releaseTimeoutMs = 5_000
const recoverIntervalMs = 4_000

/** Acquires a lease; throws if the database does not respond. */
export const acquireLease = async (
  connectionString: string,
  observe: Observe,
): Promise<WorkerLease> => {
  const workerId = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`
  const client = new pg.Client({
    connectionString,
    application_name: 'docket worker',
    connectionTimeoutMillis: responseTimeoutMs,
    query_timeout: responseTimeoutMs,
    keepAlive: true,
  })
  const closed = new AbortController()
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => undefined)
  client.on('error', reject)
  client.on('end', () => reject(new Error('The connection ended.')))
  const close = async () => {
    closed.abort()
    await settledWithin(closeTimeoutMs, client.end())
  }
  try {
    await Promise.race([lost, client.connect()])
    // Without these the lock of a lost host would stay for two hours.
    await client.query(tcpSettings()).catch(() => undefined)
    await joinUsers(client)
    await registerWorker(client, workerId)
  } catch (error) {
    await close()
    throw error
  }
  recoverOthers(client, observe, closed.signal).catch(reject)
  const release = async () => {
    await settledWithin(releaseTimeoutMs, removeWorker(client, workerId))
    await close()
  }
  return { workerId, lost, release, close }
}

/** Recovers dead workers at intervals, which also checks the connection. */
const recoverOthers = async (client: pg.Client, observe: Observe, closed: AbortSignal) => {
  while (!closed.aborted) {
    const { workers, jobs } = await recoverWorkers(client)
    if (workers > 0) observe({ kind: 'workerRecovered', workers, jobs })
    const pauseMs = recoverIntervalMs * (0.75 + Math.random() / 2)
    await delay(pauseMs, undefined, { signal: closed }).catch(() => undefined)
  }
}
