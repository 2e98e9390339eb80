/** For tests that count days of the calendar. */
import { setTimeout as delay } from 'node:timers/promises'

const neededMs = 120_000

/** Waits for the next day in a time zone if this one ends soon: the days then stay the same for a while. */
export const awayFromMidnight = async (timeZone: string): Promise<void> => {
  const now = Temporal.Now.zonedDateTimeISO(timeZone)
  const leftMs = now.until(now.add({ days: 1 }).startOfDay()).total('milliseconds')
  if (leftMs < neededMs) await delay(Math.ceil(leftMs) + 10)
}
