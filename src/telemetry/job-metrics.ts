/** Metrics of jobs: how they ended in this process, and how many there are in the database. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Observe } from '../observations.ts'

/** Answers how many rows there are of each status. */
export type CountJobs = () => Promise<Readonly<Record<string, number>>>

const outcomes = { jobDone: 'done', jobFailed: 'failed', jobDead: 'dead' } as const

/** Registers the metrics; answers what counts the jobs that this process runs. */
export const watchJobs = (registry: Registry, count: CountJobs): Observe => {
  const runs = new Counter({
    name: 'docket_jobs_run_total',
    help: 'Attempts at jobs by how they ended: done, failed (to be tried again) or dead.',
    labelNames: ['task', 'outcome'],
    registers: [registry],
  })
  watchCounts(registry, {
    name: 'docket_jobs',
    help: 'Jobs in the database by status; absent while the database is away.',
    count,
  })
  return (observation) => {
    switch (observation.kind) {
      case 'jobDone':
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

// Counting a million jobs takes 0.2 s: not once for everyone who reads the metrics.
const keepMs = 5_000

const rememberBriefly = (count: CountJobs): CountJobs => {
  let known: ReturnType<CountJobs> | undefined
  let until = 0
  return () => {
    if (known === undefined || performance.now() > until) {
      known = count()
      until = performance.now() + keepMs
    }
    return known
  }
}
