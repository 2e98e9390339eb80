/** PostgreSQL gives up a client host that has disappeared within half a minute, whatever its session is for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitsOf, tcpSettings } from '../../../src/database/connections/session-settings.ts'

test('a session ends its idle transactions and its dead connections', () => {
  for (const work of [
    { kind: 'requests', timeoutSeconds: 30 },
    { kind: 'jobs' },
    { kind: 'queue' },
    { kind: 'quick' },
  ] as const) {
    const { idleInTransaction, unacknowledged } = limitsOf(work)
    assert.deepEqual([idleInTransaction, unacknowledged], [25_000, 25_000], work.kind)
  }
  assert.deepEqual(tcpSettings(25_000).match(/\w+ = \d+/g), [
    'tcp_keepalives_idle = 10',
    'tcp_keepalives_interval = 5',
    'tcp_keepalives_count = 3',
    'tcp_user_timeout = 25000',
  ])
})

test('an export may be idle for as long as its reader may', () => {
  const { idleInTransaction, unacknowledged } = limitsOf({
    kind: 'exports',
    timeoutSeconds: 3600,
    stallSeconds: 60,
  })
  assert.deepEqual([idleInTransaction, unacknowledged], [85_000, 85_000])
})

test('a request has less time for a lock than for its statement, and less for both than its caller waits', () => {
  const { statement, lock } = limitsOf({ kind: 'requests', timeoutSeconds: 4 })
  assert.deepEqual([statement, lock], [3200, 1600])
  assert.equal(limitsOf({ kind: 'requests', timeoutSeconds: 600 }).lock, 10_000)
})
