/**
 * The HTTP request that a statement belongs to. The asynchronous context carries it, so that a pool knows
 * the limit, deadline and disconnect to apply (docs/decisions/0015-request-context.md). Jobs and other
 * background work have none.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { laterOf, type Position } from './replicas/position.ts'

/** Why a request ended before its answer: its client disconnected, or its deadline passed. */
export type EndReason = 'disconnected' | 'deadline'

type Options = {
  /** Who sends it: requests with the same key share one limit of connections. */
  readonly callerKey: string
  /** It only reads, so its statements can be cancelled at any time. */
  readonly isReadOnly: boolean
  /** Time from the first use of the database to the deadline, in milliseconds. */
  readonly timeoutMs: number
}

/** What the database needs to know about a request. */
export class RequestContext {
  readonly isReadOnly: boolean
  readonly timeoutMs: number
  callerKey: string
  #requires: Position = 0n
  #endReason: EndReason | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #listeners = new Set<(reason: EndReason) => void>()

  constructor({ callerKey, isReadOnly, timeoutMs }: Options) {
    this.callerKey = callerKey
    this.isReadOnly = isReadOnly
    this.timeoutMs = timeoutMs
  }

  /** Undefined while the request runs. */
  get endReason(): EndReason | undefined {
    return this.#endReason
  }

  /** What a replica has to have replayed before it answers the request. */
  get requires(): Position {
    return this.#requires
  }

  /** Requires a position too. */
  require(position: Position): void {
    this.#requires = laterOf(this.#requires, position)
  }

  /** Starts the deadline; further calls change nothing. */
  startDeadline(): void {
    this.#timer ??= setTimeout(() => this.#end('deadline'), this.timeoutMs).unref()
  }

  /** The client disconnected. A request that may write continues, so that it is completed. */
  disconnect(): void {
    if (this.isReadOnly) this.#end('disconnected')
  }

  /** The answer has been sent. */
  finish(): void {
    clearTimeout(this.#timer)
  }

  /** Calls the listener when the request ends early; returns how to remove it. */
  onEnd(listener: (reason: EndReason) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #end(reason: EndReason): void {
    if (this.#endReason !== undefined) return
    this.#endReason = reason
    clearTimeout(this.#timer)
    for (const listener of [...this.#listeners]) listener(reason)
  }
}

const storage = new AsyncLocalStorage<RequestContext | undefined>()

/** The request that the running code belongs to. */
export const currentRequest = (): RequestContext | undefined => storage.getStore()

/** Runs code on behalf of a request. */
export const runInRequest = <T>(request: RequestContext, work: () => T): T =>
  storage.run(request, work)

/** Reads a part of an answer, with a time limit of its own: all parts together may take longer than an answer. */
export const readPart = <T>(request: RequestContext, read: () => Promise<T>): Promise<T> =>
  doPart(request, true, read)

/** Writes something of a request whose body takes longer than an answer may, with a time limit of its own. */
export const writePart = <T>(request: RequestContext, write: () => Promise<T>): Promise<T> =>
  doPart(request, false, write)

const doPart = <T>(
  { callerKey, timeoutMs }: RequestContext,
  isReadOnly: boolean,
  work: () => Promise<T>,
): Promise<T> => {
  const part = new RequestContext({ callerKey, isReadOnly, timeoutMs })
  return runInRequest(part, work).finally(() => part.finish())
}

/** Runs background work that a request starts but that must not end with it. */
export const runOutsideRequest = <T>(work: () => T): T => storage.run(undefined, work)
