/**
 * The processes that run a project's functions. Each runs one call at a time and stays for the next;
 * one that was ended is replaced when there is a call for it. Calls beyond the processes wait in order.
 */
import { stat } from 'node:fs/promises'
import type { FunctionFile } from './find-functions.ts'
import type { FunctionDocument } from './function-context.ts'
import { type Failure, FunctionFault } from './function-fault.ts'
import type { CallEnd } from './function-messages.ts'
import { FunctionSeat, type SeatOptions } from './function-seat.ts'
import type { FunctionCall } from './running-call.ts'

export type PoolOptions = SeatOptions & {
  /** Calls that run side by side. */
  readonly processCount: number
  /** Calls that wait; further ones fail. */
  readonly mostWaiting: number
  /** Whether a file that changes is loaded anew; else a process keeps what it has loaded. */
  readonly watch: boolean
}

type Waiting = {
  readonly call: FunctionCall
  readonly stamp: string
  readonly settle: (end: CallEnd) => void
}

/** Starts no process before the first call. */
export class FunctionPool {
  readonly #options: PoolOptions
  readonly #waiting: Waiting[] = []
  #seats: FunctionSeat[] = []
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** The documents of the call, none of a handler; throws a FunctionFault. */
  async run(call: FunctionCall): Promise<readonly FunctionDocument[]> {
    const stamp = this.#options.watch ? await stampOf(call.file) : ''
    const end = await this.#wait(call, stamp)
    if ('failure' in end) throw new FunctionFault(call.file, end.failure)
    return end.documents
  }

  /** Ends every process; calls that run or wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { settle } of this.#waiting.splice(0)) settle(failed(stopped))
    await Promise.all(this.#seats.map((seat) => seat.end(stopped)))
  }

  #wait(call: FunctionCall, stamp: string): Promise<CallEnd> {
    const { mostWaiting } = this.#options
    if (this.#isClosed) return Promise.resolve(failed(stopped))
    if (this.#waiting.length >= mostWaiting) return Promise.resolve(failed(saturated(mostWaiting)))
    return new Promise((settle) => {
      this.#waiting.push({ call, stamp, settle })
      this.#next()
    })
  }

  /** Starts the calls that there is a process for. */
  #next(): void {
    const first = this.#waiting[0]
    const seat = first && this.#seatFor(first)
    if (!seat) return
    this.#waiting.shift()
    void seat.run(first.call, first.stamp).then((end) => {
      first.settle(end)
      this.#next()
    })
    this.#next()
  }

  #seatFor({ call: { file }, stamp }: Waiting): FunctionSeat | undefined {
    this.#seats = this.#seats.filter(({ isEnded }) => !isEnded)
    const free = this.#seats.filter(({ isFree }) => isFree)
    const fitting = free.filter((seat) => (seat.stampOf(file) ?? stamp) === stamp)
    const found = fitting.find((seat) => seat.stampOf(file) === stamp) ?? fitting[0]
    if (found) return found
    if (this.#seats.length === this.#options.processCount) {
      // It holds the file as it was before.
      const [stale] = free
      if (!stale) return undefined
      void stale.end()
      this.#seats = this.#seats.filter((seat) => seat !== stale)
    }
    const seat = new FunctionSeat(this.#options)
    this.#seats.push(seat)
    return seat
  }
}

const stopped: Failure = { reason: 'stopped', text: 'was left, for the service stops' }
const saturated = (count: number): Failure => ({
  reason: 'saturated',
  text: `was not run, for ${count} calls wait already`,
})
const failed = (failure: Failure): CallEnd => ({ failure, isReusable: false })

/** Tells one content of a file from another; a file that is gone is told by loading it. */
const stampOf = async ({ path }: FunctionFile): Promise<string> => {
  try {
    const { mtimeMs, size } = await stat(path)
    return `${mtimeMs} ${size}`
  } catch {
    return 'gone'
  }
}
