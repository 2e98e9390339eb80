/**
 * The records that a task links to: the caller must be able to read them, and they are locked until the commit.
 * A change replaces all links of a task.
 */
import { type Connection, execute, type Queryable, queryRows } from '../database/pool.ts'
import { int, ints, notDeleted, type Sql, sql, table, texts } from '../database/sql.ts'
import { shorten } from '../issues.ts'
import { compileScope } from '../query/compile-scope.ts'
import type { Changes } from '../records/history.ts'
import { type FieldIssue, refused } from '../records/write/check-values.ts'
import type { RelatedRecord } from './task-body.ts'
import type { TaskContext } from './task-deps.ts'

type Group = {
  readonly records: readonly RelatedRecord[]
  /** Selects the ids that the caller may read; undefined where the caller may not read the entity. */
  readonly select: Sql | undefined
}

// The largest integer of PostgreSQL; no record has a larger id.
const largestId = 2_147_483_647

/** The records by entity, each group with the select that finds them. */
export const groupRelated = (
  { deps, caller }: TaskContext,
  related: readonly RelatedRecord[],
): readonly Group[] => {
  const access = deps.permissions.accessOf(caller)
  return [...Map.groupBy(related, ({ key }) => key)].map(([key, records]) => {
    const entity = deps.catalog.entities.get(key)
    const scope = entity ? access.readScope(entity) : 'none'
    if (!entity || scope === 'none') return { records, select: undefined }
    const ids = records.map(({ id }) => id).filter((id) => id <= largestId)
    return {
      records,
      select: sql`
        SELECT r.id
        FROM ${table(entity)} r
        WHERE r.id = ANY (${ints(ids)})
          AND ${notDeleted('r')}
          AND ${compileScope(scope, entity.hasOwner, 'r')}`,
    }
  })
}

/** Appended to a group's select: locks the records, so that none is removed before the commit. */
export const lockRelated: Sql = sql` ORDER BY r.id FOR SHARE`

/** Locks the records, and returns an issue for each that the caller may not read. */
export const findMissing = async (
  database: Queryable,
  context: TaskContext,
  related: readonly RelatedRecord[],
): Promise<FieldIssue[]> => {
  const issues: FieldIssue[] = []
  for (const { records, select } of groupRelated(context, related)) {
    const rows = select
      ? await queryRows<{ id: number }>(database, sql`${select}${lockRelated}`)
      : []
    const there = new Set(rows.map((row) => row.id))
    for (const { at, key, id } of records)
      if (!there.has(id)) {
        const name = select ? `${key} ${id}` : `entity "${shorten(key, 63)}"`
        issues.push(refused(at, `there is no ${name} that you may read`))
      }
  }
  // In the order of the body, whatever the order of the locks.
  const places = related.map(({ at }) => at)
  return issues.sort((a, b) => places.indexOf(a.path) - places.indexOf(b.path))
}

/** Whether PostgreSQL can store such a link; otherwise no such record exists. */
const isPossible = ({ key, id }: RelatedRecord): boolean => id <= largestId && !key.includes('\0')

/** Rows `l (key, entity_id)` of the records that can exist. */
export const relatedRows = (all: readonly RelatedRecord[]): Sql => {
  const related = all.filter(isPossible)
  const keys = texts(related.map(({ key }) => key))
  const ids = ints(related.map(({ id }) => id))
  return sql`unnest(${keys}, ${ids}) AS l (key, entity_id)`
}

/** Locks the record of the path and then the task, so that no other request changes its links. */
export const lockTask = async (
  connection: Connection,
  context: TaskContext,
  { id, taskId }: { readonly id: number; readonly taskId: number },
): Promise<void> => {
  const record = sql`SELECT FROM ${table(context.entity)} r WHERE r.id = ${int(id)} FOR SHARE`
  await execute(connection, record)
  const task = sql`SELECT FROM ${table('task')} t WHERE t.id = ${int(taskId)} FOR NO KEY UPDATE`
  await execute(connection, task)
}

type Link = { readonly key: string; readonly entity_id: number }

/** Replaces the links by those of the body. Returns the change if they differ. */
export const replaceLinks = async (
  connection: Connection,
  taskId: number,
  related: readonly RelatedRecord[],
): Promise<Changes | undefined> => {
  const id = int(taskId)
  const select = sql`
    SELECT l.key, l.entity_id
    FROM docket.task_link l
    WHERE l.task_id = ${id}
    ORDER BY l.key, l.entity_id`
  const before = await queryRows<Link>(connection, select)
  const remove = sql`
    DELETE FROM docket.task_link k
    WHERE k.task_id = ${id}
      AND NOT EXISTS (
        SELECT FROM ${relatedRows(related)} WHERE l.key = k.key AND l.entity_id = k.entity_id
      )`
  await execute(connection, remove)
  const add = sql`
    INSERT INTO docket.task_link (task_id, key, entity_id)
    SELECT ${id}, l.key, l.entity_id
    FROM ${relatedRows(related)}
    ON CONFLICT DO NOTHING`
  await execute(connection, add)
  const after = await queryRows<Link>(connection, select)
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  return isSame ? undefined : { related_entities: { before, after } }
}
