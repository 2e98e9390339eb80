/**
 * Loaded before everything else of a test process. Node.js's runner follows every promise to know which suite a test that
 * is being declared belongs to, which takes a tenth of the processor time of a service. Nothing is declared once tests run.
 */
import hooks, { type AsyncHook } from 'node:async_hooks'

const { createHook } = hooks
let tracking: AsyncHook | undefined

hooks.createHook = (callbacks) => {
  tracking = createHook(callbacks)
  return tracking
}
// Not by a declaration, which would load the runner before this file.
await import('node:test')
hooks.createHook = createHook

/** Ends the tracking. An error that no test awaits fails the process from then on, not the test that runs, and is printed here. */
export const endTracking = (): void => {
  tracking?.disable()
  process.on('uncaughtException', console.error)
  process.on('unhandledRejection', console.error)
}
