/**
 * Typst as an engine: processes that print one document at a time and stay for the next, warm. A
 * process and not a thread, for a template that loops or takes all memory cannot be stopped in one.
 */
import { fileURLToPath } from 'node:url'
import { currentRequest } from '../../database/request-context.ts'
import { PoolWorker } from '../../processes/pool-worker.ts'
import { programBeside } from '../../processes/program-beside.ts'
import type { WorkerFailure } from '../../processes/worker-messages.ts'
import { WorkerPool } from '../../processes/worker-pool.ts'
import {
  type PdfEngine,
  RenderError,
  type Template,
  type TemplateData,
  type TemplateFiles,
} from './engine.ts'
import type { RenderRequest, RenderResult } from './typst-messages.ts'

type Options = {
  /** What `datetime.today()` is the day of. */
  readonly timeZone: string
  /** Documents that are rendered side by side. */
  readonly maxProcesses: number
  readonly maxWaiting: number
  readonly maxWaitingPerCaller: number
  readonly timeoutMs: number
  /** Of one process. */
  readonly memoryBytes: number
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
          cancelled.abort(new RenderError('stopped', 'was left by its caller'))
      })
      const callerKey = request?.callerKey
      const result = await pool.run({ template, data }, { callerKey, signal: cancelled.signal })
      if (!('failure' in result)) return result
      throw new RenderError(result.failure.reason, result.failure.text)
    },
    close: () => pool.close(),
  }
}

// Whoever waits for a document can wait a little longer than whoever waits for a record.
const niceness = 10
// Typst stops at a depth of its own, for which the usual 4 MiB of a thread are too little.
const stackSizeMb = 64

/**
 * A package that a template wants from the net would be fetched through a proxy that is none, and
 * there is no home with packages either. Fonts are those that are shipped, on every machine alike.
 */
const startWorker = ({ timeZone, timeoutMs, memoryBytes }: Options) => {
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
        // One document takes one core.
        RAYON_NUM_THREADS: '1',
      },
    },
    timeoutMs,
    toRequest: (task) => {
      const request = toRequest(task, known)
      known = task.template.files
      return request
    },
  })
}

/** Without the files where the process knows them. */
const toRequest = (
  { template: { main, source, files }, data }: RenderTask,
  known: TemplateFiles | undefined,
): RenderRequest => ({
  main,
  source,
  files: areSame(files, known) ? undefined : [...files].map(([path, bytes]) => ({ path, bytes })),
  json: data.json,
  locale: data.locale,
  timestamp: Math.floor(data.generatedAt.getTime() / 1000),
})

/** By content: threads of the service read the folder each for itself. */
const areSame = (files: TemplateFiles, known: TemplateFiles | undefined): boolean =>
  files === known ||
  (files.size === known?.size &&
    [...files].every(([path, bytes]) => {
      const other = known.get(path)
      return other !== undefined && Buffer.compare(bytes, other) === 0
    }))

const maxTailCharacters = 300

const toRenderError = (
  failure: WorkerFailure,
  { timeoutMs, memoryBytes }: Options,
): RenderError => {
  switch (failure.reason) {
    case 'stopped':
      return new RenderError('stopped', 'was left, for the service stops')
    case 'saturated': {
      const others = `${failure.count} others${failure.isOfCaller ? ' of yours' : ''}`
      return new RenderError('saturated', `waits behind ${others} and was not printed`)
    }
    case 'timed-out':
      return new RenderError('timed-out', `took longer than ${timeoutMs / 1000} s and was ended`)
    case 'out-of-memory': {
      const limit = `${Math.round(memoryBytes / mebibyte)} MiB`
      return new RenderError('out-of-memory', `took more than ${limit} and was ended`)
    }
    case 'thread-failed':
    case 'not-started':
      return new RenderError('not-loaded', `could not be printed: ${failure.message}`)
    case 'not-sent':
      return new RenderError('crashed', `could not be printed: ${failure.message}`)
    case 'thread-exited':
      return new RenderError('crashed', `ended the engine with code ${failure.code}`)
    case 'process-exited': {
      const tail = failure.stderrTail.slice(-maxTailCharacters)
      return new RenderError('crashed', `ended the engine${tail === '' ? '' : `: ${tail}`}`)
    }
  }
}
