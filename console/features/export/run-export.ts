/** Runs an export: what was received is kept only if the service confirms that it is the whole file. */
import { sha256 } from '@noble/hashes/sha2.js'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem, open, request } from '../../api/client.ts'
import type { ExportRun } from '../../api/types.ts'
import { type ExportRequest, fileNameOf, queryOf } from './export-request.ts'
import { chooseTarget, type FileTarget, type OfferedFile, TooLarge } from './file-target.ts'

export type ExportFile = {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  /** Undefined if the user chose where it is stored. */
  readonly offered: OfferedFile | undefined
}

export type ExportState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly begun: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly file: ExportFile }
  | { readonly kind: 'failed'; readonly failure: ExportFailure }

const idle: ExportState = { kind: 'idle' }

/** The state of one export, from the choice of a file to the file, or to why there is none. */
export const useExport = () => {
  const [state, setState] = useState<ExportState>(idle)
  const running = useRef<AbortController>(undefined)
  const offered = state.kind === 'done' ? state.file.offered : undefined
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => () => offered?.forget(), [offered])
  const start = async (request: ExportRequest) => {
    const controller = new AbortController()
    running.current = controller
    setState(idle)
    try {
      setState(await stateAfter(request, controller.signal, setState))
    } catch (error) {
      const failure =
        error instanceof ExportFailure ? error : new ExportFailure('unwritable', error)
      setState({ kind: 'failed', failure })
    }
  }
  return {
    state,
    start: (request: ExportRequest) => void start(request),
    stop: () => running.current?.abort(),
    reset: () => setState(idle),
  }
}

const stateAfter = async (
  request: ExportRequest,
  signal: AbortSignal,
  onState: (state: ExportState) => void,
): Promise<ExportState> => {
  const name = fileNameOf(request)
  // Browsers open their file dialog only right after a click.
  const target = await chooseTarget(name)
  if (!target) return idle
  const begun = performance.now()
  const onProgress = (progress: Progress) => onState({ kind: 'running', begun, progress })
  onProgress({ bytes: 0, rows: undefined, rowsPerSecond: undefined })
  const file = await runExport(request, { target, signal, onProgress })
  return { kind: 'done', file: { name, ...file } }
}

type Failure = 'refused' | 'cut' | 'unchecked' | 'tooLarge' | 'unwritable' | 'cancelled'

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
  /** Rows as the service counts them, and rows per second; undefined until it has answered. */
  readonly rows: number | undefined
  readonly rowsPerSecond: number | undefined
}

type Options = {
  readonly target: FileTarget
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** The file, if it is whole; throws an ExportFailure, and then there is none. */
const runExport = async (exported: ExportRequest, options: Options) => {
  const { target, signal } = options
  try {
    const received = await receive(exported, options)
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

const receive = async (exported: ExportRequest, options: Options): Promise<Received> => {
  const { target, signal, onProgress } = options
  const response = await begin(exported, signal)
  const requestId = response.headers.get('X-Request-Id') ?? ''
  // Web Crypto hashes only whole files, and only with HTTPS.
  const hash = sha256.create()
  const counted = countRows(requestId, signal)
  let bytes = 0
  let shownAt = 0
  try {
    for await (const chunk of chunksOf(response)) {
      await writing(target.write(chunk))
      hash.update(chunk)
      bytes += chunk.length
      if (performance.now() < shownAt + progressMs) continue
      shownAt = performance.now()
      onProgress({ bytes, ...counted.now() })
    }
  } finally {
    counted.stop()
  }
  const digest = btoa(String.fromCharCode(...hash.digest()))
  return { requestId, bytes, digest: `sha-256=${digest}` }
}

const begin = async (exported: ExportRequest, signal: AbortSignal): Promise<Response> => {
  try {
    return await open(`/${exported.entity}/export`, {
      method: 'POST',
      query: { ...queryOf(exported), manifest: true },
      body: exported.criteria,
      signal,
    })
  } catch (error) {
    throw new ExportFailure('refused', error)
  }
}

/** The chunks of a response; leaving the loop cancels it. */
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

/** Asks the service for the number of rows each second: the bytes of most formats do not show it. */
const countRows = (requestId: string, signal: AbortSignal) => {
  const begun = performance.now()
  let counted: RowCount = { rows: undefined, rowsPerSecond: undefined }
  const count = async () => {
    const run = await readRun(requestId, signal).catch(() => undefined)
    if (!run) return
    const seconds = (performance.now() - begun) / 1000
    counted = { rows: run.rows, rowsPerSecond: Math.round(run.rows / seconds) }
  }
  const timer = setInterval(() => void count(), rowsMs)
  return { now: () => counted, stop: () => clearInterval(timer) }
}

const mostAttempts = 15
const retryMs = 1_000

/** Compares the received bytes with what the service has sent; the service may know the end a little later. */
const check = async ({ requestId, digest }: Received, signal: AbortSignal): Promise<ExportRun> => {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const run = await currentRun(requestId, signal)
    if (run && run.state !== 'running') {
      if (run.state !== 'ended' || run.digest !== digest) throw new ExportFailure('cut')
      return run
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    signal.throwIfAborted()
  }
  throw new ExportFailure('unchecked')
}

/** The state of an export, if the service knows it now. */
const currentRun = (requestId: string, signal: AbortSignal): Promise<ExportRun | undefined> =>
  readRun(requestId, signal).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || [401, 403].includes(error.status))
      throw new ExportFailure('unchecked', error)
    return undefined
  })
