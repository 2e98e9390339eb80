/** A seat for one rendering at a time: the process behind it, and which files that process knows. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  EngineFault,
  type Rendered,
  type Template,
  type TemplateData,
  type TemplateFiles,
} from './engine.ts'
import type { PrintEnd, PrintLimits, PrintOrder } from './typst-messages.ts'

// The built package has .js where the source has .ts.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const program = fileURLToPath(new URL(`./typst-process${extension}`, import.meta.url))

// The process keeps its limits itself; this is for one that cannot.
const patienceMs = 5000
// What a long list took is not all given back.
const largestBytes = 512 * 1_048_576
const longestText = 300

export type SeatOptions = PrintLimits & { readonly timeZone: string }

type Running = {
  readonly settle: (rendered: Rendered) => void
  readonly fail: (fault: EngineFault) => void
}

/** A process with its renderings; once it has ended, another seat takes its place. */
export class PrintSeat {
  readonly #child: ChildProcess
  readonly #options: SeatOptions
  readonly #gone = Promise.withResolvers<void>()
  #known: TemplateFiles | undefined
  #running: Running | undefined
  #lastWords = ''
  #isEnded = false

  constructor(options: SeatOptions) {
    this.#options = options
    this.#child = startProcess(options)
    this.#child.on('message', (end: PrintEnd) => this.#hear(end))
    this.#child.stderr?.on('data', (text) => {
      this.#lastWords = `${this.#lastWords}${text}`.slice(-longestText)
    })
    this.#child.on('error', (error) =>
      this.#leave('not-loaded', `could not be printed: ${error.message}`),
    )
    // The last message may come after the end of the process.
    this.#child.once('close', () => {
      if (this.#child.connected) this.#child.once('disconnect', () => this.#bury())
      else this.#bury()
    })
    this.#unref()
  }

  get isFree(): boolean {
    return !this.#isEnded && !this.#running
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Renders to the end; throws an EngineFault. */
  async render({ main, source, files }: Template, data: TemplateData): Promise<Rendered> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<Rendered>()
    this.#running = { settle, fail }
    const order: PrintOrder = {
      main,
      source,
      files:
        this.#known === files ? undefined : [...files].map(([path, bytes]) => ({ path, bytes })),
      json: data.json,
      locale: data.locale,
      timestamp: Math.floor(data.generatedAt.getTime() / 1000),
    }
    this.#known = files
    // It also keeps this process alive as long as somebody waits.
    const late = setTimeout(() => this.end(), this.#options.timeoutMs + patienceMs)
    this.#child.send(order, (error) => {
      if (error) this.#leave('crashed', 'ended the engine')
    })
    try {
      return await promise
    } finally {
      clearTimeout(late)
      this.#running = undefined
    }
  }

  /** Ends the process, and what runs in it with this fault; resolves when it is gone. */
  end(fault?: EngineFault): Promise<void> {
    this.#isEnded = true
    if (fault) this.#running?.fail(fault)
    this.#child.ref()
    this.#child.kill('SIGKILL')
    return this.#gone.promise
  }

  #hear(end: PrintEnd): void {
    if (end.kind === 'failed') {
      this.#leave(end.reason, end.text)
      return
    }
    if (end.residentBytes > largestBytes) void this.end()
    const { diagnostics } = end
    this.#running?.settle(
      end.kind === 'printed' ? { pdf: end.pdf, pages: end.pages, diagnostics } : { diagnostics },
    )
  }

  #bury(): void {
    const words = this.#lastWords.trim()
    this.#leave('crashed', words === '' ? 'ended the engine' : `ended the engine: ${words}`)
    this.#gone.resolve()
  }

  #leave(reason: EngineFault['reason'], text: string): void {
    this.#isEnded = true
    this.#running?.fail(new EngineFault(reason, text))
  }

  /** It does not keep this process alive; a rendering does. */
  #unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
    const { stderr } = this.#child
    if (stderr && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref()
  }
}

/**
 * Its environment holds nothing of the service's. A package that a template wants from the net would
 * be fetched through a proxy that is none, and there is no home with packages either.
 */
const startProcess = ({ timeoutMs, memoryBytes, timeZone }: SeatOptions): ChildProcess => {
  const proxy = 'http://127.0.0.1:0'
  return fork(program, [String(timeoutMs), String(memoryBytes)], {
    env: {
      TZ: timeZone,
      HOME: '/nonexistent',
      ALL_PROXY: proxy,
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      // One document takes one core.
      RAYON_NUM_THREADS: '1',
    },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}
