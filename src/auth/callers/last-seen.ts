/** When a user was last seen: when they last sent a request, whatever they had signed in with. */
import { execute, type Queryable } from '../../database/pool.ts'
import { int, sql } from '../../database/sql.ts'

/** Writes that a user is seen now, unless another process has written it within the minute. */
export const markSeen = (database: Queryable, userId: number): Promise<number> =>
  execute(
    database,
    sql`
      INSERT INTO docket.last_seen AS s (user_id) VALUES (${int(userId)})
      ON CONFLICT (user_id) DO UPDATE SET seen_at = now()
      WHERE s.seen_at < now() - interval '1 minute'`,
  )
