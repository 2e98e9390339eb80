/** Runs so many at once; the others wait in order. */
export const createLimit = (maxConcurrent: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = []
  let free = maxConcurrent
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // To the next one, or back.
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
