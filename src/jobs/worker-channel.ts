/** The channel on which workers learn that jobs wait; without a signal one looks every second. */
import type { SignalChannel } from '../database/sql.ts'

/** Its values are numbers of jobs: so many idle workers look. */
export const workerChannel: SignalChannel = {
  name: 'jobs:insert',
  payloadOf: (numbers) => {
    const count = numbers.reduce<number>((sum, number) => sum + Number(number), 0)
    return count === 0 ? undefined : JSON.stringify({ count })
  },
}

/** The number of jobs that a payload names; graphile-worker's own functions signal so too. */
export const countOf = (payload: string): number => {
  const count = Number(/"count":\s*(\d+)/.exec(payload)?.[1] ?? 1)
  return Math.min(count, Number.MAX_SAFE_INTEGER)
}
