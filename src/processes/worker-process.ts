/**
 * A worker process, on the service's side: for work that may take much time or memory, or crash. Messages
 * are plain data, and SIGKILL always ends it. It does not keep the service alive.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { programBeside } from './service-thread.ts'
import type { ProgramSettings, WorkerFailure } from './worker-messages.ts'

export type ProcessOptions = ProgramSettings & {
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
export class WorkerProcess<Sent extends object, Received> {
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
