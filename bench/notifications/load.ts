/**
 * Load on the paths of notifications, in a process of its own: so many connections, each asking again
 * as soon as it is answered. Takes a NotificationWish as its argument and prints a LoadResult.
 */
import { percentile } from '../figures.ts'
import type { LoadResult } from '../records/load.ts'
import { type Asking, askOn, type Operation, operations } from './operations.ts'

export type NotificationWish = {
  readonly url: string
  readonly token: string
  readonly operation: Operation
  readonly connections: number
  /** Ends after this time, or after so many requests of each connection. */
  readonly ms: number
  readonly most?: number
}

const wish = JSON.parse(process.argv[2] ?? '') as NotificationWish
const ask = askOn(wish.url, wish.token, wish.connections)
const asking: Asking = { ask, ids: [], latest: '' }
const found = JSON.parse(await ask('GET', '/api/notifications?limit=1000')) as {
  _id: string
  timestamp: string
}[]
const ready = {
  ...asking,
  ids: found.map(({ _id }) => _id),
  latest: found[0]?.timestamp ?? '',
}

const samples: number[] = []
const begun = performance.now()
const keepAsking = async (_: unknown, connection: number): Promise<void> => {
  for (let round = 0; round < (wish.most ?? Infinity); round++) {
    if (performance.now() - begun >= wish.ms) return
    const asked = performance.now()
    await operations[wish.operation](ready, connection + round)
    samples.push(performance.now() - asked)
  }
}
await Promise.all(Array.from({ length: wish.connections }, keepAsking))
const result: LoadResult = {
  requests: samples.length,
  perSecond: (samples.length / (performance.now() - begun)) * 1000,
  p50: percentile(samples, 50),
  p99: percentile(samples, 99),
  most: percentile(samples, 100),
}
process.stdout.write(JSON.stringify(result))
process.exit()
