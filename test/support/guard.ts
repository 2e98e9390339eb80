/**
 * Loaded before every test file: when the tests of a file are done but its process does
 * not exit, because a connection or a timer is still open, prints what keeps it alive and fails.
 */
import { after } from 'node:test'
// Imported here, so that it applies to every test, also in files that share a process.
import './afterwards.ts'

const timeoutMs = 60_000

const reportOpenHandles = (): void => {
  const held = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout')
  console.error(
    `The tests of ${process.argv[1]} are done, but its process still runs after a minute because of: ${held.join(', ')}.`,
  )
  process.exit(1)
}

if (process.env.NODE_TEST_CONTEXT !== undefined)
  after(() => {
    setTimeout(reportOpenHandles, timeoutMs).unref()
  })
