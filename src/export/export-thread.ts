/**
 * A thread that runs exports concurrently on its own connections: COPY, format, compression and digest happen here. The
 * main thread only writes what is posted to the sockets.
 */
import { createHash } from 'node:crypto'
import { type Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { sumOfCounts } from '../database/connections/count-connections.ts'
import { createPool, type Pool } from '../database/pool.ts'
import type { ReplicaAddress } from '../database/replicas/replica.ts'
import { toPlainError } from '../processes/plain-error.ts'
import type { Sharing } from './copy-in-ranges.ts'
import { findEncoding } from './encodings.ts'
import {
  connectionCounts,
  type ExportMessage,
  type ThreadReport,
  type ThreadRequest,
  type ThreadSettings,
} from './export-task.ts'
import { runExport } from './run-export.ts'

// Measured with 134 MB of CSV: the main thread works 45 ms for chunks of 256 KiB, 107 ms for 64 KiB.
const chunkBytes = 262_144
const maxBuffers = 4
// A chunk that is not full is posted after this time.
const maxDelayMs = 20

/**
 * Posts bytes in large chunks to the main thread; `rows` returns how many rows were written so far. A few buffers are
 * reused: each is transferred without a copy and returned when the client's socket has taken it. So a slow client
 * pauses the export, and memory does not grow with the number of rows.
 */
class ChunkWriter extends Writable {
  readonly #port: MessagePort
  readonly #rows: () => number
  readonly #returned: ArrayBuffer[] = []
  #made = 0
  #chunk: Buffer | undefined
  #filled = 0
  #resume: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #isFirst = true

  constructor(port: MessagePort, rows: () => number) {
    super({ highWaterMark: 65_536 })
    this.#port = port
    this.#rows = rows
    port.on('message', this.#takeBack)
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    let rest = piece
    const fill = (): void => {
      while (rest.length > 0) {
        this.#chunk ??= this.#emptyBuffer()
        if (!this.#chunk) {
          this.#resume = fill
          return
        }
        rest = this.#fillChunk(this.#chunk, rest)
      }
      done()
    }
    fill()
  }

  override _final(done: () => void): void {
    this.#post()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#port.off('message', this.#takeBack)
    done(error)
  }

  readonly #takeBack = (buffer: ArrayBuffer): void => {
    this.#returned.push(buffer)
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  #emptyBuffer(): Buffer | undefined {
    const returned = this.#returned.pop()
    if (returned) return Buffer.from(returned)
    if (this.#made === maxBuffers) return undefined
    this.#made += 1
    return Buffer.from(new ArrayBuffer(chunkBytes))
  }

  /** Copies what fits and returns the rest; the first bytes of an export are posted immediately. */
  #fillChunk(chunk: Buffer, piece: Buffer): Buffer {
    const copied = piece.copy(chunk, this.#filled)
    this.#filled += copied
    if (this.#isFirst || this.#filled === chunk.length) this.#post()
    else this.#timer ??= setTimeout(() => this.#post(), maxDelayMs)
    return piece.subarray(copied)
  }

  #post(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#chunk) return
    this.#isFirst = false
    const buffer = this.#chunk.buffer as ArrayBuffer
    const message = { kind: 'chunk', buffer, length: this.#filled, rows: this.#rows() } as const
    this.#chunk = undefined
    this.#filled = 0
    this.#port.postMessage(message satisfies ExportMessage, [buffer])
  }
}

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
/** While more exports run than may be divided, each has one connection. */
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
