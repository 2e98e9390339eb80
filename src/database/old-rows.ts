/** Removes what the service keeps for some days, in small batches, so that nothing waits long for them. */
import { execute, type Pool } from './pool.ts'
import { int, raw, ref, sql } from './sql.ts'

const batchSize = 1000

/** Tables of the service whose rows are kept for some days, by the time that they are of. */
const timesOf = { mailing: 'created_at', audit: 'at' } as const

/** Removes the rows of a table that are older than so many days; several processes may do so at once. */
export const removeOldRows = async (
  pool: Pool,
  name: keyof typeof timesOf,
  days: number,
): Promise<void> => {
  const rows = raw(`docket.${name}`)
  const time = ref(timesOf[name], 'o')
  const remove = sql`
    DELETE FROM ${rows}
    WHERE id IN (
      SELECT o.id
      FROM ${rows} o
      WHERE ${time} < now() - make_interval(days => ${int(days)})
      ORDER BY ${time}
      LIMIT ${int(batchSize)}
    )`
  while ((await execute(pool, remove)) === batchSize);
}
