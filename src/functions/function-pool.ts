/** The processes that run a project's functions: one call at a time in each (processes/worker-pool.ts). */
import { stat } from 'node:fs/promises'
import { ApiError, errorText } from '../errors.ts'
import { type Fitness, PoolWorker } from '../processes/pool-worker.ts'
import type { RpcMethods } from '../processes/rpc.ts'
import { programBeside } from '../processes/service-thread.ts'
import type { WorkerFailure } from '../processes/worker-messages.ts'
import { WorkerPool } from '../processes/worker-pool.ts'
import type { FunctionFile } from './find-functions.ts'
import {
  type CallRequest,
  type CallResult,
  type Failure,
  FunctionError,
  type LogLine,
  type ServiceName,
} from './function-call.ts'
import type {
  FunctionDocument,
  FunctionSubject,
  LogSeverity,
  OfferedServices,
} from './function-context.ts'

export type FunctionLimits = {
  /** Maximum of calls at once. */
  readonly maxProcesses: number
  /** Calls that wait; further ones fail. */
  readonly maxWaiting: number
  /** Heap and buffers of one process. */
  readonly memoryBytes: number
  readonly loadTimeoutMs: number
  /** Documents of one call together. */
  readonly maxBytes: number
}

export type PoolOptions = {
  readonly limits: FunctionLimits
  readonly services: OfferedServices
  readonly nodeEnv: string
  /** Their other environment variables; never logged. */
  readonly variables: Readonly<Record<string, string>>
  readonly onLogged: (file: FunctionFile, severity: LogSeverity, text: string) => void
  /** Whether a changed file is loaded again; otherwise a process keeps what it has loaded. */
  readonly watch: boolean
}

type FunctionCall = {
  readonly file: FunctionFile
  /** Undefined: the file is only loaded. */
  readonly subject: FunctionSubject | undefined
}

/** `version` changes with the content of the file. */
type CallTask = FunctionCall & { readonly version: string }

export type FunctionPool = {
  /** The documents of the call; a handler has none. Throws a FunctionError. */
  readonly run: (call: FunctionCall) => Promise<readonly FunctionDocument[]>
  /** Ends every process; calls that run or wait fail. */
  readonly close: () => Promise<void>
}

/** Starts no process before the first call. */
export const createFunctionPool = (options: PoolOptions): FunctionPool => {
  const { watch, limits } = options
  const pool = new WorkerPool<CallTask, CallRequest, LogLine, CallResult>({
    maxWorkers: limits.maxProcesses,
    maxWaiting: limits.maxWaiting,
    startWorker: () => startWorker(options),
    toError: (failure, { file }) => new FunctionError(file, toFailure(failure, limits.memoryBytes)),
  })
  return {
    run: async (call) => {
      const version = watch ? await versionOf(call.file) : ''
      const result = await pool.run({ ...call, version })
      if ('failure' in result) throw new FunctionError(call.file, result.failure)
      return result.documents
    },
    close: () => pool.close(),
  }
}

// V8's own limit, at which the thread ends by itself, as a multiple of ours: a loop may allocate that
// much between two checks of the memory.
const hardLimitFactor = 4

