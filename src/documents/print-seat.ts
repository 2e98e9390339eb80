/** A seat for one rendering at a time: the process behind it, and which files that process knows. */
import { fileURLToPath } from 'node:url'
import { HelperProcess, type ProcessEnd, programBeside } from '../processes/helper-process.ts'
import {
  EngineFault,
  type Rendered,
  type Template,
  type TemplateData,
  type TemplateFiles,
} from './engine.ts'
import type { PrintEnd, PrintLimits, PrintOrder } from './typst-messages.ts'

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
  readonly #process: HelperProcess<PrintOrder, PrintEnd>
  readonly #options: SeatOptions
  #known: TemplateFiles | undefined
  #running: Running | undefined
  #isEnded = false

  constructor(options: SeatOptions) {
    this.#options = options
    this.#process = startProcess(options, {
      onMessage: (end) => this.#hear(end),
      onGone: (end) => this.#bury(end),
    })
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
    this.#process.post(order)
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
    return this.#process.end()
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

  #bury({ error, lastWords }: ProcessEnd): void {
    if (error) this.#leave('not-loaded', `could not be printed: ${error.message}`)
    const words = lastWords.slice(-longestText)
    this.#leave('crashed', words === '' ? 'ended the engine' : `ended the engine: ${words}`)
  }

  #leave(reason: EngineFault['reason'], text: string): void {
    this.#isEnded = true
    this.#running?.fail(new EngineFault(reason, text))
  }
}

type Listeners = {
  readonly onMessage: (end: PrintEnd) => void
  readonly onGone: (end: ProcessEnd) => void
}

/**
 * A package that a template wants from the net would be fetched through a proxy that is none, and
 * there is no home with packages either. Fonts are those that are shipped, on every machine alike.
 */
const startProcess = ({ timeoutMs, memoryBytes, timeZone }: SeatOptions, listeners: Listeners) => {
  const proxy = 'http://127.0.0.1:0'
  return new HelperProcess<PrintOrder, PrintEnd>({
    program: programBeside(import.meta.url, 'typst-process'),
    words: [String(timeoutMs), String(memoryBytes)],
    environment: {
      TZ: timeZone,
      HOME: '/nonexistent',
      FONTCONFIG_FILE: fileURLToPath(new URL('./no-system-fonts.conf', import.meta.url)),
      ALL_PROXY: proxy,
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      // One document takes one core.
      RAYON_NUM_THREADS: '1',
    },
    ...listeners,
  })
}
