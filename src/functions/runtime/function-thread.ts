/**
 * A thread that runs functions, one call at a time. Loaded modules stay, so that the next call starts at
 * once. A call that leaves work running makes the thread not reusable.
 */
import { inspect } from 'node:util'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { errorText } from '../../errors.ts'
import type { ThreadMessage, ThreadRequest } from '../../processes/worker-messages.ts'
import { checkDocuments } from '../check-documents.ts'
import type { FunctionDocument } from '../function-context.ts'
import type { Failure, FailureReason } from '../function-error.ts'
import type { FunctionServices } from '../function-services.ts'
import { captureOutput } from './capture-output.ts'
import type { CallRequest, CallResult, LogLine } from './function-messages.ts'
import { loadModule, ModuleIssue } from './load-module.ts'
import { toMovable } from './move-documents.ts'
import { threadServices } from './thread-services.ts'

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
  const loaded = await loadModule(path, kind).catch(notLoaded)
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
const notLoaded = (error: unknown): Outcome & { readonly failure: Failure } => {
  const text =
    error instanceof ModuleIssue ? error.message : `could not be loaded: ${quoted(error)}`
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
