/** Settings of the console: one JSON object per user. */
import { type Queryable, queryRow } from '../../database/pool.ts'
import { bound, int, sql, texts } from '../../database/sql.ts'

/** The settings of a user as JSON; those of a user who has none are empty. */
export const selectSettings = async (database: Queryable, userId: number): Promise<string> => {
  const row = await queryRow<{ settings: string }>(
    database,
    sql`SELECT settings::text FROM docket.console_settings WHERE user_id = ${int(userId)}`,
  )
  return row?.settings ?? '{}'
}

type Change = {
  readonly userId: number
  /** The names to set, as a JSON object. */
  readonly set: string
  readonly removed: readonly string[]
  readonly maxBytes: number
}

/** Sets and removes names, and returns all settings as JSON; undefined if they would be too large. */
export const mergeSettings = async (
  database: Queryable,
  { userId, set, removed, maxBytes }: Change,
): Promise<string | undefined> => {
  const merged = sql`(s.settings || excluded.settings) - ${texts(removed)}`
  const row = await queryRow<{ settings: string }>(
    database,
    sql`
      INSERT INTO docket.console_settings AS s (user_id, settings)
      SELECT ${int(userId)}, given
      FROM (SELECT ${bound(set, 'jsonb')} AS given) AS sent
      WHERE octet_length(given::text) <= ${int(maxBytes)}
      ON CONFLICT (user_id) DO UPDATE SET settings = ${merged}
      WHERE octet_length((${merged})::text) <= ${int(maxBytes)}
      RETURNING s.settings::text`,
  )
  return row?.settings
}
