/** Renames keys of entities and fields where they are stored outside of the tables of records. */
import { nothing, raw, type Sql, sql, tableName, text, texts } from '../../database/sql.ts'
import { isPartOfRecord, nativeEntitiesWith } from '../../definitions/native-entities.ts'
import { type Change, during, printSql, safe } from '../diff/change.ts'
import type { Schema } from '../diff/schema.ts'
import type { Rename } from './sync-history.ts'

type KeyPlace = {
  readonly table: string
  readonly column: string
  /** Columns that form a unique index with the key. */
  readonly unique?: readonly string[]
}

/** Every column of Docket's own tables that holds the key of an entity. */
export const keyPlaces: readonly KeyPlace[] = [
  { table: 'docket.history', column: 'entity_key' },
  { table: 'docket.task_link', column: 'key', unique: ['task_id', 'entity_id'] },
  {
    table: 'docket.removed_with_record',
    column: 'entity_key',
    unique: ['entity_id', 'part_key', 'part_id', 'is_link'],
  },
  { table: 'docket.follower', column: 'entity_key', unique: ['entity_id', 'user_id'] },
  { table: 'docket.notification', column: 'entity_key' },
  { table: 'docket.mailing', column: 'entity_key' },
  {
    table: 'docket.delivery_choice',
    column: 'entity_key',
    unique: ['user_id', 'operation', 'channel'],
  },
  { table: 'docket.export_run', column: 'entity_key' },
  { table: 'docket.import_run', column: 'entity_key' },
  { table: 'docket.import_record', column: 'entity_key', unique: ['import_id', 'entity_id'] },
  { table: 'docket.audit', column: 'entity_key' },
  {
    table: 'docket.series',
    column: 'entity_key',
    unique: ['column_name', 'prefix', 'suffix'],
  },
  {
    table: 'docket.date_schedule',
    column: 'entity_key',
    unique: ['column_name', 'shift', 'at'],
  },
  { table: 'docket.rename', column: 'entity_key' },
  { table: 'docket.file', column: 'entity_key' },
  { table: 'docket.compared_rule', column: 'entity_key', unique: ['column_name', 'digest'] },
]

const jobs = sql`docket.job`

/**
 * Statements that rename an entity key in history, tasks, notifications, e-mails and jobs; safe to run
 * again.
 */
export const followEntity = ({ earlier, later }: Rename, current: Schema): Change[] => {
  const places: KeyPlace[] = [
    ...keyPlaces,
    ...nativeEntitiesWith('entityKeyColumn')
      .filter(({ key }) => current.has(key))
      .map(({ key, value }) => ({ table: tableName(key), column: value })),
  ]
  const reason = `data about ${earlier} is about ${later} now`
  return [
    ...places.map(
      (place) =>
        sql`
          UPDATE ${raw(place.table)} t
          SET ${raw(place.column)} = ${text(later)}
          WHERE t.${raw(place.column)} = ${text(earlier)}${unlessThere(place, later)}`,
    ),
    sql`
      UPDATE ${jobs}
      SET payload = jsonb_set(payload::jsonb, '{entity_key}', to_jsonb(${text(later)}))::json
      WHERE payload->>'entity_key' = ${text(earlier)}`,
  ].map((statement) => move(statement, reason))
}

const unlessThere = ({ table, column, unique }: KeyPlace, later: string): Sql => {
  if (!unique) return nothing
  const same = unique.map((name) => `o.${name} = t.${name}`).join(' AND ')
  return sql` AND NOT EXISTS (
    SELECT FROM ${raw(table)} o
    WHERE o.${raw(column)} = ${text(later)} AND ${raw(same)}
  )`
}

/** Statements that rename a field in history and jobs; safe to run again. */
export const followField = ({ entityKey, earlier, later }: Rename): Change[] => {
  const isOfRecord = isPartOfRecord({ key: entityKey })
    ? sql`part_key = ${text(entityKey)} AND part_id IS NOT NULL`
    : sql`entity_key = ${text(entityKey)} AND part_id IS NULL`
  const renamed = (changes: Sql) =>
    sql`(
      SELECT json_object_agg(CASE key WHEN ${text(earlier)} THEN ${text(later)} ELSE key END, value)
      FROM json_each(${changes})
    )`
  return [
    move(
      sql`
        UPDATE docket.history
        SET changes = ${renamed(sql`changes`)}
        WHERE ${isOfRecord} AND changes->${text(earlier)} IS NOT NULL`,
      `the history of ${entityKey} uses ${later} instead of ${earlier}`,
    ),
    move(
      sql`
        UPDATE ${jobs}
        SET payload = jsonb_set(
          payload::jsonb, '{changes}', ${renamed(sql`payload->'changes'`)}::jsonb
        )::json
        WHERE payload->>'entity_key' = ${text(entityKey)}
          AND payload->'changes'->${text(earlier)} IS NOT NULL`,
      `jobs of ${entityKey} use ${later} instead of ${earlier}`,
    ),
    followIn(['due', 'column'], entityKey, earlier, later),
    ...[
      { table: 'docket.rename', column: 'column_name' },
      { table: 'docket.file', column: 'column_name' },
      {
        table: 'docket.series',
        column: 'column_name',
        unique: ['entity_key', 'prefix', 'suffix'],
      },
      {
        table: 'docket.date_schedule',
        column: 'column_name',
        unique: ['entity_key', 'shift', 'at'],
      },
      { table: 'docket.compared_rule', column: 'column_name', unique: ['entity_key', 'digest'] },
    ].map((place) =>
      move(
        sql`
          UPDATE ${raw(place.table)} t
          SET column_name = ${text(later)}
          WHERE t.entity_key = ${text(entityKey)}
            AND t.column_name = ${text(earlier)}${unlessThere(place, later)}`,
        `stored facts about ${entityKey}.${earlier} are about ${later}`,
      ),
    ),
  ]
}

/** Statements that replace earlier words or steps in records. */
export const moveValues = (
  { table, column, reason }: { table: string; column: Sql; reason: string },
  earlier: string,
  later: string,
): Change =>
  move(
    sql`
      UPDATE ${raw(table)}
      SET ${column} = ${text(later)}, _version = _version + 1
      WHERE ${column} = ${text(earlier)}`,
    reason,
  )

type FollowedWord = {
  readonly entityKey: string
  readonly column: string
  readonly earlier: string
  readonly later: string
}

/** Statements that rename words and steps in changes of pending jobs; safe to run again. */
export const followWord = ({ entityKey, column, earlier, later }: FollowedWord): Change[] =>
  ['before', 'after'].map((side) => followIn(['changes', column, side], entityKey, earlier, later))

/** The same for actions in pending jobs. */
export const followStep = ({ entityKey, earlier, later }: FollowedWord): Change[] =>
  ['from', 'to'].map((end) => followIn(['action', end], entityKey, earlier, later))

const followIn = (
  path: readonly string[],
  entityKey: string,
  earlier: string,
  later: string,
): Change => {
  const place = texts(path)
  return move(
    sql`
      UPDATE ${jobs}
      SET payload = jsonb_set(payload::jsonb, ${place}, to_jsonb(${text(later)}))::json
      WHERE payload->>'entity_key' = ${text(entityKey)} AND payload#>>${place} = ${text(earlier)}`,
    `jobs of ${entityKey} use ${later} instead of ${earlier}`,
  )
}

const move = (statement: Sql, reason: string): Change =>
  during('between', safe(printSql(statement), reason))
