/**
 * Loaded before every test file (`--import`): a file whose tests are over but whose process does not
 * end, for a connection or a timer that was left open, says what holds it and fails.
 */
import { after } from 'node:test'
// Here it looks at every test, also of files that share a process.
import './afterwards.ts'

const patienceMs = 60_000

const giveUp = (): void => {
  const held = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout')
  console.error(
    `The tests of ${process.argv[1]} are over, and a minute later it still holds: ${held.join(', ')}.`,
  )
  process.exit(1)
}

if (process.env.NODE_TEST_CONTEXT !== undefined)
  after(() => {
    setTimeout(giveUp, patienceMs).unref()
  })
