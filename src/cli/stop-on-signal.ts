/**
 * Runs a command until a signal: SIGTERM, SIGQUIT, Ctrl-C at a terminal, or the end of that terminal
 * (SIGHUP).
 */
import { constants } from 'node:os'
import { type Context, exitCodes } from './command.ts'

// Windows has no SIGQUIT.
const signals = (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const).filter(
  (signal) => signal in constants.signals,
)

// npm, service managers and terminals may signal both the program and its launchers, which pass the
// signal on: a second one within this time is the same signal.
const sameSignalMs = 1_000

/** Resolves with the result of `stop`, after a signal; a second signal ends the process immediately. */
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

const exitDelayMs = 1_000

/**
 * Closes resources and ends the process. Jobs that did not end within the grace time may hold connections
 * and timers for ever, so it does not wait for them.
 */
export const endWith = async (unfinished: number, close: () => Promise<void>): Promise<void> => {
  if (unfinished > 0) setTimeout(() => process.exit(exitCodes.done), exitDelayMs)
  await close()
  // Ends the process even when a library still waits for a retry.
  setTimeout(() => process.exit(), exitDelayMs).unref()
}
