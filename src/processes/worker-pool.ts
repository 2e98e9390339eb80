/**
 * Runs tasks in processes, one at a time in each. A process stays for the next task; one that has ended
 * is replaced when a task needs it. When all processes are busy, tasks wait, and callers take turns.
 */
import type { PoolWorker, TaskEnd } from './pool-worker.ts'
import type { WorkerFailure } from './worker-messages.ts'

type Options<Task, Request, Event, Result> = {
  /** Maximum of tasks at once. */
  readonly maxWorkers: number
  /** Tasks that wait; further ones fail. */
  readonly maxWaiting: number
  /** Tasks of one caller that wait; tasks without a caller have only the limit of all. */
  readonly maxWaitingPerCaller?: number
  readonly startWorker: () => PoolWorker<Task, Request, Event, Result>
  /** Makes the error of a failed task. */
  readonly toError: (failure: WorkerFailure, task: Task) => Error
}

type RunOptions = {
  readonly callerKey?: string | undefined
  /** Removes the task while it waits, and fails it with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

type Waiting<Task, Result> = {
  readonly task: Task
  readonly settle: (end: Promise<TaskEnd<Result>>) => void
}

/** Starts no process before the first task. */
export class WorkerPool<Task, Request, Event, Result> {
  readonly #options: Options<Task, Request, Event, Result>
  readonly #waiting = new FairQueue<Waiting<Task, Result>>()
  #workers: PoolWorker<Task, Request, Event, Result>[] = []
  #isClosed = false

  constructor(options: Options<Task, Request, Event, Result>) {
    this.#options = options
  }

  /** The result of the task; throws the error of `toError` when it ends without one. */
  async run(task: Task, options: RunOptions = {}): Promise<Result> {
    const { toError } = this.#options
    options.signal?.throwIfAborted()
    const refusal = this.#refusal(options.callerKey)
    if (refusal) throw toError(refusal, task)
    const end = await this.#wait(task, options)
    if ('failure' in end) throw toError(end.failure, task)
    return end.result
  }

  /** Ends every process; tasks that run or wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const stopped: WorkerFailure = { reason: 'stopped' }
    for (const { settle } of this.#waiting.takeAll())
      settle(Promise.resolve({ failure: stopped, isReusable: false }))
    await Promise.all(this.#workers.map((worker) => worker.end(stopped)))
  }

  #refusal(callerKey: string | undefined): WorkerFailure | undefined {
    const { maxWaiting, maxWaitingPerCaller = maxWaiting } = this.#options
    if (this.#isClosed) return { reason: 'stopped' }
    if (callerKey !== undefined && this.#waiting.countOf(callerKey) >= maxWaitingPerCaller)
      return { reason: 'saturated', count: maxWaitingPerCaller, isOfCaller: true }
    if (this.#waiting.size >= maxWaiting)
      return { reason: 'saturated', count: maxWaiting, isOfCaller: false }
    return undefined
  }

  #wait(task: Task, { callerKey, signal }: RunOptions): Promise<TaskEnd<Result>> {
    return new Promise((settle, reject) => {
      const remove = this.#waiting.add(callerKey, { task, settle })
      signal?.addEventListener('abort', () => {
        if (remove()) reject(signal.reason)
      })
      this.#next()
    })
  }

  /** Starts waiting tasks on free processes. */
  #next(): void {
    const { first } = this.#waiting
    const worker = first && this.#workerFor(first.task)
    if (!worker) return
    this.#waiting.take()
    const end = worker.run(first.task)
    first.settle(end)
    const next = () => this.#next()
    end.then(next, next)
    this.#next()
  }

  #workerFor(task: Task): PoolWorker<Task, Request, Event, Result> | undefined {
    this.#workers = this.#workers.filter(({ isEnded }) => !isEnded)
    const idle = this.#workers.filter(({ isIdle }) => isIdle)
    const found =
      idle.find((worker) => worker.fitnessFor(task) === 'warm') ??
      idle.find((worker) => worker.fitnessFor(task) === 'cold')
    if (found) return found
    if (this.#workers.length >= this.#options.maxWorkers) {
      const [stale] = idle
      if (!stale) return undefined
      void stale.end()
      this.#workers = this.#workers.filter((worker) => worker !== stale)
    }
    const worker = this.#options.startWorker()
    this.#workers.push(worker)
    return worker
  }
}

type CallerKey = string | undefined

/** Callers take turns, so that a caller who adds a hundred items does not delay the others. */
class FairQueue<T extends object> {
  /** The items of each caller in order; the first caller is next. */
  readonly #callers = new Map<CallerKey, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The item that `take` returns next. */
  get first(): T | undefined {
    const [own] = this.#callers.values()
    const [item] = own ?? []
    return item
  }

  countOf(callerKey: CallerKey): number {
    return this.#callers.get(callerKey)?.size ?? 0
  }

  /** Adds an item; returns how to remove it, which returns whether it was still queued. */
  add(callerKey: CallerKey, item: T): () => boolean {
    const own = this.#callers.get(callerKey) ?? new Set()
    this.#callers.set(callerKey, own)
    own.add(item)
    this.#size += 1
    return () => this.#remove(callerKey, own, item)
  }

  /** Removes the first item of the next caller, who then moves to the end. */
  take(): T | undefined {
    const [next] = this.#callers
    if (!next) return undefined
    const [callerKey, own] = next
    const [item] = own
    if (!item) return undefined
    this.#remove(callerKey, own, item)
    if (own.size > 0) {
      this.#callers.delete(callerKey)
      this.#callers.set(callerKey, own)
    }
    return item
  }

  takeAll(): T[] {
    const all = [...this.#callers.values()].flatMap((own) => [...own])
    this.#callers.clear()
    this.#size = 0
    return all
  }

  #remove(callerKey: CallerKey, own: Set<T>, item: T): boolean {
    if (!own.delete(item)) return false
    this.#size -= 1
    if (own.size === 0) this.#callers.delete(callerKey)
    return true
  }
}
