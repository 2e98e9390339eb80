/** Ctrl-C and SIGTERM leave nothing behind: what is open is closed before the program ends. */
import { constants } from 'node:os'

/**
 * Runs `close` when a signal comes, then ends; the answer takes this back. npm hands on the Ctrl-C that
 * the terminal sends as well, so `close` may be asked for twice.
 */
export const endOnSignal = (close: () => Promise<void>): (() => void) => {
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    const end = () => process.exit(128 + constants.signals[signal])
    close().then(end, end)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return () => {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}
