/**
 * Removes the parts of removed records, and the links of tasks to these records. All of them are remembered, and restored
 * with the records.
 */
import type { RecordAuthor } from '../auth/caller.ts'
import { execute, type Queryable } from '../database/pool.ts'
import { ints, join, notDeleted, ref, type Sql, sql, table, text } from '../database/sql.ts'
import { recordParts } from '../definitions/native-entities.ts'
import { insertHistory } from '../records/history.ts'
import { auditUpdate } from '../records/write/write-statements.ts'
import { insertDueNotifications, notifyAllDue } from './task-messages.ts'

type RecordsOf = {
  readonly entityKey: string
  readonly ids: readonly number[]
  readonly author: RecordAuthor
}

/** Runs in the transaction that removes the records, which are locked. */
export const removePartsOf = async (
  connection: Queryable,
  { entityKey, ids, author }: RecordsOf,
): Promise<void> => {
  const [key, records] = [text(entityKey), ints(ids)]
  const steps = eachPart(
    'remove',
    author,
    (part) => sql`
      UPDATE ${table(part)} t
      SET _is_deleted = true, ${auditUpdate(author.userId, 't')}
      WHERE key = ${key} AND entity_id = ANY (${records}) AND ${notDeleted('t')}
      RETURNING id, key, entity_id`,
  )
  const removed = [...recordParts.keys()].map(
    (part) => sql`
    SELECT ${key}, entity_id, ${text(part)}, id, false FROM ${written(part)}
    UNION ALL`,
  )
  const statement = sql`
    WITH ${join(steps, ', ')},
    unlinked AS (
      DELETE FROM docket.task_link
      WHERE key = ${key} AND entity_id = ANY (${records})
      RETURNING task_id, entity_id
    )
    INSERT INTO docket.removed_with_record (entity_key, entity_id, part_key, part_id, is_link)
    ${join(removed, '')}
    SELECT ${key}, entity_id, 'task', task_id, true FROM unlinked`
  await execute(connection, statement)
}

/** Runs in the transaction that restores the records, which are locked. */
export const restorePartsOf = async (
  connection: Queryable,
  { entityKey, ids, author }: RecordsOf,
): Promise<void> => {
  const [key, records] = [text(entityKey), ints(ids)]
  const steps = eachPart(
    'restore',
    author,
    (part) => sql`
      UPDATE ${table(part)} t
      SET _is_deleted = false, ${auditUpdate(author.userId, 't')}
      FROM gone g
      WHERE NOT g.is_link AND g.part_key = ${text(part)} AND t.id = g.part_id AND t._is_deleted
      RETURNING t.*`,
  )
  const statement = sql`
    WITH gone AS (
      DELETE FROM docket.removed_with_record
      WHERE entity_key = ${key} AND entity_id = ANY (${records})
      RETURNING entity_id, part_key, part_id, is_link
    ),
    ${join(steps, ', ')},
    linked AS (
      INSERT INTO docket.task_link (task_id, key, entity_id)
      SELECT part_id, ${key}, entity_id FROM gone WHERE is_link
      ON CONFLICT DO NOTHING
    ),
    due AS (${insertDueNotifications(written('task'))})
    SELECT ${notifyAllDue()}`
  await execute(connection, statement)
}

/** The CTE with the rows of a part that were written. */
const written = (part: string): Sql => ref(`written_${part}`)

/** For each part, the CTEs that write its rows and their history. */
const eachPart = (
  operation: 'remove' | 'restore',
  author: RecordAuthor,
  write: (part: string) => Sql,
): readonly Sql[] => {
  const isRemoval = operation === 'remove'
  const changes = { _is_deleted: { before: !isRemoval, after: isRemoval } }
  return [...recordParts].flatMap(([part, { word }]) => {
    const entry = { entity: { key: part }, operation: `${operation}${word}`, changes, author }
    const history = insertHistory(entry, sql`${written(part)} c`)
    return [
      sql`${written(part)} AS (${write(part)})`,
      sql`${ref(`history_${part}`)} AS (${history})`,
    ]
  })
}
