/**
 * Ends a command that runs until it is told to stop: by SIGTERM or SIGQUIT, Ctrl-C at a terminal, or the
 * end of that terminal (SIGHUP).
 */
import { constants } from 'node:os'
import { type Context, exitCodes } from './command.ts'

// Windows has no SIGQUIT.
const signals = (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const).filter(
  (signal) => signal in constants.signals,
)

// npm, service managers and terminals may send one signal to the program and to those that started it,
// which pass it on: what comes so soon after the first is the first.
const sameSignalMs = 1_000

/** Resolves with what `stop` answers, after a signal; a second signal ends the process at once. */
export const stopOnSignal = <T>({ config, observe }: Context, stop: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    let firstAt: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > sameSignalMs) process.exit(exitCodes.failed)
        return
      }
      firstAt = performance.now()
      observe({ kind: 'serviceStopping', signal, graceMs: config.SHUTDOWN_GRACE_SECONDS * 1000 })
      stop().then(resolve, reject)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })

const lastWordsMs = 1_000

/**
 * Closes what is left and ends. Jobs that did not end within the grace time may hold connections,
 * timers and the process itself for ever: with such ones it does not wait for them.
 */
export const endWith = async (unfinished: number, close: () => Promise<void>): Promise<void> => {
  if (unfinished > 0) setTimeout(() => process.exit(exitCodes.done), lastWordsMs)
  await close()
  // A library that waits for its next try holds the process no longer.
  setTimeout(() => process.exit(), lastWordsMs).unref()
}
