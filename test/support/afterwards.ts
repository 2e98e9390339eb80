/**
 * What a test starts ends with it, also when an assertion fails before its last line: makers of
 * databases, services and processes register how each is ended; what is still there when a test is
 * over, or all tests of a file, is ended then, the last one first.
 */
import { after, beforeEach } from 'node:test'

type End = () => Promise<unknown>

const open: End[] = []
let running = 0
let latest = 0

/** Gives back the same ending, which is done once however often it is called. */
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
    latest = Date.now()
  }
}

const endDownTo = async (length: number): Promise<void> => {
  const errors: unknown[] = []
  while (open.length > length)
    await open
      .at(-1)?.()
      .catch((fault: unknown) => errors.push(fault))
  if (errors.length > 0) throw new AggregateError(errors, 'What a test left could not be ended.')
}

/** How long the last hooks of a file may rest before what they have not ended is ended for them. */
const patienceMs = 5000

/** Ends what the hooks of a file leave, such as those that failed half-way. */
const endRest = (): void => {
  if (open.length === 0) return
  if (running > 0 || Date.now() - latest < patienceMs) setTimeout(endRest, 100)
  else
    endDownTo(0).catch((error: unknown) => {
      console.error(error)
      process.exitCode = 1
    })
}

// A bench and a program started by a test use what is here too, and have no tests.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  beforeEach((context) => {
    const length = open.length
    if ('after' in context) context.after(() => endDownTo(length))
  })
  after(() => {
    latest = Date.now()
    endRest()
  })
}
