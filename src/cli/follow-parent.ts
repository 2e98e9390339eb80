/**
 * Ends this process when its launcher ends. npm passes signals to the shell between them, which ends
 * without passing them on, and a killed launcher passes nothing. In both cases the parent process
 * changes.
 */
const pollIntervalMs = 250

/** If npm or `bin/docket.cjs` started this process, treats the end of the parent as SIGTERM. */
export const followParent = (environment: NodeJS.ProcessEnv = process.env): void => {
  const { npm_lifecycle_event: npm, DOCKET_LAUNCHER: launcher } = environment
  if (npm === undefined && launcher === undefined) return
  // The launcher may have ended already.
  const parent = launcher === undefined ? process.ppid : Number(launcher)
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, pollIntervalMs)
  timer.unref()
}
