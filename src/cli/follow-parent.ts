/**
 * Ends with the process that started this one and waits for it. npm passes a signal to the shell between
 * them, which ends without passing it on, and a launcher that is killed passes nothing: in both cases the
 * parent of this process is another one then.
 */
const lookEveryMs = 250

/** From now on, where npm or `bin/docket.cjs` started this: a parent that is gone counts as SIGTERM. */
export const followParent = (environment: NodeJS.ProcessEnv = process.env): void => {
  const { npm_lifecycle_event: npm, DOCKET_LAUNCHER: launcher } = environment
  if (npm === undefined && launcher === undefined) return
  // A launcher may be gone already.
  const parent = launcher === undefined ? process.ppid : Number(launcher)
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, lookEveryMs)
  timer.unref()
}
