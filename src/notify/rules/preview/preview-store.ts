/** What a preview of recipients reads: the records of an operation, links of a new record, and names. */
import { type Queryable, queryRow, queryRows } from '../../../database/pool.ts'
import {
  bigint,
  bound,
  int,
  ints,
  join,
  raw,
  ref,
  type Sql,
  sql,
  table,
} from '../../../database/sql.ts'
import type { Column, Entity } from '../../../definitions/catalog.ts'
import type { RecordScope } from '../../../query/access.ts'
import { compileScope } from '../../../query/compile-select.ts'
import type { ReferenceCheck } from '../../../records/write/write-context.ts'
import { recalculated, type Values } from '../../../records/write/write-record.ts'

/** The values without links to records that are not there for the caller, as a create would refuse them. */
export const withoutLostLinks = async (
  database: Queryable,
  references: ReferenceCheck,
  values: Values,
): Promise<Values> => {
  const checks = [...values].flatMap(([column, value]): [Column, Sql][] => {
    const exists = references(column, value)?.exists
    return exists ? [[column, exists]] : []
  })
  if (checks.length === 0) return values
  const list = checks.map(([{ name }, exists]) => sql`${exists} AS ${ref(name)}`)
  const found = await queryRow<Record<string, boolean>>(database, sql`SELECT ${join(list, ', ')}`)
  const lost = checks.filter(([{ name }]) => found?.[name] !== true)
  return new Map([...values, ...lost.map(([column]) => [column, null] as const)])
}

/** A record as an action would leave it: what the service itself sets, by column. */
export type ActedRecord = {
  readonly id: number
  readonly values: Readonly<Record<string, unknown>>
}

/** The rows of records as actions would leave them, as a row source: nothing is written. */
export const rowsAfter = (entity: Entity, records: readonly ActedRecord[]): Sql => {
  const { joins, alias } = recalculated(entity, 'changed')
  return sql`(
  SELECT ${raw(alias)}.*
  FROM ${table(entity)} current
  JOIN unnest(
    ${ints(records.map(({ id }) => id))},
    ${bound(
      records.map(({ values }) => JSON.stringify(values)),
      'jsonb[]',
    )}
  ) AS given (id, vals) ON given.id = current.id
  CROSS JOIN LATERAL jsonb_populate_record(current, given.vals) AS changed
  ${joins}
)`
}

type Naming = {
  readonly callerId: number
  readonly scope: RecordScope
  readonly limit: number
}

/** Those of the users whom the caller may read, by name; the caller comes first. */
export const namePeople = (
  database: Queryable,
  ids: readonly number[],
  { callerId, scope, limit }: Naming,
): Promise<{ readonly id: number; readonly full_name: string | null }[]> =>
  queryRows(
    database,
    sql`
SELECT u.id, u.full_name
FROM ${table('user')} u
WHERE u.id = ANY (${bound(ids, 'integer[]')})
  AND (u.id = ${int(callerId)} OR ${compileScope(scope, false, 'u')})
ORDER BY u.id <> ${int(callerId)}, u.full_name, u.id
LIMIT ${bigint(limit)}`,
  )
