/** Metrics of jobs: how they ended in this process, and how many there are in the database. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Observe } from '../observations.ts'

/** Returns the number of rows by status. */
export type CountJobs = () => Promise<Readonly<Record<string, number>>>

const outcomes = { jobDone: 'done', jobFailed: 'failed', jobDead: 'dead' } as const

/** Registers the metrics; returns an observer that counts the jobs of this process. */
export const watchJobs = (registry: Registry, count: CountJobs): Observe => {
  const runs = new Counter({
    name: 'docket_jobs_run_total',
    help: 'Attempts of jobs by outcome: done, failed (will be retried) or dead.',
    labelNames: ['task', 'outcome'],
    registers: [registry],
  })
  const waits = new Histogram({
    name: 'docket_job_wait_seconds',
    help: 'Time from the moment when a job was due to its first attempt, of jobs that then succeeded.',
    labelNames: ['task'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600],
    registers: [registry],
  })
  watchCounts(registry, {
    name: 'docket_jobs',
    help: 'Jobs in the database by status; absent while the database is unavailable.',
    count,
  })
  return (observation) => {
    switch (observation.kind) {
      case 'jobDone':
        if (observation.waitedMs !== undefined)
          waits.observe({ task: observation.task }, observation.waitedMs / 1000)
        runs.inc({ task: observation.task, outcome: outcomes.jobDone })
        break
      case 'jobFailed':
      case 'jobDead':
        runs.inc({ task: observation.task, outcome: outcomes[observation.kind] })
        break
      default:
    }
  }
}

type Counted = { readonly name: string; readonly help: string; readonly count: CountJobs }

/** A gauge of rows in the database by their status. */
export const watchCounts = (registry: Registry, { name, help, count }: Counted): void => {
  const remembered = rememberBriefly(count)
  new Gauge({
    name,
    help,
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const counts = await remembered().catch(() => ({}))
      this.reset()
      for (const [status, rows] of Object.entries(counts)) this.set({ status }, rows)
    },
  })
}

// Counting a million jobs takes 0.2 s, so concurrent readers share one count.
const keepMs = 5_000

/** Reads at most once in five seconds. */
export const rememberBriefly = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let known: Promise<T> | undefined
  let until = 0
  return () => {
    if (known === undefined || performance.now() > until) {
      known = read()
      until = performance.now() + keepMs
    }
    return known
  }
}
