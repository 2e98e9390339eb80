/** Starts the SMTP server that counts (sink.ts). */
import { startAsked } from './asked-process.ts'
import type { Arrived, Expectation } from './sink.ts'

export type Sink = {
  readonly port: number
  /** Counts since the last answer; resolves with the last of so many e-mails, fails when they do not come. */
  readonly expect: (mails: number) => Promise<Arrived>
  readonly stop: () => Promise<void>
}

/** Resolves when it listens. */
export const startSink = async (): Promise<Sink> => {
  const { ask, stop } = startAsked<Expectation, Arrived>('./sink.ts')
  const { port } = await ask({ mails: 0 })
  return {
    port,
    expect: async (mails) => {
      const arrived = await ask({ mails })
      if (arrived.mails === mails) return arrived
      throw new Error(`${arrived.mails} of ${mails} e-mails arrived.`)
    },
    stop,
  }
}
