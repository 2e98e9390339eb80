/** Requests at a steady rate, whether or not the earlier ones were answered: what a restart must not disturb. */
import { setTimeout as delay } from 'node:timers/promises'

type Steady = {
  readonly perSecond: number
  /** Sends one; throws when its answer is not the one that it should be. */
  readonly send: (turn: number) => Promise<unknown>
}

export type Sent = {
  readonly count: number
  /** What the requests failed by. */
  readonly failures: readonly string[]
  /** How long each took, in milliseconds. */
  readonly times: readonly number[]
}

/** Sends until `stop` is called, which waits for the last answers. */
export const startSteadyRequests = ({ perSecond, send }: Steady) => {
  const begun = performance.now()
  const failures: string[] = []
  const times: number[] = []
  const sent: Promise<void>[] = []
  let isStopping = false
  const sendOne = async (turn: number): Promise<void> => {
    const at = performance.now()
    try {
      await send(turn)
      times.push(performance.now() - at)
    } catch (error) {
      failures.push(causeOf(error))
    }
  }
  const sending = (async () => {
    while (!isStopping) {
      const due = ((performance.now() - begun) / 1000) * perSecond
      while (sent.length < due) sent.push(sendOne(sent.length))
      await delay(2)
    }
  })()
  return {
    stop: async (): Promise<Sent> => {
      isStopping = true
      await sending
      await Promise.all(sent)
      return { count: sent.length, failures, times }
    },
  }
}

// fetch hides the reason of a lost connection in the cause.
const causeOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.cause ?? ''}`.trim() : String(error)
