/**
 * Makes thumbnails in processes of their own: a picture that is made to harm, or is just too large, takes at most one of them, which
 * is ended and replaced (processes/worker-pool.ts).
 */
import { saturated } from '../../errors.ts'
import { PoolWorker } from '../../processes/pool-worker.ts'
import type { RpcMethods } from '../../processes/rpc.ts'
import { programBeside } from '../../processes/service-thread.ts'
import type { WorkerFailure } from '../../processes/worker-messages.ts'
import { WorkerPool } from '../../processes/worker-pool.ts'
import type { BlobStore } from '../blob-store.ts'

type Wanted = {
  /** Of the picture. */
  readonly sha256: string
  /** Of the longer side, in pixels. */
  readonly size: number
}

export type ThumbnailRequest = Wanted & {
  /** Of decoding, once the bytes are there. */
  readonly timeoutMs: number
}

/** A WebP, or why there is none; what is missing may be there at another time. */
export type MadeThumbnail =
  | { readonly image: Uint8Array }
  | { readonly fault: string }
  | { readonly missing: 'library' }
  | { readonly missing: 'bytes'; readonly text: string }

export type MakeOptions = {
  /** Callers take turns. */
  readonly callerKey?: string | undefined
  /** Aborted when nobody waits for it any more: if it has not begun, it is not made. */
  readonly signal?: AbortSignal
}

export type ThumbnailMaker = {
  /** Throws request.saturated while too many wait, of all callers or of this one. */
  readonly make: (wanted: Wanted, options?: MakeOptions) => Promise<MadeThumbnail>
  /** Ends every process. */
  readonly close: () => Promise<void>
}

type ThumbnailLimits = {
  readonly timeoutMs: number
  /** Of one process. */
  readonly memoryBytes: number
}

// Of fifty million pixels with all that decoding some kinds takes; a photograph takes a tenth.
const defaultLimits: ThumbnailLimits = { timeoutMs: 20_000, memoryBytes: 1024 * 1_048_576 }
// A start takes less than a second, but a busy machine, or a store that is far away, may take long.
const readTimeoutMs = 60_000
// Two, so that one slow picture does not delay all others.
const maxProcesses = 2
const maxWaiting = 200
// Browsers ask for six at once.
const maxWaitingPerCaller = 50
// Requests for records take precedence.
const niceness = 10

/** Starts no process before the first thumbnail. */
export const createThumbnailMaker = (
  blobs: Pick<BlobStore, 'open'>,
  limits: ThumbnailLimits = defaultLimits,
): ThumbnailMaker => {
  const { timeoutMs, memoryBytes } = limits
  const methods: RpcMethods = new Map([
    [
      'read',
      async ([sha256], { sendChunk }) => {
        for await (const piece of await blobs.open(String(sha256))) await sendChunk(piece)
        return undefined
      },
    ],
  ])
  const startWorker = () =>
    new PoolWorker<Wanted, ThumbnailRequest, never, MadeThumbnail>({
      process: {
        threadUrl: programBeside(import.meta.url, 'thumbnail-thread').href,
        resourceLimits: {},
        memory: { counts: 'resident', maxBytes: memoryBytes },
        niceness,
        environment: {},
      },
      timeoutMs: readTimeoutMs,
      toRequest: ({ sha256, size }) => ({ sha256, size, timeoutMs }),
      methods,
    })
  const pool = new WorkerPool<Wanted, ThumbnailRequest, never, MadeThumbnail>({
    maxWorkers: maxProcesses,
    maxWaiting,
    maxWaitingPerCaller,
    startWorker,
    toError: (failure) => new ThumbnailFailure(failure),
  })
  return {
    make: async (wanted, options) => {
      try {
        return await pool.run(wanted, options)
      } catch (error) {
        if (!(error instanceof ThumbnailFailure)) throw error
        return { fault: faultOf(error.failure) }
      }
    },
    close: () => pool.close(),
  }
}

class ThumbnailFailure extends Error {
  readonly failure: WorkerFailure
  constructor(failure: WorkerFailure) {
    super(`A thumbnail was not made: ${failure.reason}.`)
    this.failure = failure
  }
}

/** What is wrong with the picture; throws what is not its fault. */
const faultOf = (failure: WorkerFailure): string => {
  switch (failure.reason) {
    case 'timed-out':
      if (failure.hasStarted) return 'decoding it takes too long'
      throw saturated('The picture could not be read in time.')
    case 'out-of-memory':
      return 'decoding it takes too much memory'
    case 'process-exited':
    case 'thread-failed':
    case 'thread-exited':
      return 'what decodes it has ended without an answer'
    case 'saturated':
      throw saturated(
        `${failure.count} thumbnails${failure.isOfCaller ? ' of yours' : ''} wait already.`,
      )
    case 'stopped':
      throw saturated('The service stops.')
    case 'not-sent':
    case 'not-started':
      throw new Error(`A thumbnail was not made: ${failure.message}`)
  }
}
