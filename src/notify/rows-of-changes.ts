/** What events are known by, and the rows of records as changes found or left them: of other fields they have what the table has now. */
import { bound, ints, type Sql, sql, table } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { isSameSchedule, scheduleOf } from '../definitions/date-rules.ts'
import type { KnownEvent } from '../definitions/notification-rules.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'

/** A row source with one row for each message; there is only one message for a record. */
export const rowsOfChanges = (
  entity: Entity,
  messages: readonly ChangeMessage[],
  side: 'before' | 'after',
): Sql => {
  const values = messages.map(({ changes = {} }) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(changes).flatMap(([name, change]) =>
          // A field that is not there any more has no column.
          entity.columnsByName.has(name) ? [[name, change[side] ?? null]] : [],
        ),
      ),
    ),
  )
  return sql`(
  SELECT changed.*
  FROM ${table(entity)} stored
  JOIN unnest(${ints(messages.map(({ entity_id: id }) => id))}, ${bound(values, 'jsonb[]')}) AS given (id, vals)
    ON given.id = stored.id
  CROSS JOIN LATERAL jsonb_populate_record(stored, given.vals) AS changed
)`
}

/** Does something for messages in rounds with at most one of each record: only then are rows of their changes rows of records. */
export const inRounds = async <Result>(
  messages: readonly ChangeMessage[],
  apply: (round: readonly ChangeMessage[]) => Promise<readonly Result[]>,
): Promise<Result[]> => {
  const results: Result[] = []
  let left = [...messages.entries()]
  while (left.length > 0) {
    const round = new Map(left.toReversed().map((one) => [one[1].entity_id, one]))
    const taken = left.filter((one) => round.get(one[1].entity_id) === one)
    const found = await apply(taken.map(([, message]) => message))
    for (const [place, [at]] of taken.entries()) results[at] = found[place] as Result
    left = left.filter((one) => round.get(one[1].entity_id) !== one)
  }
  return results
}

/** What is known of an event, by which rules apply to it. */
export const knownOf = (entity: Entity, { changes, due }: ChangeMessage): KnownEvent => ({
  changed: changes && keysOf(entity, Object.keys(changes)),
  isDue: due && ((rule) => isSameSchedule(scheduleOf(entity, rule), due)),
})

/** The keys of the fields of columns. */
export const keysOf = (entity: Entity, columns: readonly string[]): readonly string[] =>
  columns.map((name) => entity.columnsByName.get(name)?.field.key ?? name)
