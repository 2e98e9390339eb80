/** Time limit for comparing records with new rules. */
import type { Queryable } from '../../database/pool.ts'

export type TimeBudget = {
  /** Throws a BudgetSpent when the time is over. */
  readonly check: () => void
  /** Runs work whose statements are cancelled when the time is over; undefined when cancelled. */
  readonly within: <T>(database: Queryable, work: () => Promise<T>) => Promise<T | undefined>
}

class BudgetSpent extends Error {
  override name = 'BudgetSpent'
}

/** A budget of so many milliseconds from now, on a connection without another time limit. */
export const timeBudget = (ms: number): TimeBudget => {
  const end = performance.now() + ms
  const check = () => {
    if (performance.now() >= end) throw new BudgetSpent()
  }
  return {
    check,
    within: async (database, work) => {
      try {
        check()
        await database.query(
          `SET statement_timeout = ${Math.max(1, Math.ceil(end - performance.now()))}`,
        )
        return await work()
      } catch (error) {
        if (error instanceof BudgetSpent || isCancelled(error)) return undefined
        throw error
      } finally {
        await database.query('SET statement_timeout = 0').catch(() => undefined)
      }
    },
  }
}

/** query_canceled */
const isCancelled = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === '57014'
