/**
 * A program of this service in a process of its own, for work that may take time, memory or the whole
 * process: plain data passes both ways, and ending it is sure. It does not keep the service alive.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

type Options<Heard> = {
  /** The file of the program. */
  readonly program: URL
  readonly words?: readonly string[]
  /** All of its environment: nothing of the service's reaches it, for that holds secrets. */
  readonly environment: Readonly<Record<string, string>>
  readonly execArgv?: readonly string[]
  readonly onMessage: (message: Heard) => void
  /** Once, after its last message. */
  readonly onGone: (end: ProcessEnd) => void
}

export type ProcessEnd = {
  /** Why there never was a process. */
  readonly error: Error | undefined
  readonly signal: NodeJS.Signals | null
  /** The end of what it wrote to standard error, as one line. */
  readonly lastWords: string
}

const longestWords = 2000

/** Runs from when it is made until it ends or is ended. */
export class HelperProcess<Told extends object, Heard> {
  readonly #child: ChildProcess
  readonly #gone = Promise.withResolvers<void>()
  readonly #onGone: (end: ProcessEnd) => void
  #lastWords = ''
  #isGone = false

  constructor({
    program,
    words = [],
    environment,
    execArgv = [],
    onMessage,
    onGone,
  }: Options<Heard>) {
    this.#onGone = onGone
    this.#child = fork(fileURLToPath(program), words, {
      env: { ...environment },
      execArgv: [...execArgv],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.on('message', (message) => onMessage(message as Heard))
    this.#child.stderr?.on('data', (text) => {
      this.#lastWords = `${this.#lastWords}${text}`.slice(-longestWords)
    })
    this.#child.on('error', (error) => {
      if (this.#child.pid === undefined) this.#bury(error, null)
    })
    // The last message may come after the end of the process.
    this.#child.once('close', (_code, signal) => {
      const bury = () => this.#bury(undefined, signal)
      if (this.#child.connected) this.#child.once('disconnect', bury)
      else bury()
    })
    this.#unref()
  }

  /** Throws where the message is no plain data; one to a process that has ended is lost. */
  post(message: Told): void {
    // Its end is told by onGone.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Ends it at once; resolves when it is gone. */
  end(): Promise<void> {
    if (!this.#isGone) {
      this.#child.ref()
      this.#child.kill('SIGKILL')
    }
    return this.#gone.promise
  }

  #bury(error: Error | undefined, signal: NodeJS.Signals | null): void {
    if (this.#isGone) return
    this.#isGone = true
    const lastWords = this.#lastWords.replaceAll(/\s+/g, ' ').trim()
    this.#onGone({ error, signal, lastWords })
    this.#gone.resolve()
  }

  #unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
    const { stderr } = this.#child
    if (stderr && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref()
  }
}

/** A program beside the file that names it: the built package has .js where the source has .ts. */
export const programBeside = (file: string, name: string): URL =>
  new URL(`./${name}${file.slice(file.lastIndexOf('.'))}`, file)
