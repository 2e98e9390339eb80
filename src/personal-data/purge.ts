/** Removes a record for good: its row, its parts, its history and what was sent about it. Ids of it are left in the audit alone. */
import { recordAudit } from '../audit/record-audit.ts'
import { type Connection, execute, type Queryable, queryRow, queryValue } from '../database/pool.ts'
import { allOf, int, ref, type Sql, sql, table, text } from '../database/sql.ts'
import { partOf, transaction } from '../database/transaction.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { recordParts } from '../definitions/native-entities.ts'
import { apiError, validationError } from '../errors.ts'
import type { Issue } from '../issues.ts'
import { compileScope } from '../query/compile-scope.ts'
import type { Purge } from '../records/record-request.ts'
import { removeRecord, type WithRecord } from '../records/write/change-record.ts'
import { requireCondition } from '../records/write/conditions.ts'
import { lockRecordOrRemoved } from '../records/write/lock-record.ts'
import { requireUnlocked } from '../records/write/locks.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import { needsOfRemoval } from '../records/write/write-needs.ts'
import { enqueueForget } from './forget-job.ts'
import {
  emptyAnswers,
  removeFiles,
  removeFilesOfParts,
  removeJobs,
  removeMailings,
  type TracedRecord,
} from './record-traces.ts'
import { findPersonalTexts, placeholderText, searchedOf } from './searched-texts.ts'

/** Creates the removal for good; what removes the parts of a record is given. */
export const createPurge =
  (onRemoved: WithRecord): Purge =>
  (pool, { context, purgeable }, target) =>
    transaction(pool, async (connection) => {
      const { entity } = context
      const { id } = target
      const needs = needsOfRemoval(context)
      const locked = await lockRecordOrRemoved(connection, context, target, needs)
      const inScope = compileScope(purgeable, entity.hasOwner, 't')
      // FOR UPDATE: nobody links to it any more until the end.
      const select = sql`
        SELECT ${inScope} AS is_meant
        FROM ${table(entity)} t
        WHERE t.id = ${int(id)}
        FOR UPDATE`
      if (!(await queryValue<boolean>(connection, select)))
        throw apiError(
          'caller.forbidden',
          `The permission "purge" does not include ${entity.key} ${id}.`,
        )
      if (locked.isRemoved) {
        await requireCondition(connection, context, 'delete', id)
        await requireUnlocked(connection, context, { ...locked, fields: 'whole' })
      } else await removeRecord(partOf(connection), context, target, onRemoved)
      await refuseLinked(connection, context, id)
      await removeForGood(connection, { catalog: context.catalog, entity, id })
      await recordAudit(connection, {
        kind: 'purge',
        by: context.author,
        entityKey: entity.key,
        entityId: id,
      })
    })

/** Removes a record that nothing links to, in a transaction that has locked it. */
export const removeForGood = async (
  connection: Connection,
  record: TracedRecord,
): Promise<void> => {
  const { entity, id } = record
  const found = await findPersonalTexts(connection, entity, id)
  const searched = await searchedOf(connection, entity, id, found)
  await removeMailings(connection, record)
  await removeJobs(connection, record)
  await emptyAnswers(connection, record)
  await removeFiles(connection, record)
  await removeFilesOfParts(connection, record)
  await removeParts(connection, record)
  await execute(
    connection,
    sql`DELETE FROM docket.history WHERE entity_key = ${text(entity.key)} AND entity_id = ${int(id)}`,
  )
  await execute(
    connection,
    sql`
      DELETE FROM docket.date_notice n USING docket.date_schedule s
      WHERE s.id = n.schedule_id AND s.entity_key = ${text(entity.key)} AND n.record_id = ${int(id)}`,
  )
  await execute(connection, sql`DELETE FROM ${table(entity)} WHERE id = ${int(id)}`)
  const about = { entityKey: entity.key, entityId: id, placeholder: placeholderText(id) }
  await enqueueForget(connection, { ...about, isUser: false, isPurged: true, searched })
}

/** Its parts are removed already, and remembered to be restored with it. */
const removeParts = async (database: Queryable, { entity, id }: TracedRecord): Promise<void> => {
  const ofRecord = sql`key = ${text(entity.key)} AND entity_id = ${int(id)}`
  const idsOf = (part: string) => sql`SELECT t.id FROM ${table(part)} t WHERE ${ofRecord}`
  const parts = [...recordParts.keys()]
  for (const statement of [
    sql`DELETE FROM docket.task_link WHERE task_id IN (${idsOf('task')}) OR (${ofRecord})`,
    sql`DELETE FROM docket.task_notice WHERE task_id IN (${idsOf('task')})`,
    ...parts.map(
      (part) => sql`
        DELETE FROM docket.removed_with_record
        WHERE part_key = ${text(part)} AND part_id IN (${idsOf(part)})`,
    ),
    sql`
      DELETE FROM docket.removed_with_record
      WHERE entity_key = ${text(entity.key)} AND entity_id = ${int(id)}`,
    ...parts.map((part) => sql`DELETE FROM ${table(part)} t WHERE ${ofRecord}`),
    sql`
      DELETE FROM docket.follower
      WHERE entity_key = ${text(entity.key)} AND entity_id = ${int(id)}`,
  ])
    await execute(database, statement)
}

const named = 10

type Linked = { readonly rows: number; readonly seen: number; readonly ids: readonly number[] }

/** Throws with each link of other records to it, also of removed ones, as far as the caller may read it. */
const refuseLinked = async (
  connection: Connection,
  { catalog, access, ...context }: WriteContext,
  id: number,
): Promise<void> => {
  const issues: Issue[] = []
  let unseen = 0
  for (const entity of catalog.entities.values())
    for (const column of entity.associations.values()) {
      if (column.target !== context.entity.key) continue
      const isSeen = access.maySee(entity, column)
        ? compileScope(access.readScope(entity), entity.hasOwner, 't')
        : sql`false`
      const isOther = entity.key === context.entity.key ? sql`t.id <> ${int(id)}` : sql`true`
      const links = allOf([sql`${ref(column.name, 't')} = ${int(id)}`, isOther])
      const { rows, seen, ids } = await findLinked(connection, entity, links, isSeen)
      unseen += rows - seen
      if (seen > 0) issues.push(issueOf(entity, column, seen, ids))
    }
  if (unseen > 0) issues.push({ path: '', message: 'records that you may not read link to it' })
  if (issues.length > 0) throw validationError('record.linked', issues)
}

const findLinked = async (
  database: Queryable,
  entity: Entity,
  links: Sql,
  isSeen: Sql,
): Promise<Linked> => {
  const select = sql`
    SELECT count(*) AS rows, count(*) FILTER (WHERE ${isSeen}) AS seen,
      (array_agg(t.id ORDER BY t.id) FILTER (WHERE ${isSeen}))[:${int(named)}] AS ids
    FROM ${table(entity)} t
    WHERE ${links}`
  const found = await queryRow<Linked>(database, select)
  return found ?? { rows: 0, seen: 0, ids: [] }
}

const issueOf = (
  entity: Entity,
  { field }: Column,
  seen: number,
  ids: readonly number[],
): Issue => {
  const more = seen > ids.length ? ' and others' : ''
  const what = seen === 1 ? 'one record links' : `${seen} records link`
  return { path: `${entity.key}.${field.key}`, message: `${what} to it: ${ids.join(', ')}${more}` }
}
