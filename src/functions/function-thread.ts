/**
 * A thread that runs functions, one call at a time. Loaded modules stay, so that the next call starts at once. A call that
 * leaves work running makes the thread not reusable.
 */
import { inspect } from 'node:util'
import { isMarkedAsUntransferable, type MessagePort, parentPort } from 'node:worker_threads'
import { errorText } from '../errors.ts'
import { createRpcClient } from '../processes/rpc.ts'
import type { ThreadMessage, ThreadRequest } from '../processes/worker-messages.ts'
import { checkDocuments } from './check-documents.ts'
import {
  type CallRequest,
  type CallResult,
  type EmitLog,
  type Failure,
  type FailureReason,
  type LogLine,
  logTo,
  type ServiceName,
} from './function-call.ts'
import type { FunctionDocument, FunctionLog, FunctionServices } from './function-context.ts'
import { howToLoad, loadModule, ModuleIssue } from './load-module.ts'

// Without a limit, an endless loop that prints would flood the main thread.
const maxCharacters = 65_536

type Output = {
  readonly log: FunctionLog
  /** Begins a new call and sets where its lines go. */
  readonly begin: (emit: EmitLog) => void
}

/**
 * Replaces standard output and standard error of the thread. Lines are sent immediately: Node's own way would
 * lose them when the thread is ended.
 */
const captureOutput = (): Output => {
  let emit: EmitLog = () => undefined
  let left = 0
  const write: EmitLog = (severity, text) => {
    if (left <= 0) return
    emit(severity, text.slice(0, left))
    left -= text.length + 1
    if (left <= 0) emit('warn', `(past ${maxCharacters} characters, the rest is omitted)`)
  }
  process.stdout.write = streamTo((text) => write('info', text))
  process.stderr.write = streamTo((text) => write('warn', text))
  return {
    log: logTo(write),
    begin: (next) => {
      emit = next
      left = maxCharacters
    },
  }
}

const streamTo =
  (write: (text: string) => void) =>
  (chunk: Uint8Array | string, encoding?: unknown, done?: unknown): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    write(text.replace(/\n$/, ''))
    const callback = typeof encoding === 'function' ? encoding : done
    if (typeof callback === 'function') queueMicrotask(() => callback())
    return true
  }

/** Calls on `port` until it is closed. */
const threadServices = (port: MessagePort): FunctionServices => {
  const client = createRpcClient(port)
  const call = (service: ServiceName, args: readonly unknown[]) => client.call(service, args)
  return {
    entityExport: {
      export: async (entityKey, criteria, options) =>
        bytesOf(await call('entityExport.export', [entityKey, criteria, options?.format])),
    },
    records: {
      find: async (...args) => JSON.parse(String(await call('records.find', args))),
    },
    documents: {
      render: async (...args) => bytesOf(await call('documents.render', args)),
    },
    files: {
      read: async (...args) => bytesOf(await call('files.read', args)),
    },
  }
}

// Exactly these bytes: the buffer may hold others.
const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string'
    ? Buffer.from(value)
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength)

type Movable = {
  readonly documents: readonly FunctionDocument[]
  /** To be transferred with the message. */
  readonly buffers: readonly ArrayBuffer[]
}

/** Copies only data that shares its buffer, such as a small Buffer of Node's pool. */
const toMovable = (documents: readonly FunctionDocument[]): Movable => {
  const buffers = new Set<ArrayBuffer>()
  const made = documents.map((document) => {
    const { buffer } = document.data
    const isOwn = ownsBuffer(document.data) && !buffers.has(buffer as ArrayBuffer)
    const data = isOwn ? document.data : new Uint8Array(document.data)
    buffers.add(data.buffer as ArrayBuffer)
    return { ...document, data }
  })
  return { documents: made, buffers: [...buffers] }
}

const ownsBuffer = ({ buffer, byteLength }: Uint8Array): boolean =>
  buffer instanceof ArrayBuffer &&
  buffer.byteLength === byteLength &&
  !isMarkedAsUntransferable(buffer)

type CallMessage = ThreadMessage<LogLine, CallResult>

const maxTextCharacters = 500

