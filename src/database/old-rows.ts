/** Removes what the service keeps for some time: what has ended, and what is as old as the settings say. */
import { execute, type Pool } from './pool.ts'
import { int, raw, ref, type Sql, sql } from './sql.ts'

const hasExpired = sql`expires_at < now()`

/** By table, which of its rows nobody needs any more. */
const endedRows: Readonly<Record<string, Sql>> = {
  session: hasExpired,
  one_time_code: hasExpired,
  sign_in_step: hasExpired,
  used_challenge: hasExpired,
  known_browser: sql`last_used_at < now() - interval '1 year'`,
  failed_sign_in: sql`last_at < now() - interval '1 day'`,
  idempotency_key: sql`created_at < now() - interval '24 hours'`,
  export_run: sql`updated_at < now() - interval '1 hour'`,
}

/** Removes these rows. */
export const removeEndedRows = async (pool: Pool): Promise<void> => {
  for (const [name, hasEnded] of Object.entries(endedRows))
    await execute(pool, sql`DELETE FROM ${raw(`docket.${name}`)} WHERE ${hasEnded}`)
}

// Small, so that nothing waits long for them.
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
