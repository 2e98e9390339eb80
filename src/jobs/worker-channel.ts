/** The channel on which graphile-worker learns that jobs wait; without a signal it looks every two seconds. */
import type { SignalChannel } from '../database/signal-channel.ts'

/** Its values are numbers of jobs: so many idle workers look. */
export const workerChannel: SignalChannel = {
  name: 'jobs:insert',
  payloadOf: (numbers) => {
    const count = numbers.reduce<number>((sum, number) => sum + Number(number), 0)
    return count === 0 ? undefined : JSON.stringify({ count })
  },
}
