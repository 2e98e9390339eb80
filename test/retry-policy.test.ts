/** The pauses between attempts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectionRetries,
  deliveryRetries,
  pauseAfter,
  writeRetries,
} from '../src/retry-policy.ts'

const minuteMs = 60_000
const middle = () => 0.5

test('each pause of deliveries is longer than the one before, up to twelve hours', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((tries) =>
    pauseAfter(deliveryRetries, tries, middle),
  )
  assert.deepEqual(
    pauses.map((ms) => ms / minuteMs),
    [1, 5, 15, 60, 180, 360, 720, 720, 720],
  )
})

test('each is spread by a fifth to both sides', () => {
  assert.equal(
    pauseAfter(deliveryRetries, 1, () => 0),
    0.8 * minuteMs,
  )
  assert.equal(
    pauseAfter(deliveryRetries, 1, () => 1),
    1.2 * minuteMs,
  )
  const spread = Array.from({ length: 100 }, () => pauseAfter(deliveryRetries, 3))
  assert.ok(spread.every((ms) => ms >= 12 * minuteMs && ms <= 18 * minuteMs))
  assert.ok(new Set(spread).size > 1)
})

test('pauses of connections and writes double up to their maximum', () => {
  const most = () => 1
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map((failures) => pauseAfter(connectionRetries, failures, most)),
    [200, 400, 800, 1600, 3200, 5000, 5000],
  )
  assert.equal(
    pauseAfter(connectionRetries, 1, () => 0),
    100,
  )
  assert.deepEqual(
    [1, 2, 5, 6, 7].map((failures) => pauseAfter(writeRetries, failures)),
    [50, 100, 800, 1000, 1000],
  )
})
