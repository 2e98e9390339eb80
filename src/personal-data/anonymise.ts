/**
 * Anonymises a record: personal values are replaced, in the record and in its history, messages and jobs; ids, links and amounts stay.
 * All of it is one transaction; texts elsewhere follow by a job (forget-job.ts).
 */
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { type Connection, type Pool, type Queryable, queryRow } from '../database/pool.ts'
import { int, sql, table } from '../database/sql.ts'
import { writerOn } from '../database/transaction.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { fileColumns } from '../definitions/files.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { isPersonal, personalColumns, placeholdersOf } from '../definitions/values/placeholders.ts'
import { apiError } from '../errors.ts'
import type { RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { unknownRecord } from '../records/read-records.ts'
import { createWriteContext, type RecordDeps } from '../records/record-request.ts'
import { updateRecord } from '../records/write/change-record.ts'
import { lockRecordOrRemoved, type Target } from '../records/write/lock-record.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import type { WriteNeeds } from '../records/write/write-needs.ts'
import { catchConflicts, withConflicts } from '../records/write/write-rejected.ts'
import { countMailings, enqueueForget } from './forget-job.ts'
import {
  countTraces,
  emptyAnswers,
  emptyHistory,
  emptyJobs,
  removeFiles,
  removeFilesOfParts,
  removeMailings,
} from './record-traces.ts'
import { findPersonalTexts, placeholderText, searchedOf } from './searched-texts.ts'
import { countStoredTexts, type Forgotten } from './stored-texts.ts'
import { countUserRows, emptyAudit, removeRefusedSignIns, removeUserRows } from './user-tables.ts'

type Counts = readonly { readonly table: string; readonly rows: number }[]

/** What is anonymised, or would be. */
export type AnonymisePlan = {
  /** Keys of the personal fields. */
  readonly fields: readonly string[]
  /** By table, how many rows are about the record, and of a user how many are theirs. */
  readonly rows: Counts
  /** By table, how many others name the person; empty unless it is a plan. */
  readonly elsewhere: Counts
}

/** Of a caller who may anonymise, with the removed records that they know: those which they may restore. */
export type AnonymiseContext = WriteContext & { readonly removable: RecordScope }

/** The context of a caller; throws if their roles do not grant it. */
export const anonymiseContext = (
  deps: Pick<RecordDeps, 'catalog' | 'permissions' | 'timeZone'>,
  caller: Caller,
  entity: Entity,
): AnonymiseContext => {
  const scope = deps.permissions.permit(caller, 'anonymise', entity)
  const removable = deps.permissions.scopeOf(caller, 'delete', entity)
  return { ...createWriteContext(deps, { caller, entity, scope }), removable }
}

/** Why the records of an entity cannot be anonymised; undefined: they can. */
export const whyNotAnonymised = (entity: Entity) =>
  personalColumns(entity).length === 0
    ? apiError(
        'request.no-such-path',
        `No field of ${entity.key} is personal ("personal": true in its definition).`,
      )
    : undefined

const isUserEntity = ({ entity }: WriteContext): boolean =>
  nativeEntity(entity).leaves !== undefined

/** Anonymises the record; throws as a change does. */
export const anonymiseRecord = (
  pool: Pool,
  context: AnonymiseContext,
  target: Target,
): Promise<AnonymisePlan> =>
  withConflicts({ database: pool, context, id: target.id }, () =>
    writerOn(pool).transact(async (connection) => {
      await lockPerson(connection, context, target)
      const counts = await countTraces(connection, { ...context, id: target.id })
      await replaceValues(connection, context, target.id)
      await recordAudit(connection, {
        kind: 'anonymise',
        by: context.author,
        ...(isUserEntity(context) && { aboutUserId: target.id }),
        entityKey: context.entity.key,
        entityId: target.id,
      })
      return { fields: fieldsOf(context), rows: summed(counts), elsewhere: [] }
    }),
  )

/** What anonymising the record would change; nothing is written. */
export const planAnonymising = async (
  database: Connection,
  context: AnonymiseContext,
  target: Target,
): Promise<AnonymisePlan> => {
  await lockPerson(database, context, target)
  const { entity } = context
  const found = await findPersonalTexts(database, entity, target.id)
  const forgotten = await forgottenOf(database, context, target.id, found)
  const own = isUserEntity(context) ? await countUserRows(database, target.id) : new Map()
  const mailings = new Map([['mailing', await countMailings(database, forgotten)]])
  return {
    fields: fieldsOf(context),
    rows: summed(await countTraces(database, { ...context, id: target.id }), own),
    elsewhere: summed(await countStoredTexts(database, forgotten), mailings),
  }
}

/** Neither locks of steps nor conditions of changes keep a person from being forgotten. */
export const needsOfForgetting = (entity: Entity): WriteNeeds => ({
  columns: personalColumns(entity).map(({ name }) => name),
  links: new Map(),
  conditions: [],
})

const lockPerson = async (
  connection: Connection,
  context: AnonymiseContext,
  target: Target,
): Promise<void> => {
  const { entity, removable } = context
  const locked = await lockRecordOrRemoved(connection, context, target, needsOfForgetting(entity))
  if (locked.isRemoved) {
    const inScope = compileScope(removable, entity.hasOwner, 't')
    const select = sql`SELECT FROM ${table(entity)} t WHERE t.id = ${int(target.id)} AND ${inScope}`
    if (!(await queryRow(connection, select))) throw unknownRecord(entity, target.id)
  }
  if (isUserEntity(context) && target.id === context.userId)
    throw apiError('caller.forbidden', 'You cannot anonymise yourself: ask another administrator.')
}

/** Replaces the values of a locked record, in its row and in what is stored about it. */
export const replaceValues = async (
  connection: Connection,
  context: WriteContext,
  id: number,
): Promise<void> => {
  const { catalog, entity, timeZone } = context
  const record = { catalog, entity, id }
  const found = await findPersonalTexts(connection, entity, id)
  const forgotten = await forgottenOf(connection, context, id, found)
  const values = new Map([...placeholdersOf(entity, id, timeZone), ...valuesOfLeaving(context)])
  await catchConflicts(values, () =>
    updateRecord(connection, context, id, { values, operation: 'anonymise', isEvent: true }),
  )
  const files = fileColumns(entity)
    .filter(isPersonal)
    .map(({ name }) => name)
  await removeFiles(connection, record, files)
  await removeFilesOfParts(connection, record)
  await emptyHistory(connection, record)
  await emptyJobs(connection, record)
  await emptyAnswers(connection, record)
  await removeMailings(connection, record)
  if (forgotten.isUser) {
    await removeUserRows(connection, id)
    await emptyAudit(connection, id)
    await removeRefusedSignIns(connection, found)
  }
  await enqueueForget(connection, forgotten)
}

const forgottenOf = async (
  database: Queryable,
  context: WriteContext,
  id: number,
  found: readonly string[],
): Promise<Forgotten> => ({
  entityKey: context.entity.key,
  entityId: id,
  isUser: isUserEntity(context),
  searched: await searchedOf(database, context.entity, id, found),
  placeholder: placeholderText(id),
})

/** A user who is anonymised cannot sign in any more. */
const valuesOfLeaving = ({ entity }: WriteContext): readonly (readonly [Column, SqlValue])[] =>
  Object.entries(nativeEntity(entity).leaves ?? {}).flatMap(([name, value]) => {
    const column = entity.columnsByName.get(name)
    return column ? [[column, value] as const] : []
  })

/** Those that the writer's role hides are not named. */
const fieldsOf = ({ entity, isHidden }: WriteContext): readonly string[] =>
  personalColumns(entity)
    .filter((column) => !isHidden(column))
    .map(({ field }) => field.key)

const summed = (...counts: readonly ReadonlyMap<string, number>[]): Counts => {
  const sums = new Map<string, number>()
  for (const [name, rows] of counts.flatMap((one) => [...one]))
    sums.set(name, (sums.get(name) ?? 0) + rows)
  return [...sums].filter(([, rows]) => rows > 0).map(([name, rows]) => ({ table: name, rows }))
}
