/** Limits how many tasks run at the same time, and shares one run among those who ask for it. */

/** Runs a task when there is room for it. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

type Waiting = {
  readonly most: number
  /** The error for a task when so many wait already. */
  readonly refusal: () => Error
}

/** Runs a limited number of tasks at the same time; the others wait in order. */
export const createLimit = (maxConcurrent: number, wait?: Waiting): Limit => {
  const waiting: (() => void)[] = []
  let free = maxConcurrent
  return async (work) => {
    if (free > 0) free--
    else {
      if (wait && waiting.length >= wait.most) throw wait.refusal()
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
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

/** Calls while the work runs share its run and its result. */
export const shareRun = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
