/**
 * Typst as an engine: processes that print one document at a time and stay for the next, warm. A
 * process and not a thread, for a template that loops or takes all memory cannot be stopped in one.
 */
import { availableParallelism } from 'node:os'
import { currentRequest } from '../database/request-context.ts'
import {
  EngineFault,
  type PdfEngine,
  type Rendered,
  type Template,
  type TemplateData,
} from './engine.ts'
import { FairQueue } from './fair-queue.ts'
import { PrintSeat, type SeatOptions } from './print-seat.ts'

type Options = {
  /** What `datetime.today()` is the day of. */
  readonly timeZone: string
  /** Documents that are made side by side. */
  readonly processCount?: number
  readonly mostWaiting?: number
  readonly mostWaitingOfCaller?: number
  readonly timeoutMs?: number
  readonly memoryBytes?: number
}

type Waiting = {
  readonly template: Template
  readonly data: TemplateData
  readonly settle: (rendered: Promise<Rendered>) => void
}

const gibibyte = 1_073_741_824
// Two at least, so that one that takes long does not hold up everybody else.
const usualProcessCount = (): number => Math.max(2, availableParallelism() - 1)

/** Starts no process before the first document. */
export const createTypstEngine = (options: Options): PdfEngine => new TypstEngine(options)

class TypstEngine implements PdfEngine {
  readonly #options: SeatOptions
  readonly #processCount: number
  readonly #mostWaiting: number
  readonly #mostWaitingOfCaller: number
  readonly #waiting = new FairQueue<Waiting>()
  #seats: PrintSeat[] = []
  #isClosed = false

  constructor(options: Options) {
    const { timeZone, timeoutMs = 30_000, memoryBytes = 2 * gibibyte } = options
    this.#options = { timeZone, timeoutMs, memoryBytes }
    this.#processCount = options.processCount ?? usualProcessCount()
    this.#mostWaiting = options.mostWaiting ?? 1000
    this.#mostWaitingOfCaller = options.mostWaitingOfCaller ?? 20
  }

  async render(template: Template, data: TemplateData): Promise<Rendered> {
    if (this.#isClosed) throw stopped()
    const request = currentRequest()
    const key = request?.callerKey ?? 'jobs'
    if (request && this.#waiting.countOf(key) >= this.#mostWaitingOfCaller)
      throw notPrinted(`${this.#mostWaitingOfCaller} others of yours`)
    if (this.#waiting.size >= this.#mostWaiting) throw notPrinted(`${this.#mostWaiting} others`)
    return new Promise((settle) => {
      const remove = this.#waiting.add(key, { template, data, settle })
      request?.onEnd((reason) => {
        if (reason === 'disconnected' && remove())
          settle(Promise.reject(new EngineFault('stopped', 'was left by its caller')))
      })
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { settle } of this.#waiting.takeAll()) settle(Promise.reject(stopped()))
    await Promise.all(this.#seats.map((seat) => seat.end(stopped())))
  }

  #next(): void {
    const seat = this.#waiting.size > 0 && !this.#isClosed ? this.#freeSeat() : undefined
    const first = seat && this.#waiting.take()
    if (!first) return
    const rendered = seat.render(first.template, first.data)
    first.settle(rendered)
    const next = () => this.#next()
    rendered.then(next, next)
    this.#next()
  }

  #freeSeat(): PrintSeat | undefined {
    this.#seats = this.#seats.filter(({ isEnded }) => !isEnded)
    const free = this.#seats.find(({ isFree }) => isFree)
    if (free || this.#seats.length >= this.#processCount) return free
    const seat = new PrintSeat(this.#options)
    this.#seats.push(seat)
    return seat
  }
}

const notPrinted = (behind: string): EngineFault =>
  new EngineFault('saturated', `waits behind ${behind} and was not printed`)

const stopped = (): EngineFault => new EngineFault('stopped', 'was left, for the service stops')
