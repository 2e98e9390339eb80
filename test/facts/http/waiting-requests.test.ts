/** Files that are received give way to requests that wait, and come in all the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginWaiting, endWaiting, giveWay } from '../../../src/waiting-requests.ts'

/** Whether it goes on at once, before anything else that waits for a turn of the event loop. */
const goesOnAtOnce = async (): Promise<boolean> => {
  const turn = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))
  return Promise.race([giveWay().then(() => true), turn])
}

test('a piece of a file waits while requests come, and no longer than some milliseconds for one that takes long', async () => {
  assert.equal(await goesOnAtOnce(), true, 'before the first request')
  const [slow, quick] = [{}, {}]
  beginWaiting(slow)
  beginWaiting(quick)
  assert.equal(await goesOnAtOnce(), false, 'while two wait')
  // It would never end otherwise.
  await giveWay()
  endWaiting(quick)
  endWaiting(quick)
  endWaiting(slow)
  assert.equal(await goesOnAtOnce(), false, 'right after them, because others are expected')
  await giveWay()
})
