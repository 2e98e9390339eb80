/** Runs an export: what was received is kept only if the service says that it is the whole file. */
import { ApiProblem, open, request } from '../../../api/client.ts'
import type { ExportRun } from '../../../api/types.ts'
import { type ExportRequest, queryOf } from '../export-request.ts'
import { type FileTarget, TooLarge } from './file-target.ts'
import { createSha256 } from './sha256.ts'

export type Failure = 'refused' | 'cut' | 'unchecked' | 'tooLarge' | 'unwritable' | 'cancelled'

/** Why an export gave no file. */
export class ExportFailure extends Error {
  readonly kind: Failure

  constructor(kind: Failure, cause?: unknown) {
    super(cause instanceof Error ? cause.message : '', { cause })
    this.kind = kind
  }
}

export type Progress = {
  readonly bytes: number
  /** As the service counts them, and how many it wrote per second; undefined until it was asked. */
  readonly rows: number | undefined
  readonly rowsPerSecond: number | undefined
}

type Options = {
  readonly target: FileTarget
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** The file, if it is whole; throws an ExportFailure, and then there is none. */
export const runExport = async (wanted: ExportRequest, options: Options) => {
  const { target, signal } = options
  try {
    const received = await receive(wanted, options)
    const { rows } = await check(received, signal)
    const offered = await writing(target.keep())
    return { offered, rows, bytes: received.bytes }
  } catch (error) {
    await target.discard()
    if (signal.aborted) throw new ExportFailure('cancelled')
    throw error instanceof ExportFailure ? error : new ExportFailure('cut', error)
  }
}

const writing = <T>(done: Promise<T>): Promise<T> =>
  done.catch((error: unknown) => {
    throw new ExportFailure(error instanceof TooLarge ? 'tooLarge' : 'unwritable', error)
  })

type Received = {
  readonly requestId: string
  readonly bytes: number
  readonly digest: string
}

const progressMs = 200
const rowsMs = 1_000

const receive = async (wanted: ExportRequest, options: Options): Promise<Received> => {
  const { target, signal, onProgress } = options
  const response = await begin(wanted, signal)
  const requestId = response.headers.get('X-Request-Id') ?? ''
  const hash = createSha256()
  const counted = countRows(requestId, signal)
  let bytes = 0
  let shownAt = 0
  try {
    for await (const chunk of chunksOf(response)) {
      await writing(target.write(chunk))
      hash.add(chunk)
      bytes += chunk.length
      if (performance.now() < shownAt + progressMs) continue
      shownAt = performance.now()
      onProgress({ bytes, ...counted.now() })
    }
  } finally {
    counted.stop()
  }
  return { requestId, bytes, digest: `sha-256=${hash.end()}` }
}

const begin = async (wanted: ExportRequest, signal: AbortSignal): Promise<Response> => {
  try {
    return await open(`/${wanted.entity}/export`, {
      method: 'POST',
      query: { ...queryOf(wanted), manifest: true },
      body: wanted.criteria,
      signal,
    })
  } catch (error) {
    throw new ExportFailure('refused', error)
  }
}

/** The chunks of an answer; leaving the loop ends the answer. */
export async function* chunksOf(response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

const readRun = (requestId: string, signal: AbortSignal): Promise<ExportRun> =>
  request<ExportRun>(`/api/exports/${encodeURIComponent(requestId)}`, { signal })

type RowCount = Pick<Progress, 'rows' | 'rowsPerSecond'>

/** The bytes say nothing of the rows of most formats; the service counts them every second. */
const countRows = (requestId: string, signal: AbortSignal) => {
  const begun = performance.now()
  let counted: RowCount = { rows: undefined, rowsPerSecond: undefined }
  const ask = async () => {
    const run = await readRun(requestId, signal).catch(() => undefined)
    if (!run) return
    const seconds = (performance.now() - begun) / 1000
    counted = { rows: run.rows, rowsPerSecond: Math.round(run.rows / seconds) }
  }
  const timer = setInterval(() => void ask(), rowsMs)
  return { now: () => counted, stop: () => clearInterval(timer) }
}

const mostAsks = 15
const askAgainMs = 1_000

/** Compares what was received with what the service sent; its end may become known a little later. */
const check = async ({ requestId, digest }: Received, signal: AbortSignal): Promise<ExportRun> => {
  for (let ask = 1; ask <= mostAsks; ask += 1) {
    const run = await knownRun(requestId, signal)
    if (run && run.state !== 'running') {
      if (run.state !== 'ended' || run.digest !== digest) throw new ExportFailure('cut')
      return run
    }
    await new Promise((resolve) => setTimeout(resolve, askAgainMs))
    signal.throwIfAborted()
  }
  throw new ExportFailure('unchecked')
}

/** The state of an export, if it can be known now. */
const knownRun = (requestId: string, signal: AbortSignal): Promise<ExportRun | undefined> =>
  readRun(requestId, signal).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || [401, 403].includes(error.status))
      throw new ExportFailure('unchecked', error)
    return undefined
  })
