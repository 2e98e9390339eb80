/** Collects what a service or a worker of a test observes. A fault that nothing else shows fails the test, unless it expects one. */
import assert from 'node:assert/strict'
import { isUnavailable } from '../../src/database/database-errors.ts'
import type { Observation, ObservationKind } from '../../src/observations.ts'

// Nobody waits for the result of such work: the log alone tells that it failed. What becomes of requests, jobs and deliveries is
// asserted by tests of these.
const faults: ReadonlySet<ObservationKind> = new Set(['maintenanceFailed', 'auditFailed'])

/** Connections are lost on purpose, whatever uses them then. */
const isFault = (one: Observation): boolean =>
  faults.has(one.kind) && !('error' in one && isUnavailable(one.error))

export type Observed = {
  readonly observations: Observation[]
  readonly observe: (observation: Observation) => void
  /** What the test does may be observed as a fault of this kind. */
  readonly expectFault: (kind: ObservationKind) => void
  /** For the end, when everything is stopped. */
  readonly assertNoFault: () => void
}

export const collectObservations = (): Observed => {
  const observations: Observation[] = []
  const expected = new Set<ObservationKind>()
  return {
    observations,
    observe: (observation) => void observations.push(observation),
    expectFault: (kind) => void expected.add(kind),
    assertNoFault: () =>
      assert.deepEqual(
        observations.filter((one) => isFault(one) && !expected.has(one.kind)),
        [],
      ),
  }
}