const output = captureOutput()
let current: MessagePort | undefined

parentPort?.on('message', (request: ThreadRequest<CallRequest>) => void serve(request))
process.on('unhandledRejection', (reason) =>
  endEarly({ ...thrown(reason), text: `left a rejection unhandled: ${quoted(reason)}` }),
)
process.on('uncaughtException', (error) => endEarly(thrown(error)))

const serve = async ({ request, port }: ThreadRequest<CallRequest>): Promise<void> => {
  current = port
  const post = (message: CallMessage) => port.postMessage(message)
  output.begin((severity, text) => post({ kind: 'event', event: { severity, text } }))
  const services = threadServices(port)
  const onLoaded = (timeoutMs: number) => post({ kind: 'started', timeoutMs })
  const outcome = await run(request, services, onLoaded)
  // Node reports an unhandled rejection before the next turn of the event loop.
  setImmediate(() => {
    if (current === port) answer(outcome)
  })
}

type Outcome =
  | { readonly documents: readonly FunctionDocument[] }
  | { readonly failure: Failure; readonly isSpoilt?: boolean }

const run = async (
  { kind, path, subject, maxBytes }: CallRequest,
  services: FunctionServices,
  onLoaded: (timeoutMs: number) => void,
): Promise<Outcome> => {
  const loaded = await loadModule(path, kind).catch((error) => notLoaded(path, error))
  if ('failure' in loaded) return loaded
  onLoaded(loaded.timeoutMs)
  if (!subject) return { documents: [] }
  try {
    const context = { ...subject, services, log: output.log }
    const answered = await loaded.exec(context)
    if (kind === 'handler') return { documents: [] }
    const checked = checkDocuments(answered, maxBytes)
    return 'issue' in checked ? failed('wrong-answer', checked.issue) : checked
  } catch (error) {
    return { failure: thrown(error) }
  }
}

/** Node caches the failure of a module, so another thread must try again. */
const notLoaded = (path: string, error: unknown): Outcome & { readonly failure: Failure } => {
  const text =
    error instanceof ModuleIssue
      ? error.message
      : `could not be loaded: ${quoted(error)}${howToLoad(path, error)}`
  return { failure: { ...thrown(error), reason: 'not-loaded', text }, isSpoilt: true }
}

const failed = (reason: FailureReason, text: string): Outcome => ({ failure: { reason, text } })

const answer = (outcome: Outcome): void => {
  if ('failure' in outcome) {
    end({ failure: outcome.failure }, outcome.isSpoilt !== true && !isBusy())
    return
  }
  const { documents, buffers } = toMovable(outcome.documents)
  end({ documents }, !isBusy(), buffers)
}

/** Open timers, sockets and files would continue during the next call. */
const isBusy = (): boolean => {
  const ours = new Set(['MessagePort', 'Immediate'])
  return process.getActiveResourcesInfo().some((kind) => !ours.has(kind))
}

/** Ends the call early; the process ends, and this thread with it. */
const endEarly = (failure: Failure): void => {
  if (!current) process.exit(1)
  end({ failure }, false)
}

const end = (
  result: CallResult,
  isReusable: boolean,
  buffers: readonly ArrayBuffer[] = [],
): void => {
  const message: CallMessage = { kind: 'ended', result, isReusable }
  current?.postMessage(message, [...buffers])
  current = undefined
}

const thrown = (error: unknown): Failure => ({
  reason: 'threw',
  text: `threw ${quoted(error)}`,
  stack: error instanceof Error ? error.stack : undefined,
})

const quoted = (error: unknown): string => {
  const text = error instanceof Error ? textOf(error) : inspect(error, { depth: 0 })
  return `"${text.slice(0, maxTextCharacters)}"`
}

/** The message is "fetch failed"; the cause says why. */
const textOf = (error: Error): string => {
  const { cause } = error
  if (!(cause instanceof Error)) return errorText(error)
  // When several addresses failed, Node's error has a code and an empty message.
  const why = errorText(cause) || String((cause as NodeJS.ErrnoException).code ?? '')
  return why === '' || errorText(error).includes(why)
    ? errorText(error)
    : `${errorText(error)}: ${why}`
}
