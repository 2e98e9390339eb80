/** Metrics of the replicas of a service: which are used, how far they are behind, and who answers reads. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { ReplicaState } from '../database/replicas/replicas.ts'

export type WatchedReplicas = {
  readonly states: () => readonly ReplicaState[]
  /** How often which server has answered a read. */
  readonly reads: ReadonlyMap<string, number>
}

const none: WatchedReplicas = { states: () => [], reads: new Map() }

/** Registers them; they have no values without replicas. */
export const watchReplicas = (
  registry: Registry,
  { states, reads }: WatchedReplicas = none,
): void => {
  const registers = [registry]
  new Gauge({
    name: 'docket_replica_used',
    help: 'Whether this process reads from the replica: 1, or 0 while it is away or too far behind.',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, isUsed } of states()) this.set({ replica: name }, isUsed ? 1 : 0)
    },
  })
  new Gauge({
    name: 'docket_replica_lag_seconds',
    help: 'For how long changes may have been committed that the replica lacks; absent while it is away.',
    labelNames: ['replica'],
    registers,
    collect() {
      this.reset()
      for (const { name, lagSeconds } of states())
        if (Number.isFinite(lagSeconds)) this.set({ replica: name }, lagSeconds)
    },
  })
  new Counter({
    name: 'docket_reads_total',
    help: 'Reads that a replica may answer, by the server that did: a replica, or primary.',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset()
      for (const [server, count] of reads) this.inc({ server }, count)
    },
  })
}
