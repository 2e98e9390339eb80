/** Deliveries by words of their address and subject: of sent ones as they were sent, of others as the list shows them. */
import { allOf, bigint, int, type Sql, sql, table, text } from '../database/sql.ts'
import { joinNotification } from './delivery.ts'

const query = (words: string): Sql => sql`docket.word_query(${text(words)})`

/** Joins a delivery `d` with its mailing `m`, which conditions are on. */
const joined = sql`
  JOIN docket.delivery d ON d.id = s.delivery_id
  JOIN docket.mailing m ON m.id = d.mailing_id`

export type Sought = {
  readonly words: string
  readonly conditions: readonly Sql[]
}

/** Those that are not sent yet: the address and the subject that the list shows. */
const waiting = (columns: Sql, { words, conditions }: Sought): Sql => sql`
  SELECT ${columns}
  FROM docket.delivery d
  JOIN docket.mailing m ON m.id = d.mailing_id
  LEFT JOIN ${table('user')} u ON u.id = d.user_id${joinNotification}
  WHERE d.status <> 'sent' AND ${allOf([
    sql`docket.word_vector(concat_ws(' ', coalesce(d.target, u.email), n.content->>'title')) @@ ${query(words)}`,
    ...conditions,
  ])}`

/** Columns of all deliveries with these words that meet the conditions. */
export const allFound = (columns: Sql, sought: Sought): Sql => sql`
WITH hit AS MATERIALIZED (
  SELECT s.delivery_id
  FROM docket.sent_message s
  WHERE s.words @@ ${query(sought.words)}
)
SELECT ${columns}
FROM hit s${joined}
WHERE ${allOf(sought.conditions)}
UNION ALL (${waiting(columns, sought)})`

// Among so many messages a frequent word is found often enough.
const probed = 10_000

/**
 * Ids of the newest of them, at least so many if there are. The index gives the messages of a rare word, but in no order,
 * so those of a frequent word would all have to be sorted: they are found among the newest messages instead.
 */
export const newestFound = (sought: Sought, most: number): Sql => sql`
WITH recent AS MATERIALIZED (
  SELECT d.id
  FROM (
    SELECT delivery_id, words
    FROM docket.sent_message
    ORDER BY delivery_id DESC
    LIMIT ${int(probed)}
  ) s${joined}
  WHERE s.words @@ ${query(sought.words)} AND ${allOf(sought.conditions)}
), hit AS MATERIALIZED (
  SELECT s.delivery_id
  FROM docket.sent_message s
  WHERE s.words @@ ${query(sought.words)} AND (SELECT count(*) FROM recent) < ${bigint(most)}
)
SELECT id
FROM recent
UNION
SELECT d.id
FROM hit s${joined}
WHERE ${allOf(sought.conditions)}
UNION ALL (${waiting(sql`d.id`, sought)})`
