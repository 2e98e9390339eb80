/** Limits how many tasks run at the same time. */

/** Runs a task when there is room for it. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** Runs a limited number of tasks at the same time; the others wait in order. */
export const createLimit = (maxConcurrent: number): Limit => {
  const waiting: (() => void)[] = []
  let free = maxConcurrent
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The slot is passed to the next task, or released.
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
