/** Metrics of what operators watch: how long work waits, whether signals arrive, what holds PostgreSQL back. */
import { Gauge, type Registry } from 'prom-client'
import { rememberBriefly } from './job-metrics.ts'
import type { Operations } from './operations-store.ts'

export type Watched = {
  readonly readOperations: () => Promise<Operations>
  /** Open streams of this process. */
  readonly countStreams: () => number
  /** Whether the connection of this process that receives and sends signals is open. */
  readonly isListening: () => boolean
}

type Value = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

type Metric = {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly valuesOf: (operations: Operations) => readonly Value[]
}

const ofDatabase: readonly Metric[] = [
  {
    name: 'docket_oldest_due_seconds',
    help: 'Since when the oldest job or delivery is due that nobody has taken.',
    labels: ['queue'],
    valuesOf: ({ oldestDue }) =>
      Object.entries(oldestDue).map(([queue, value]) => ({ labels: { queue }, value })),
  },
  {
    name: 'docket_database_oldest_transaction_seconds',
    help: 'Age of the oldest open transaction; PostgreSQL cannot remove rows that it may see.',
    valuesOf: ({ oldestTransaction }) => [{ value: oldestTransaction }],
  },
  {
    name: 'docket_database_notification_queue_ratio',
    help: 'Used part of the queue of notifications of PostgreSQL, 0 to 1.',
    valuesOf: ({ notificationQueue }) => [{ value: notificationQueue }],
  },
  {
    name: 'docket_database_standby_lag_seconds',
    help: 'How far a standby is behind; needs the role pg_monitor.',
    labels: ['standby'],
    valuesOf: ({ standbys }) =>
      standbys.map(({ name, lag }) => ({ labels: { standby: name }, value: lag })),
  },
  {
    name: 'docket_database_index_build_ratio',
    help: 'Part that is done, 0 to 1, of the phase of an index that is being built.',
    labels: ['table', 'phase'],
    valuesOf: ({ builds }) =>
      builds.map(({ table, phase, done }) => ({ labels: { table, phase }, value: done })),
  },
]

/** Registers the metrics; those of the database are absent while it is unavailable. */
export const watchOperations = (
  registry: Registry,
  { readOperations, countStreams, isListening }: Watched,
): void => {
  const registers = [registry]
  const remembered = rememberBriefly(readOperations)
  for (const { name, help, labels: labelNames = [], valuesOf } of ofDatabase)
    new Gauge({
      name,
      help,
      registers,
      labelNames,
      async collect() {
        this.reset()
        const operations = await remembered().catch(() => undefined)
        for (const { labels = {}, value } of operations ? valuesOf(operations) : [])
          this.set(labels, value)
      },
    })
  new Gauge({
    name: 'docket_open_streams',
    help: 'Open streams of this process.',
    registers,
    collect() {
      this.set(countStreams())
    },
  })
  new Gauge({
    name: 'docket_listener_up',
    help: 'Whether this process receives signals of others: 1 or 0.',
    registers,
    collect() {
      this.set(isListening() ? 1 : 0)
    },
  })
}
