/**
 * A thread that runs exports concurrently on its own connections: COPY, format, compression and digest
 * happen here. The main thread only writes what is posted to the sockets.
 */

import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { sumOfCounts } from '../../database/connections/sum-of-counts.ts'
import { createPool, type Pool } from '../../database/pool.ts'
import type { ReplicaAddress } from '../../database/replicas/replica.ts'
import { toPlainError } from '../../processes/plain-error.ts'
import {
  connectionCounts,
  type ExportMessage,
  type ThreadReport,
  type ThreadRequest,
  type ThreadSettings,
} from '../export-task.ts'
import type { Sharing } from '../ranges/copy-in-ranges.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { findEncoding } from './encodings.ts'
import { runExport } from './run-export.ts'

const { servers, slots, dividedAtOnce, connectionsEach, ...settings } = workerData as ThreadSettings
const { running, dividedInAll, ...limits } = settings
const report = (message: ThreadReport) => parentPort?.postMessage(message)

const openPool = (address: ReplicaAddress): Pool => {
  const pool = createPool({
    ...address,
    size: slots + dividedAtOnce * (connectionsEach - 1),
    work: { kind: 'exports', ...limits },
    observe: (observation) => {
      if (observation.kind === 'databaseConnectionLost')
        report({ kind: 'connectionLost', error: toPlainError(observation.error) })
    },
  })
  for (const event of ['connect', 'acquire', 'release', 'remove'] as const)
    pool.on(event, reportConnections)
  return pool
}

/** A pool for each server; it opens its first connection with the first export there. */
const pools = servers.map(openPool)

let isReportDue = false
/** Deferred, because a pool emits the event before it updates its counts. */
function reportConnections() {
  if (isReportDue) return
  isReportDue = true
  setImmediate(() => {
    isReportDue = false
    const counts = { ...sumOfCounts(connectionCounts, () => pools) }
    report({ kind: 'connections', counts })
  })
}

parentPort?.on('message', (request: ThreadRequest) => {
  if (request.kind === 'stop') void stop()
  else void serve(request)
})

const closeWithinMs = 1_000

/** Afterwards nothing keeps the thread alive. */
const stop = async () => {
  await Promise.all(pools.map((pool) => pool.endWithin(closeWithinMs)))
  parentPort?.close()
}

let runningHere = 0
/** Beside more exports than may be divided, each has one connection. */
const sharing: Sharing = {
  connectionsEach: dividedAtOnce === 0 ? 1 : connectionsEach,
  mayTakeMore: () => runningHere <= dividedAtOnce && Atomics.load(running, 0) <= dividedInAll,
  timeoutMs: limits.timeoutSeconds * 1000,
}

/** Runs one export and posts its bytes, then how it ended. */
const serve = async ({ task, target, port }: Extract<ThreadRequest, { kind: 'run' }>) => {
  const cancelled = new AbortController()
  port.once('close', () => cancelled.abort())
  const post = (message: ExportMessage) => port.postMessage(message)
  runningHere += 1
  try {
    const { server, requires } = target
    const pool = pools[server]
    if (!pool) throw new Error(`There is no server ${server}.`)
    const exporting = runExport({ pool, task, signal: cancelled.signal, sharing, requires })
    reportConnections()
    const { stream, rows } = await exporting
    const encoding = findEncoding(task.encoding)
    const fileDigest = task.withDigest ? digesting() : undefined
    const digest = encoding && task.withDigest ? digesting() : fileDigest
    const stages = [
      stream,
      ...(fileDigest ? [fileDigest.stream] : []),
      ...(encoding ? [encoding.compress()] : []),
      ...(digest && digest !== fileDigest ? [digest.stream] : []),
      new ChunkWriter(port, rows),
    ]
    // One pipeline: when one stage fails, all of them end.
    await pipeline(stages as [Readable, Transform], { signal: cancelled.signal })
    const file = fileDigest?.print()
    const sent = digest === fileDigest ? file : digest?.print()
    post({ kind: 'sent', rows: rows(), digest: sent, fileDigest: file })
  } catch (error) {
    post({ kind: 'failed', error: toPlainError(error) })
  } finally {
    runningHere -= 1
    port.close()
  }
}

/** A stream that passes bytes on and updates a digest (SHA-256, printed in base64). */
const digesting = () => {
  const hash = createHash('sha256')
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, print: () => hash.digest('base64') }
}
