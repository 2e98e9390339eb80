/** SQL that queues rows again for another try, many at once, with the result of each. */
import { bigint, bound, type Sql, sql } from './sql.ts'

type Retry = {
  /** The table of the queue; conditions and changes are on its rows as `r`. */
  readonly queue: Sql
  /** These, or those that the conditions choose, the oldest first. */
  readonly ids: readonly number[] | undefined
  readonly chosen: Sql
  readonly mayBeRetried: Sql
  readonly change: Sql
  /** More are selected, and not retried, to know whether there are more. */
  readonly most: number
  /** The column of the result that signals the number of queued rows to the workers. */
  readonly signal: (count: Sql) => Sql
  /** The result of a row that exists and may not be retried, and of one that does not exist. */
  readonly refused: Sql
  readonly unknown: Sql
}

const withPlaces = (ids: readonly number[]): Sql => sql`
  SELECT id, min(place) AS place
  FROM unnest(${bound(ids, 'bigint[]')}) WITH ORDINALITY AS listed(id, place)
  GROUP BY id`

/** `id` and `result` of each, in order: `queued`, or why not. */
export const retryRows = (one: Retry): Sql => sql`
WITH chosen AS MATERIALIZED (
  ${
    one.ids
      ? withPlaces(one.ids)
      : sql`
  SELECT r.id, row_number() OVER (ORDER BY r.id) AS place
  FROM ${one.queue} r
  WHERE ${one.chosen}
  ORDER BY r.id
  LIMIT ${bigint(one.most + 1)}`
  }
), locked AS MATERIALIZED (
  SELECT r.id
  FROM ${one.queue} r
  JOIN chosen c ON c.id = r.id
  WHERE ${one.mayBeRetried} AND c.place <= ${bigint(one.most)}
  ORDER BY r.id
  FOR UPDATE OF r
), queued AS (
  UPDATE ${one.queue} r
  SET ${one.change}
  FROM locked l
  WHERE r.id = l.id
  RETURNING r.id
)
SELECT c.id, ${one.signal(sql`(q.id IS NOT NULL)::integer`)}, CASE
    WHEN q.id IS NOT NULL THEN 'queued'
    WHEN r.id IS NOT NULL THEN ${one.refused}
    ELSE ${one.unknown}
  END AS result
FROM chosen c
LEFT JOIN queued q ON q.id = c.id
LEFT JOIN ${one.queue} r ON r.id = c.id
ORDER BY c.place`
