/** A seat for one call at a time: the thread behind it, and what that thread has loaded. */
import { Worker } from 'node:worker_threads'
import type { FunctionFile } from './find-functions.ts'
import type { LogSeverity } from './function-context.ts'
import type { Failure } from './function-fault.ts'
import type { CallEnd } from './function-messages.ts'
import type { OfferedServices } from './function-services.ts'
import { type CallLimits, type FunctionCall, RunningCall } from './running-call.ts'
import { hardLimitFactor, outOfMemory } from './watch-memory.ts'

export type SeatOptions = {
  readonly limits: CallLimits
  readonly services: OfferedServices
  /** NODE_ENV of the thread. */
  readonly nodeEnv: string
  readonly onLogged: (file: FunctionFile, severity: LogSeverity, text: string) => void
}

// The built package has .js where the source has .ts.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const threadFile = new URL(`./function-thread${extension}`, import.meta.url)

/** A thread with its calls; once it has ended, another seat takes its place. */
export class ThreadSeat {
  readonly #options: SeatOptions
  readonly #worker: Worker
  readonly #loaded = new Map<string, string>()
  readonly #gone = Promise.withResolvers<void>()
  #running: RunningCall | undefined
  #error: unknown
  #isEnded = false

  constructor(options: SeatOptions) {
    this.#options = options
    this.#worker = startWorker(options)
    this.#worker.on('error', (error) => {
      this.#error = error
    })
    this.#worker.once('exit', (code) => {
      this.#isEnded = true
      this.#running?.fail(this.#failureOf(code))
      this.#gone.resolve()
    })
  }

  get isFree(): boolean {
    return !this.#isEnded && !this.#running
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** How much of a file the thread knows: the stamp that it was loaded with, if it was. */
  stampOf(file: FunctionFile): string | undefined {
    return this.#loaded.get(file.path)
  }

  /** Runs a call to its end. A thread that it leaves unfit ends with it. */
  async run(call: FunctionCall, stamp: string): Promise<CallEnd> {
    const { limits, services, onLogged } = this.#options
    this.#loaded.set(call.file.path, stamp)
    this.#running = new RunningCall({
      worker: this.#worker,
      call,
      limits,
      services,
      onLogged: (severity, text) => onLogged(call.file, severity, text),
    })
    const callEnd = await this.#running.ended
    this.#running = undefined
    if (!callEnd.isReusable) void this.end()
    return callEnd
  }

  /** Ends the thread, and a call in it with this failure; resolves when it is gone. */
  end(failure?: Failure): Promise<void> {
    this.#isEnded = true
    if (failure) this.#running?.fail(failure)
    void this.#worker.terminate()
    return this.#gone.promise
  }

  #failureOf(code: number): Failure {
    const { code: kind } = (this.#error ?? {}) as NodeJS.ErrnoException
    if (kind === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory(this.#options.limits.memoryBytes)
    if (this.#error instanceof Error) {
      const { message, stack } = this.#error
      return { reason: 'threw', text: `threw "${message}"`, stack }
    }
    return { reason: 'exited', text: `exited with code ${code} instead of answering` }
  }
}

/** Nothing of the service's environment reaches the thread, for it holds secrets. */
const startWorker = ({ limits, nodeEnv }: SeatOptions): Worker => {
  const worker = new Worker(threadFile, {
    name: 'function',
    argv: [],
    // How Node tells ES modules from CommonJS is no matter for the log.
    execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    env: { NODE_ENV: nodeEnv, TZ: new Intl.DateTimeFormat().resolvedOptions().timeZone },
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: Math.ceil((limits.memoryBytes * hardLimitFactor) / 1_048_576),
    },
  })
  // It does not keep the process alive; a call does.
  worker.unref()
  return worker
}
