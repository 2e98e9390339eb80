/**
 * Cleans up what a test has started, also when an assertion fails: functions that start databases,
 * services and processes register how each is ended. What still runs after a test, or after all tests
 * of a file, is ended then, the last one first.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { after, before, beforeEach } from 'node:test'

type End = () => Promise<unknown>

const open: End[] = []
/** Of what the files of a process share: it is ended after everything else. */
const shared: End[] = []
const isShared = new AsyncLocalStorage<true>()
let running = 0

/** Registers a cleanup function and returns one that runs it only once. */
export const afterwards = <E extends End>(end: E): E => {
  const ends = isShared.getStore() ? shared : open
  let ended: Promise<unknown> | undefined
  const once = () => {
    const index = ends.indexOf(once)
    if (index >= 0) ends.splice(index, 1)
    ended ??= counted(end)
    return ended
  }
  ends.push(once)
  return once as E
}

/** Starts something once for all files of a process, whichever asks first. It ends with the process. */
export const shareOnce = <T>(start: () => Promise<T>): (() => Promise<T>) => {
  let started: Promise<T> | undefined
  // A promise of one's own: tests after `await` at the top of a file would be those of the file that asked first.
  return async () => {
    started ??= isShared.run(true, start)
    return await started
  }
}

/**
 * What the tests of a file or of a suite use: it is opened before them, and has its properties from then on. It ends after
 * them, with all that was started since.
 */
export const opened = <T extends object & { readonly length?: never }>(
  start: () => Promise<T>,
): T => {
  const holder = {} as T
  let length = 0
  before(async () => {
    length = open.length
    Object.assign(holder, await start())
  })
  after(() => endDownTo(length))
  return holder
}

const counted = async (end: End): Promise<unknown> => {
  running++
  try {
    return await end()
  } finally {
    running--
  }
}

const endDownTo = async (length: number, ends: readonly End[] = open): Promise<void> => {
  const errors: unknown[] = []
  while (ends.length > length)
    await ends
      .at(-1)?.()
      .catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, 'The cleanup after a test failed.')
}

const endAll = async (): Promise<void> => {
  try {
    await endDownTo(0)
  } finally {
    await endDownTo(0, shared)
  }
}

// How often nothing may be running in a row, and after which time it is looked again. Looks are counted, and not time
// alone, because a machine with much to do lets a process wait.
const idleLooks = 5
const lookMs = 100

/** Ends what the hooks of a file did not end, for example because they failed. */
const endRest = (looks = 0): void => {
  if (open.length + shared.length === 0) return
  if (looks < idleLooks) setTimeout(endRest, lookMs, running > 0 ? 0 : looks + 1)
  else
    endAll().catch((error: unknown) => {
      console.error(error)
      process.exitCode = 1
    })
}

// Benchmarks and programs started by a test import this file too, and have no tests.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  beforeEach((context) => {
    const length = open.length
    if ('after' in context) context.after(() => endDownTo(length))
  })
  after(() => endRest())
}
