/** Metrics of jobs: attempts by result, numbers by status, and an unavailable database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Observation } from '../../../src/observations.ts'
import { createMetrics } from '../../../src/telemetry/metrics.ts'

const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('docket_jobs'))

test('attempts at jobs are counted by task and result', async () => {
  const metrics = createMetrics({ pools: {}, countJobs: async () => ({}) })
  const done = { kind: 'jobDone', jobId: '1', task: 'a.b', ms: 1 } as const
  const failed = { jobId: '1', task: 'a.b', attempt: 1, of: 2, error: new Error('no luck') }
  const observations: Observation[] = [
    done,
    done,
    { kind: 'jobFailed', ...failed },
    { kind: 'jobDead', ...failed },
  ]
  for (const observation of observations) metrics.observe(observation)
  assert.deepEqual(lines(await metrics.print()), [
    'docket_jobs_run_total{task="a.b",outcome="done"} 2',
    'docket_jobs_run_total{task="a.b",outcome="failed"} 1',
    'docket_jobs_run_total{task="a.b",outcome="dead"} 1',
  ])
})

test('jobs are counted once, however many requests read the metrics', async () => {
  let asked = 0
  const metrics = createMetrics({
    pools: {},
    countJobs: async () => {
      asked++
      return { dead: 3, waiting: 0 }
    },
  })
  const [text = ''] = await Promise.all([metrics.print(), metrics.print(), metrics.print()])
  assert.deepEqual(lines(text), ['docket_jobs{status="dead"} 3', 'docket_jobs{status="waiting"} 0'])
  assert.equal(asked, 1)
})

test('while the database is unavailable, the other metrics are returned', async () => {
  const metrics = createMetrics({ pools: {}, countJobs: () => Promise.reject(new Error('away')) })
  const text = await metrics.print()
  assert.deepEqual(lines(text), [])
  assert.match(text, /docket_http_request_duration_seconds/)
})
