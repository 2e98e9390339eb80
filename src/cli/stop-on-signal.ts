/** Ends a command that runs until it is told to stop: SIGTERM, or Ctrl-C at a terminal. */
import { type Context, exitCodes } from './command.ts'

/** Resolves with what `stop` answers, after a signal; a second signal ends the process at once. */
export const stopOnSignal = <T>({ config, observe }: Context, stop: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    let isStopping = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping) process.exit(exitCodes.failed)
      isStopping = true
      observe({ kind: 'serviceStopping', signal, graceMs: config.SHUTDOWN_GRACE_SECONDS * 1000 })
      stop().then(resolve, reject)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
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
