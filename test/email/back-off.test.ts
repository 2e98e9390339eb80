/** The pauses between tries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseAfter } from '../../src/email/back-off.ts'

const minuteMs = 60_000
const middle = () => 0.5

test('each pause is longer than the one before, up to twelve hours', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((tries) => pauseAfter(tries, 0, middle))
  assert.deepEqual(
    pauses.map((ms) => ms / minuteMs),
    [1, 5, 15, 60, 180, 360, 720, 720, 720],
  )
})

test('each is spread by a fifth to both sides', () => {
  assert.equal(
    pauseAfter(1, 0, () => 0),
    0.8 * minuteMs,
  )
  assert.equal(
    pauseAfter(1, 0, () => 1),
    1.2 * minuteMs,
  )
  const spread = Array.from({ length: 100 }, () => pauseAfter(3))
  assert.ok(spread.every((ms) => ms >= 12 * minuteMs && ms <= 18 * minuteMs))
  assert.ok(new Set(spread).size > 1)
})

test('what the provider says is kept to where it is longer', () => {
  assert.equal(pauseAfter(1, 10 * minuteMs, middle), 10 * minuteMs)
  assert.equal(pauseAfter(4, 10 * minuteMs, middle), 60 * minuteMs)
})
