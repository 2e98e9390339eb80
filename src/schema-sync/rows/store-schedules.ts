/**
 * Stores when dates are due, as the rules of notifications say it now: a new schedule begins now, so that nothing is told of what was
 * due before, and what no rule says any more is forgotten.
 */
import { execute, type Queryable } from '../../database/pool.ts'
import { sql, texts } from '../../database/sql.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { schedulesOf } from '../../definitions/date-rules.ts'

export const storeSchedules = async (database: Queryable, catalog: Catalog): Promise<void> => {
  const schedules = schedulesOf(catalog)
  const rows = sql`unnest(
    ${texts(schedules.map(({ entity }) => entity.key))},
    ${texts(schedules.map(({ column }) => column))},
    ${texts(schedules.map(({ shift }) => shift))},
    ${texts(schedules.map(({ at }) => at))}
  ) AS w (entity_key, column_name, shift, at)`
  await execute(
    database,
    sql`
DELETE FROM docket.date_schedule s
WHERE (s.entity_key, s.column_name, s.shift, s.at) NOT IN (
  SELECT w.entity_key, w.column_name, w.shift, w.at FROM ${rows}
)`,
  )
  await execute(
    database,
    sql`
INSERT INTO docket.date_schedule (entity_key, column_name, shift, at)
SELECT w.entity_key, w.column_name, w.shift, w.at FROM ${rows}
ON CONFLICT DO NOTHING`,
  )
}
