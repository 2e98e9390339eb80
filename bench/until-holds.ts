/** Waits for something that can only be asked for. */
import { setTimeout as delay } from 'node:timers/promises'

const intervalMs = 10
const longestMs = 300_000

/** Asks until it holds; answers when it was asked the last time, of performance.now(). */
export const untilHolds = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<number> => {
  const deadline = performance.now() + longestMs
  for (;;) {
    const askedAt = performance.now()
    if (await holds()) return askedAt
    if (askedAt > deadline) throw new Error(`Waited in vain until ${what}.`)
    await delay(intervalMs)
  }
}
