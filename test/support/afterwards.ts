/**
 * Cleans up what a test has started, also when an assertion fails: functions that start databases,
 * services and processes register how each is ended. What still runs after a test, or after all tests
 * of a file, is ended then, the last one first.
 */
import { after, beforeEach } from 'node:test'

type End = () => Promise<unknown>

const open: End[] = []
let running = 0

/** Registers a cleanup function and returns one that runs it only once. */
export const afterwards = <E extends End>(end: E): E => {
  let ended: Promise<unknown> | undefined
  const once = () => {
    const index = open.indexOf(once)
    if (index >= 0) open.splice(index, 1)
    ended ??= counted(end)
    return ended
  }
  open.push(once)
  return once as E
}

const counted = async (end: End): Promise<unknown> => {
  running++
  try {
    return await end()
  } finally {
    running--
  }
}

const endDownTo = async (length: number): Promise<void> => {
  const errors: unknown[] = []
  while (open.length > length)
    await open
      .at(-1)?.()
      .catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, 'The cleanup after a test failed.')
}

// How often nothing may be running in a row, and after which time it is looked again. Looks are counted, and not time
// alone, because a machine with much to do lets a process wait.
const idleLooks = 5
const lookMs = 100

/** Ends what the hooks of a file did not end, for example because they failed. */
const endRest = (looks = 0): void => {
  if (open.length === 0) return
  if (looks < idleLooks) setTimeout(endRest, lookMs, running > 0 ? 0 : looks + 1)
  else
    endDownTo(0).catch((error: unknown) => {
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
