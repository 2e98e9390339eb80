/**
 * How long this thread, which the service of a test shares, was blocked: the time without any response,
 * measured as processor time, which other work of the machine does not increase.
 */

/** The longest blocking of the event loop while `work` ran, in milliseconds of processor time. */
export const longestStop = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0
  let last = process.threadCpuUsage()
  const measure = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
  }
  const timer = setInterval(measure, 1)
  try {
    await work()
    measure()
    return longest
  } finally {
    clearInterval(timer)
  }
}
