/** The recipients of outgoing events as rows, for the statements that queue deliveries. */
import { smallBatch } from '../../database/batcher.ts'
import { type Queryable, queryOnce, queryRows } from '../../database/pool.ts'
import { bound, json, type Sql, sql } from '../../database/sql.ts'
import type { OutgoingEvent } from '../channel.ts'

/**
 * SQL for FROM: `m`, the mailing of an event, which cannot be released before the commit, since a release does not see the
 * deliveries until then; `e.target`, whom the channel sends it to, or null; and a row `r`
 * for each recipient, with `ord`, the place of the event in the list, `user_id` and `notification_id`.
 */
export const outgoingRecipients = (
  events: readonly OutgoingEvent[],
  targetOf: (rule: OutgoingEvent['rule']) => string | undefined = () => undefined,
): Sql => {
  const rows = events.map(({ event: { id, rule: entry }, rule }, ord) => ({
    ord,
    event: id,
    entry,
    target: targetOf(rule),
  }))
  const ords = events.flatMap(({ userIds }, ord) => userIds.map(() => ord))
  const userIds = events.flatMap((one) => one.userIds)
  const notificationIds = events.flatMap((one) => one.notificationIds)
  return sql`json_to_recordset(${json(rows)}) AS e(ord integer, event text, entry text, target text)
CROSS JOIN LATERAL (
  SELECT *
  FROM docket.mailing
  WHERE event = e.event AND entry = e.entry
  FOR SHARE
) m
JOIN unnest(
  ${bound(ords, 'integer[]')}, ${bound(userIds, 'integer[]')}, ${bound(notificationIds, 'uuid[]')}
) AS r(ord, user_id, notification_id) ON r.ord = e.ord`
}

/** Runs such a statement: a plan made for ten recipients is no plan for ten thousand. */
export const queryForRecipients = <Row extends object>(
  connection: Queryable,
  events: readonly OutgoingEvent[],
  statement: Sql,
): Promise<Row[]> => {
  const count = events.reduce((sum, { userIds }) => sum + userIds.length, 0)
  return (count > smallBatch ? queryOnce<Row> : queryRows<Row>)(connection, statement)
}
