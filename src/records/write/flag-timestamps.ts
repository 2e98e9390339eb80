/** Sets the fields that contain the time since another field is true. */

import { type Connection, queryRow } from '../../database/pool.ts'
import { int, ref, sql, table } from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import { nativeEntity } from '../../definitions/native-entities.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'

/**
 * The values of a change, with the time of each flag that it changes. A time that the caller sets takes
 * precedence. The record must be locked.
 */
export const withFlagTimestamps = async (
  connection: Connection,
  entity: Entity,
  id: number,
  values: ReadonlyMap<Column, SqlValue>,
): Promise<ReadonlyMap<Column, SqlValue>> => {
  const { columnsByName } = entity
  const all = new Map(values)
  for (const moment of nativeEntity(entity).moments ?? []) {
    const [flag, since] = [columnsByName.get(moment.flag), columnsByName.get(moment.since)]
    if (!flag || !since || !values.has(flag) || values.has(since)) continue
    const select = sql`SELECT t.${ref(flag.name)} AS flag FROM ${table(entity)} t
      WHERE t.id = ${int(id)}`
    const row = await queryRow<{ flag: boolean }>(connection, select)
    const isTrue = values.get(flag) === true
    if (row?.flag !== isTrue) all.set(since, isTrue ? new Date().toISOString() : null)
  }
  return all
}
