/** A seat for one call at a time: the process behind it, and what that one has loaded. */
import { HelperProcess, type ProcessEnd, programBeside } from '../processes/helper-process.ts'
import type { FunctionFile } from './find-functions.ts'
import type { LogSeverity } from './function-context.ts'
import type { Failure } from './function-fault.ts'
import type { CallEnd, CallMessage, ProcessMessage } from './function-messages.ts'
import type { OfferedServices } from './function-services.ts'
import { type CallLimits, type FunctionCall, RunningCall } from './running-call.ts'
import { outOfMemory } from './watch-memory.ts'

export type SeatOptions = {
  readonly limits: CallLimits & {
    /** Heap and buffers of one process. */
    readonly memoryBytes: number
  }
  readonly services: OfferedServices
  /** NODE_ENV of the functions. */
  readonly nodeEnv: string
  /** What else they see of the environment; never logged. */
  readonly variables: Readonly<Record<string, string>>
  readonly onLogged: (file: FunctionFile, severity: LogSeverity, text: string) => void
}

/** A process with its calls; once it has ended, another seat takes its place. */
export class FunctionSeat {
  readonly #options: SeatOptions
  readonly #process: HelperProcess<ProcessMessage, CallMessage>
  readonly #loaded = new Map<string, string>()
  #running: RunningCall | undefined
  #isEnded = false

  constructor(options: SeatOptions) {
    this.#options = options
    const { limits, nodeEnv, variables } = options
    this.#process = new HelperProcess({
      program: programBeside(import.meta.url, 'function-process'),
      words: [String(limits.memoryBytes)],
      environment: {
        ...variables,
        NODE_ENV: nodeEnv,
        TZ: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
      // How Node tells ES modules from CommonJS is no matter for the log.
      execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
      onMessage: (message) => this.#running?.take(message),
      onGone: (end) => {
        this.#isEnded = true
        this.#running?.fail(this.#failureOf(end))
      },
    })
  }

  get isFree(): boolean {
    return !this.#isEnded && !this.#running
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** How much of a file the process knows: the stamp that it was loaded with, if it was. */
  stampOf(file: FunctionFile): string | undefined {
    return this.#loaded.get(file.path)
  }

  /** Runs a call to its end. A process that it leaves unfit ends with it. */
  async run(call: FunctionCall, stamp: string): Promise<CallEnd> {
    const { limits, services, onLogged } = this.#options
    this.#loaded.set(call.file.path, stamp)
    this.#running = new RunningCall({
      post: (message) => this.#process.post(message),
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

  /** Ends the process, and a call in it with this failure; resolves when it is gone. */
  end(failure?: Failure): Promise<void> {
    this.#isEnded = true
    if (failure) this.#running?.fail(failure)
    return this.#process.end()
  }

  #failureOf({ error, signal, lastWords }: ProcessEnd): Failure {
    if (error) return { reason: 'exited', text: `could not be started: ${error.message}` }
    // V8 ends the whole process where a single table or text would outgrow all limits.
    if (/out of memory|Allocation failed/i.test(lastWords))
      return outOfMemory(this.#options.limits.memoryBytes)
    return { reason: 'exited', text: `ended its process (${signal ?? 'by itself'})` }
  }
}
