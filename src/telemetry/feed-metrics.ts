/** Metrics of the servers of notifications that a service has. */
import { Gauge, type Registry } from 'prom-client'
import type { FeedServer } from '../database/feeds/feed-server.ts'

/** Registers them; they have no values without servers. */
export const watchFeeds = (
  registry: Registry,
  servers: readonly Pick<FeedServer, 'name' | 'isUp'>[] = [],
): void => {
  new Gauge({
    name: 'docket_feed_up',
    help: 'Whether this process can use the server of notifications: 1, or 0 while it is away.',
    labelNames: ['feed'],
    registers: [registry],
    collect() {
      for (const { name, isUp } of servers) this.set({ feed: name }, isUp() ? 1 : 0)
    },
  })
}
