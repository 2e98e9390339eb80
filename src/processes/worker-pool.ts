/**
 * Runs tasks in processes, one at a time in each. A process stays for the next task; one that has ended
 * is replaced when a task needs it. When all processes are busy, tasks wait, and callers take turns.
 */
import { FairQueue } from './fair-queue.ts'
import type { PoolWorker } from './pool-worker.ts'
import type { TaskEnd } from './running-task.ts'
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
