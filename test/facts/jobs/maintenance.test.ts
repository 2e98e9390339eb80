/** When tasks of the maintenance run: all of them at the start, again after an error, and to their end at a stop. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { scheduleMaintenance } from '../../../src/jobs/maintenance.ts'
import type { Observation } from '../../../src/observations.ts'
import { until } from '../../support/wait.ts'

test('every task runs at the start, one that fails is observed and runs again, and a stop waits for those that run', async () => {
  const ran: string[] = []
  const observed: Observation[] = []
  const error = new Error('It fails.')
  const long = Promise.withResolvers<void>()
  const failing = async () => {
    ran.push('failing')
    throw error
  }
  const waiting = () => {
    ran.push('long')
    return long.promise
  }
  const maintenance = scheduleMaintenance(
    (one) => observed.push(one),
    [
      { name: 'failing', intervalMs: 1, run: failing },
      { name: 'long', intervalMs: 1, run: waiting },
    ],
  )
  assert.deepEqual(ran, ['failing', 'long'])
  await until('it runs again', () => ran.length > 2)
  assert.deepEqual(observed[0], { kind: 'maintenanceFailed', task: 'failing', error })
  let isStopped = false
  const stopped = maintenance.stop().then(() => {
    isStopped = true
  })
  await pause()
  assert.equal(isStopped, false)
  long.resolve()
  await stopped
  assert.equal(ran.filter((name) => name === 'long').length, 1)
})