const startWorker = ({ limits, nodeEnv, variables, services, onLogged }: PoolOptions) => {
  const { memoryBytes, loadTimeoutMs, maxBytes } = limits
  const loaded = new Map<string, string>()
  return new PoolWorker<CallTask, CallRequest, LogLine, CallResult>({
    process: {
      threadUrl: programBeside(import.meta.url, 'function-thread').href,
      resourceLimits: {
        maxOldGenerationSizeMb: Math.ceil((memoryBytes * hardLimitFactor) / 1_048_576),
      },
      memory: { counts: 'heap', maxBytes: memoryBytes },
      environment: {
        ...variables,
        NODE_ENV: nodeEnv,
        TZ: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
      // Hides Node's warning about how it detected ES modules.
      execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    },
    timeoutMs: loadTimeoutMs,
    toRequest: ({ file: { kind, path }, subject, version }) => {
      loaded.set(path, version)
      return { kind, path, subject, maxBytes }
    },
    fitnessFor: ({ file, version }) => fitnessOf(loaded.get(file.path), version),
    methods: serviceMethods(services),
    onEvent: ({ file }, { severity, text }) => onLogged(file, severity, text),
  })
}

const fitnessOf = (loadedVersion: string | undefined, version: string): Fitness => {
  if (loadedVersion === undefined) return 'cold'
  return loadedVersion === version ? 'warm' : 'stale'
}

/** A missing file is reported when it is loaded. */
const versionOf = async ({ path }: FunctionFile): Promise<string> => {
  try {
    const { mtimeMs, size } = await stat(path)
    return `${mtimeMs} ${size}`
  } catch {
    return 'gone'
  }
}

const toFailure = (failure: WorkerFailure, memoryBytes: number): Failure => {
  switch (failure.reason) {
    case 'stopped':
      return { reason: 'stopped', text: 'was cancelled because the service stops' }
    case 'saturated':
      return { reason: 'saturated', text: `was not run: ${failure.count} calls wait already` }
    case 'timed-out': {
      const { timeoutMs, hasStarted } = failure
      const what = hasStarted ? 'timed out after' : 'did not load within'
      return { reason: 'timed-out', text: `${what} ${timeoutMs} ms` }
    }
    case 'not-sent':
      return { reason: 'threw', text: `cannot receive its subject: ${failure.message}` }
    case 'thread-failed':
      return { reason: 'threw', text: `threw "${failure.message}"`, stack: failure.stack }
    case 'not-started':
      return { reason: 'exited', text: `could not be started: ${failure.message}` }
    case 'thread-exited':
      return { reason: 'exited', text: `exited with code ${failure.code} instead of answering` }
    case 'process-exited':
      // V8 ends the whole process when a single table or string would exceed all limits.
      return /out of memory|Allocation failed/i.test(failure.stderrTail)
        ? outOfMemory(memoryBytes)
        : { reason: 'exited', text: `ended its process (${failure.signal ?? 'by itself'})` }
    case 'out-of-memory':
      return outOfMemory(memoryBytes)
  }
}

const outOfMemory = (limitBytes: number): Failure => ({
  reason: 'out-of-memory',
  text: `ran out of memory: it may take ${Math.round(limitBytes / 1_048_576)} MiB`,
})

type Method = NonNullable<ReturnType<RpcMethods['get']>>

/** Errors of a method name it. */
const serviceMethods = (services: OfferedServices): RpcMethods => {
  const methods: Readonly<Record<ServiceName, Method>> = {
    'entityExport.export': async ([entityKey, criteria, format], { signal, sendChunk }) => {
      const request = {
        entityKey: textOf(entityKey, 'entityKey'),
        criteria,
        format: format === undefined ? undefined : textOf(format, 'format'),
      }
      for await (const chunk of services.exportEntity(request, signal)) await sendChunk(chunk)
      return undefined
    },
    'records.find': async ([entityKey, criteria]) =>
      services.findRecords(textOf(entityKey, 'entityKey'), criteria),
    'documents.render': async ([code, entityKey, entityId]) =>
      services.renderDocument(
        textOf(code, 'code'),
        textOf(entityKey, 'entityKey'),
        idOf(entityId, 'entityId'),
      ),
    'files.read': async ([entityKey, entityId, fileId], { sendChunk }) => {
      const file = {
        entityKey: textOf(entityKey, 'entityKey'),
        entityId: idOf(entityId, 'entityId'),
        fileId: idOf(fileId, 'fileId'),
      }
      for await (const chunk of services.readFile(file)) await sendChunk(chunk)
      return undefined
    },
  }
  return new Map(Object.entries(methods).map(([name, method]) => [name, withName(name, method)]))
}

const withName =
  (name: string, method: Method): Method =>
  async (args, context) => {
    try {
      return await method(args, context)
    } catch (error) {
      throw new Error(`services.${name}: ${wholeText(error)}`)
    }
  }

const textOf = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value
  throw new Error(`${name} must be a string, not ${typeof value}`)
}

const idOf = (value: unknown, name: string): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new Error(`${name} must be a whole number, not ${typeof value}`)
}

/** The error with each of its issues. */
const wholeText = (error: unknown): string =>
  error instanceof ApiError && error.errors.length > 1
    ? error.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
    : errorText(error)
