/**
 * How long this thread, which the service of a test shares, computed in one go: the time that nobody
 * else was answered in, measured by its processor time, which other work of the machine makes no longer.
 */

/** The longest stop of the event loop while `work` ran, in milliseconds of processor time. */
export const longestStop = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0
  let last = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
  }
  const timer = setInterval(look, 1)
  try {
    await work()
    look()
    return longest
  } finally {
    clearInterval(timer)
  }
}
