/** A worker of a pool: the process behind it, which runs one task at a time, and that task with its timeout and its calls. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { errorText } from '../errors.ts'
import { RpcHost, type RpcMethods } from './rpc.ts'
import { programBeside } from './service-thread.ts'
import type {
  ProcessMessage,
  ProgramSettings,
  ServiceMessage,
  WorkerFailure,
} from './worker-messages.ts'

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

type TaskOptions<Task, Request, Event> = {
  /** Until the task ends, or reports that it has started with a timeout of its own. */
  readonly timeoutMs: number
  /** The message for the process: plain data. */
  readonly toRequest: (task: Task) => Request
  readonly methods?: RpcMethods
  readonly onEvent?: (task: Task, event: Event) => void
}

/** Throws when the message is not plain data. */
type Post<Request> = (message: ServiceMessage<Request>) => void

/** How a task ended. A process is not reusable when the task left something running in it. */
export type TaskEnd<Result> =
  | { readonly result: Result; readonly isReusable: boolean }
  | { readonly failure: WorkerFailure; readonly isReusable: false }

const noMethods: RpcMethods = new Map()

/** Starts when it is constructed, and always ends, at the latest at its timeout. */
class RunningTask<Task, Request, Event, Result> {
  readonly #task: Task
  readonly #options: TaskOptions<Task, Request, Event>
  readonly #ending = new AbortController()
  readonly #ended = Promise.withResolvers<TaskEnd<Result>>()
  readonly #rpc: RpcHost
  #timer: NodeJS.Timeout | undefined

  constructor(task: Task, options: TaskOptions<Task, Request, Event>, post: Post<Request>) {
    this.#task = task
    this.#options = options
    const { timeoutMs, methods = noMethods } = options
    this.#rpc = new RpcHost({ post, methods, signal: this.#ending.signal })
    this.#limitTime(timeoutMs, false)
    try {
      post({ kind: 'run', request: options.toRequest(task) })
    } catch (error) {
      this.fail({ reason: 'not-sent', message: errorText(error) })
    }
  }

  /** Settles once; it never rejects. */
  get ended(): Promise<TaskEnd<Result>> {
    return this.#ended.promise
  }

  /** Ends the task, for example because its process has exited. */
  fail(failure: WorkerFailure): void {
    this.#end({ failure, isReusable: false })
  }

  onMessage(message: ProcessMessage<Event, Result>): void {
    switch (message.kind) {
      case 'started':
        this.#limitTime(message.timeoutMs, true)
        break
      case 'event':
        this.#options.onEvent?.(this.#task, message.event)
        break
      case 'call':
        this.#rpc.call(message)
        break
      case 'more':
        this.#rpc.more(message.id)
        break
      case 'ended':
        this.#end(message)
        break
      case 'failed':
        this.fail(message.failure)
    }
  }

  /** Replaces the previous timeout. */
  #limitTime(timeoutMs: number, hasStarted: boolean): void {
    clearTimeout(this.#timer)
    const onLate = () => this.fail({ reason: 'timed-out', timeoutMs, hasStarted })
    // One turn of the event loop later, so that an answer that has already arrived still counts.
    this.#timer = setTimeout(() => setImmediate(onLate), timeoutMs)
  }

  #end(end: TaskEnd<Result>): void {
    clearTimeout(this.#timer)
    this.#ending.abort()
    this.#ended.resolve(end)
  }
}

// A worker process, on the service's side: for work that may take much time or memory, or crash. Messages
// are plain data, and SIGKILL always ends it. It does not keep the service alive.

type ProcessOptions = ProgramSettings & {
  /** Its complete environment: that of the service holds secrets and is not passed on. */
  readonly environment: Readonly<Record<string, string>>
  readonly execArgv?: readonly string[]
}

type Listeners<Received> = {
  readonly onMessage: (message: Received) => void
  /** Once, after its last message. */
  readonly onExit: (failure: WorkerFailure) => void
}

const program = fileURLToPath(programBeside(import.meta.url, 'worker-program'))
const maxTailCharacters = 2000

/** Runs from its construction until it exits or is ended. */
class WorkerProcess<Sent extends object, Received> {
  readonly #child: ChildProcess
  readonly #exited = Promise.withResolvers<void>()
  readonly #onExit: (failure: WorkerFailure) => void
  #stderrTail = ''
  #hasExited = false

  constructor(
    { environment, execArgv = [], ...settings }: ProcessOptions,
    { onMessage, onExit }: Listeners<Received>,
  ) {
    this.#onExit = onExit
    this.#child = fork(program, [JSON.stringify(settings)], {
      env: { ...environment },
      execArgv: [...execArgv],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.on('message', (message) => onMessage(message as Received))
    this.#child.stderr?.on('data', (text) => {
      this.#stderrTail = `${this.#stderrTail}${text}`.slice(-maxTailCharacters)
    })
    this.#child.on('error', ({ message }) => {
      if (this.#child.pid === undefined) this.#exit({ reason: 'not-started', message })
    })
    // The last message may arrive after the process has exited.
    this.#child.once('close', (_code, signal) => {
      const exit = () =>
        this.#exit({
          reason: 'process-exited',
          signal,
          stderrTail: this.#stderrTail.replaceAll(/\s+/g, ' ').trim(),
        })
      if (this.#child.connected) this.#child.once('disconnect', exit)
      else exit()
    })
    this.#unref()
  }

  /** Throws when the message is not plain data; drops messages to a process that has exited. */
  post(message: Sent): void {
    // onExit reports the exit.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Ends it immediately; resolves when it has exited. */
  end(): Promise<void> {
    if (!this.#hasExited) {
      // A process that waits for its end must not end before the last of its streams has closed.
      for (const part of this.#parts()) part.ref()
      this.#child.kill('SIGKILL')
    }
    return this.#exited.promise
  }

  #exit(failure: WorkerFailure): void {
    if (this.#hasExited) return
    this.#hasExited = true
    this.#onExit(failure)
    this.#exited.resolve()
  }

  #unref(): void {
    for (const part of this.#parts()) part.unref()
  }

  /** What would keep the service alive. */
  #parts(): readonly Part[] {
    const { channel, stderr } = this.#child
    const all: readonly unknown[] = [this.#child, channel, stderr]
    return all.filter(isPart)
  }
}

type Part = { readonly ref: () => void; readonly unref: () => void }

const isPart = (part: unknown): part is Part =>
  typeof part === 'object' && part !== null && 'ref' in part && 'unref' in part
