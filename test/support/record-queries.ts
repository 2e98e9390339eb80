/** Records the statements that go through a pool. */
import type { Pool } from '../../src/database/pool.ts'

export const recordQueries = (pool: Pool) => {
  const queries: string[] = []
  const recorded = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target)
      return (statement: { text: string }) => {
        queries.push(statement.text)
        return target.query(statement)
      }
    },
  })
  return { queries, recorded }
}
