/** A worker of a pool: the process behind it, which runs one task at a time. */
import { RunningTask, type TaskEnd, type TaskOptions } from './running-task.ts'
import type { ProcessMessage, ServiceMessage, WorkerFailure } from './worker-messages.ts'
import { type ProcessOptions, WorkerProcess } from './worker-process.ts'

/** `warm` has loaded what the task needs, `cold` has not, `stale` has loaded an old version. */
export type Fitness = 'warm' | 'cold' | 'stale'

type Options<Task, Request, Event> = TaskOptions<Task, Request, Event> & {
  readonly process: ProcessOptions
  readonly fitnessFor?: (task: Task) => Fitness
}

/** A process that runs tasks; when it has ended, the pool starts a new one. */
export class PoolWorker<Task, Request, Event, Result> {
  readonly #options: Options<Task, Request, Event>
  readonly #process: WorkerProcess<ServiceMessage<Request>, ProcessMessage<Event, Result>>
  #running: RunningTask<Task, Request, Event, Result> | undefined
  #isEnded = false

  constructor(options: Options<Task, Request, Event>) {
    this.#options = options
    this.#process = new WorkerProcess(options.process, {
      onMessage: (message) => this.#running?.onMessage(message),
      onExit: (failure) => {
        this.#isEnded = true
        this.#running?.fail(failure)
      },
    })
  }

  get isIdle(): boolean {
    return !this.#isEnded && !this.#running
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  fitnessFor(task: Task): Fitness {
    return this.#options.fitnessFor?.(task) ?? 'cold'
  }

  /** Runs a task to its end. Ends the process when it is not reusable afterwards. */
  async run(task: Task): Promise<TaskEnd<Result>> {
    const post = (message: ServiceMessage<Request>) => this.#process.post(message)
    const running = new RunningTask<Task, Request, Event, Result>(task, this.#options, post)
    this.#running = running
    const end = await running.ended
    this.#running = undefined
    if (!end.isReusable) void this.end()
    return end
  }

  /** Ends the process, and fails its task; resolves when the process has exited. */
  end(failure?: WorkerFailure): Promise<void> {
    this.#isEnded = true
    if (failure) this.#running?.fail(failure)
    return this.#process.end()
  }
}
