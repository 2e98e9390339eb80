/** The delays between attempts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectionRetries,
  deliveryRetries,
  pauseAfter,
  writeRetries,
} from '../../src/retry-policy.ts'

const minuteMs = 60_000
const middle = () => 0.5

test('the delays of deliveries grow up to twelve hours', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((tries) =>
    pauseAfter(deliveryRetries, tries, middle),
  )
  assert.deepEqual(
    pauses.map((ms) => ms / minuteMs),
    [1, 5, 15, 60, 180, 360, 720, 720, 720],
  )
})

test('each delay varies randomly by up to 20 % in both directions', () => {
  const bounds = [0, 1].map((random) => pauseAfter(deliveryRetries, 1, () => random))
  assert.deepEqual(bounds, [0.8 * minuteMs, 1.2 * minuteMs])
  const delays = Array.from({ length: 100 }, () => pauseAfter(deliveryRetries, 3))
  assert.ok(delays.every((ms) => ms >= 12 * minuteMs && ms <= 18 * minuteMs))
  assert.ok(new Set(delays).size > 1)
})

test('the delays of connections and writes double up to their maximum', () => {
  const [lowest, highest] = [() => 0, () => 1]
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map((failures) => pauseAfter(connectionRetries, failures, highest)),
    [200, 400, 800, 1600, 3200, 5000, 5000],
  )
  assert.equal(pauseAfter(connectionRetries, 1, lowest), 100)
  assert.deepEqual(
    [1, 2, 5, 6, 7].map((failures) => pauseAfter(writeRetries, failures)),
    [50, 100, 800, 1000, 1000],
  )
})
