/**
 * The Typst engine: processes that render one document at a time and stay for the next. Not threads,
 * because a template that loops or allocates too much cannot be stopped in a thread.
 */
import { fileURLToPath } from 'node:url'
import { currentRequest } from '../../database/request-context.ts'
import { PoolWorker } from '../../processes/pool-worker.ts'
import { programBeside } from '../../processes/service-thread.ts'
import type { WorkerFailure } from '../../processes/worker-messages.ts'
import { WorkerPool } from '../../processes/worker-pool.ts'
import {
  type PdfEngine,
  RenderError,
  type RenderRequest,
  type RenderResult,
  type Template,
  type TemplateData,
  type TemplateFiles,
} from './engine.ts'

type Options = {
  /** What `datetime.today()` is the day of. */
  readonly timeZone: string
  /** Maximum of documents rendered at once. */
  readonly maxProcesses: number
  readonly maxWaiting: number
  readonly maxWaitingPerCaller: number
  /** Of the start of a process, until it begins with a document; 60 s unless given. */
  readonly startTimeoutMs?: number
  /** Of one document, from the moment at which its process begins with it. */
  readonly timeoutMs: number
  /** Of one process. */
  readonly memoryBytes: number
  /** Priority of the processes, as in nice(1). */
  readonly niceness: number
}

type RenderTask = { readonly template: Template; readonly data: TemplateData }

const mebibyte = 1_048_576

/** Starts no process before the first document. */
export const createTypstEngine = (options: Options): PdfEngine => {
  const pool = new WorkerPool<RenderTask, RenderRequest, never, RenderResult>({
    maxWorkers: options.maxProcesses,
    maxWaiting: options.maxWaiting,
    maxWaitingPerCaller: options.maxWaitingPerCaller,
    startWorker: () => startWorker(options),
    toError: (failure) => toRenderError(failure, options),
  })
  return {
    render: async (template, data) => {
      const request = currentRequest()
      const cancelled = new AbortController()
      request?.onEnd((reason) => {
        if (reason === 'disconnected')
          cancelled.abort(new RenderError('stopped', 'was cancelled by its caller'))
      })
      const callerKey = request?.callerKey
      const result = await pool.run({ template, data }, { callerKey, signal: cancelled.signal })
      if (!('failure' in result)) return result
      throw new RenderError(result.failure.reason, result.failure.text)
    },
    close: () => pool.close(),
  }
}

// A start takes a second at most, but a busy machine may give the process hardly any of its processor.
const defaultStartTimeoutMs = 60_000
// Typst has its own depth limit, which needs more than the default 4 MiB of a thread.
const stackSizeMb = 64

/**
 * The environment blocks downloads of packages by an invalid proxy and hides packages and fonts of the
 * machine, so that only bundled fonts are used.
 */
const startWorker = (options: Options) => {
  const { timeZone, timeoutMs, memoryBytes, niceness } = options
  const { startTimeoutMs = defaultStartTimeoutMs } = options
  let known: TemplateFiles | undefined
  const proxy = 'http://127.0.0.1:0'
  return new PoolWorker<RenderTask, RenderRequest, never, RenderResult>({
    process: {
      threadUrl: programBeside(import.meta.url, 'typst-thread').href,
      resourceLimits: { stackSizeMb },
      memory: { counts: 'resident', maxBytes: memoryBytes },
      niceness,
      environment: {
        TZ: timeZone,
        HOME: '/nonexistent',
        FONTCONFIG_FILE: fileURLToPath(new URL('../no-system-fonts.conf', import.meta.url)),
        ALL_PROXY: proxy,
        HTTP_PROXY: proxy,
        HTTPS_PROXY: proxy,
        // One core for each document.
        RAYON_NUM_THREADS: '1',
      },
    },
    timeoutMs: startTimeoutMs,
    toRequest: (task) => {
      const request = { ...toRequest(task, known), timeoutMs }
      known = task.template.files
      return request
    },
  })
}

/** Omits the files when the process has them. */
const toRequest = (
  { template: { main, source, files }, data }: RenderTask,
  known: TemplateFiles | undefined,
): Omit<RenderRequest, 'timeoutMs'> => ({
  main,
  source,
  files: areSame(files, known) ? undefined : [...files].map(([path, bytes]) => ({ path, bytes })),
  json: data.json,
  locale: data.locale,
  timeZone: data.timeZone,
  pictures: data.pictures ?? [],
  timestamp: Math.floor(data.generatedAt.getTime() / 1000),
  withPicture: data.withPicture ?? false,
  withMarks: data.withMarks ?? false,
})

/** By content, because each thread of the service reads the folder itself. */
const areSame = (files: TemplateFiles, known: TemplateFiles | undefined): boolean =>
  files === known ||
  (files.size === known?.size &&
    [...files].every(([path, bytes]) => {
      const other = known.get(path)
      return other !== undefined && Buffer.compare(bytes, other) === 0
    }))

const maxTailCharacters = 300

const toRenderError = (failure: WorkerFailure, { memoryBytes }: Options): RenderError => {
  switch (failure.reason) {
    case 'stopped':
      return new RenderError('stopped', 'was cancelled because the service stops')
    case 'saturated': {
      const others = `${failure.count} others${failure.isOfCaller ? ' of yours' : ''}`
      return new RenderError('saturated', `waits behind ${others}, so it was not rendered`)
    }
    case 'timed-out': {
      const time = `${failure.timeoutMs / 1000} s`
      return failure.hasStarted
        ? new RenderError('timed-out', `took longer than ${time}, so it was stopped`)
        : new RenderError('saturated', `was not rendered: no process started within ${time}`)
    }
    case 'out-of-memory': {
      const limit = `${Math.round(memoryBytes / mebibyte)} MiB`
      return new RenderError('out-of-memory', `took more than ${limit}, so it was stopped`)
    }
    case 'thread-failed':
    case 'not-started':
      return new RenderError('not-loaded', `could not be rendered: ${failure.message}`)
    case 'not-sent':
      return new RenderError('crashed', `could not be rendered: ${failure.message}`)
    case 'thread-exited':
      return new RenderError('crashed', `crashed the engine (exit code ${failure.code})`)
    case 'process-exited': {
      const tail = failure.stderrTail.slice(-maxTailCharacters)
      return new RenderError('crashed', `crashed the engine${tail === '' ? '' : `: ${tail}`}`)
    }
  }
}
