/**
 * Creates, changes, removes, restores and takes over a record. Each write is one statement with its history and events;
 * a change locks the record first and checks the expected version.
 */
import type { RecordAuthor } from '../../auth/caller.ts'
import { type Connection, type Queryable, queryRow, queryShaped } from '../../database/pool.ts'
import { int, join, ref, sql, table } from '../../database/sql.ts'
import type { Writer } from '../../database/transaction.ts'
import { type Column, type Entity, uniqueIndexes } from '../../definitions/catalog.ts'
import { fileColumns } from '../../definitions/files.ts'
import { nativeEntity } from '../../definitions/native-entities.ts'
import type { TakenAction } from '../../definitions/notification-rules.ts'
import type { RecordOperation } from '../../definitions/operations.ts'
import { affectedLists } from '../../query/conditions/asked-lists.ts'
import { type RecordText, unknownRecord } from '../read-records.ts'
import { linkingDefaults, readCallerDefaults } from './caller-defaults.ts'
import { checkGivenValues, checkNewValues, type FieldIssue } from './check-values.ts'
import {
  type CheckedLines,
  conditionsOf,
  refuseIssues,
  requireCondition,
  requireValid,
  validationConditions,
} from './conditions.ts'
import {
  type LockedRecord,
  lockAhead,
  lockRecord,
  lockRecordOrRemoved,
  refuseUnlessLocked,
  type Target,
} from './lock-record.ts'
import { requireUnlocked } from './locks.ts'
import { checkRemoval, findGuardIssues, keepAdministrator } from './native-guards.ts'
import { affectedRollups, lockWholes, rollUp } from './roll-up.ts'
import { takeFiles } from './take-files.ts'
import { numbersOfNew, takesSeveral } from './take-numbers.ts'
import {
  creatingContext,
  lacksReference,
  selectVisibleJson,
  type Wholes,
  type WriteContext,
} from './write-context.ts'
import {
  needsOfChange,
  needsOfNew,
  needsOfOwnership,
  needsOfRemoval,
  systemValue,
  type WriteNeeds,
} from './write-needs.ts'
import {
  askingBy,
  catchConflicts,
  recordError,
  WriteRejected,
  withConflicts,
} from './write-rejected.ts'
import {
  insertStatement,
  type NumberCell,
  updateStatement,
  type Values,
} from './write-statements.ts'
import { asSeenNow, readWritten } from './written-record.ts'

type RecordUpdate = {
  readonly values: Values
  readonly numbers?: readonly NumberCell[]
  readonly operation: RecordOperation
  readonly action?: TakenAction
  readonly comment?: string | undefined
  /** Writes history and events even if no value differs. */
  readonly isEvent?: boolean
  /** Of files: which fields must have one, and the path of a column in the body. */
  readonly files?: {
    readonly required?: ReadonlySet<Column>
    readonly pathOf?: (column: string) => string
  }
}

/** Returns the record as its writer may see it. Values that it holds already change nothing. */
export const updateRecord = async (
  connection: Connection,
  context: WriteContext,
  id: number,
  { values: asked, numbers = [], files = {}, ...change }: RecordUpdate,
): Promise<RecordText> => {
  const { entity, author } = context
  const { values, keep } = await takeFiles(connection, context, asked, { id, ...files })
  const rollups = affectedRollups(
    context,
    [...values.keys(), ...numbers.map(({ column }) => column)].map(({ name }) => name),
  )
  const wholes = await lockWholes(connection, rollups, id, values)
  const requireAdministrator = await keepAdministrator(connection, entity, id)
  const statement = updateStatement({
    entity,
    author,
    values,
    numbers,
    change,
    row: sql`SELECT t.* FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
    isQuiet: context.isQuiet,
    selected: [sql`t._version AS version, ${selectVisibleJson(context)} AS json`],
  })
  const [record] = await queryShaped<RecordText>(connection, statement)
  if (!record) throw unknownRecord(entity, id)
  await keep(id)
  await requireAdministrator?.()
  if (wholes.size > 0) await rollUp(connection, context, wholes)
  return asSeenNow(connection, context, id, record)
}

type CreatedRecord = { readonly id: number; readonly version: number; readonly json: string }

/** What is written with a record, in its transaction: its lines (lines.ts). */
export type WrittenWith = CheckedLines & {
  /** Locks what it needs, together with what the record needs, and returns the record if it may be written. */
  readonly lock: (
    context: WriteContext,
    needs: WriteNeeds,
    ids: readonly number[] | 'new',
  ) => Promise<ReadonlySet<number>>
  /** Writes it and calculates what follows, also `wholes`; with `laterRollups`, of the record alone. Its conditions are asked later. */
  readonly write: (context: WriteContext, id: number, wholes: Wholes) => Promise<void>
}

/** Whether a create is more than one statement. */
export const needsTransaction = (context: WriteContext): boolean =>
  conditionsOf(context, 'create').length > 0 ||
  affectedRollups(context).length > 0 ||
  affectedLists(context).length > 0 ||
  validationConditions(context).length > 0 ||
  fileColumns(context.entity).length > 0 ||
  takesSeveral(context, 'create')

/**
 * The new record as its creator may see it, or a WriteRejected. If `needsTransaction`, `database` must be one, which the error
 * ends.
 */
export const createRecord = async (
  database: Queryable,
  asked: WriteContext,
  body: unknown,
  lines?: WrittenWith,
): Promise<CreatedRecord> => {
  const within = creatingContext(asked)
  const ofCaller = await readCallerDefaults(database, within, body)
  const context = linkingDefaults(within, ofCaller)
  return askingBy(context.references, () => writeNew(database, context, { body, ofCaller, lines }))
}

type NewRecord = {
  readonly body: unknown
  readonly ofCaller: Values
  readonly lines: WrittenWith | undefined
}

const writeNew = async (
  database: Queryable,
  context: WriteContext,
  { body, ofCaller, lines }: NewRecord,
): Promise<CreatedRecord> => {
  const { values, issues } = checkNewValues({ ...context, body, ofCaller })
  await refuseIssues(database, context, { values, issues, lines })
  const guarded = await findGuardIssues(database, context, values)
  if (guarded.length > 0) throw new WriteRejected(values, guarded)
  const needs = needsOfNew(context, values)
  if (lines) await lines.lock(context, needs, 'new')
  else if (needsTransaction(context) && !context.lockedAhead)
    await lockAhead(database, context, needs, 'new')
  await requireUnlocked(database, context, { fields: [], links: values })
  const { entity, author, references } = context
  const files = await takeFiles(database, context, values, { id: 'new' })
  const statement = insertStatement({
    entity,
    author,
    values: files.values,
    numbers: await numbersOfNew(database, context, values),
    conditions: [...values].flatMap(([column, value]) => references(column, value)?.exists ?? []),
    isQuiet: context.isQuiet,
    selected: [sql`t.id, t._version AS version, ${selectVisibleJson(context)} AS json`],
  })
  const given = new Map([...values, ...(context.givenNumbers ?? [])])
  const row = await catchConflicts(given, () => queryRow<CreatedRecord>(database, statement))
  // No row: a record that it links to is not there.
  if (!row) throw new WriteRejected(values)
  await files.keep(row.id)
  const rollups = affectedRollups(context)
  const wholes = rollups.length > 0 ? await lockWholes(database, rollups, row.id) : new Map()
  if (lines) await lines.write(context, row.id, wholes)
  else if (wholes.size > 0) await rollUp(database, context, wholes)
  const granted = await requireCondition(database, context, 'create', row.id)
  refuseUnwritable(granted, context, checkNewValues({ ...granted, body, ofCaller }).issues)
  await requireValid(database, context, row.id)
  const seen = lines
    ? await readWritten(database, context, row.id)
    : await asSeenNow(database, context, row.id, row)
  return { id: row.id, ...seen }
}

/** Throws where fewer roles grant a write than did at first, and none of them lets it write all that it does. */
const refuseUnwritable = (
  granted: WriteContext,
  before: WriteContext,
  issues: readonly FieldIssue[],
): void => {
  if (granted.roles !== before.roles && issues.length > 0)
    throw new WriteRejected(new Map(), issues)
}

/** A record after a write that may have changed nothing. */
type ChangedRecord = RecordText & { readonly isChanged: boolean }

const changedFrom = ({ version }: LockedRecord, record: RecordText): ChangedRecord => ({
  ...record,
  isChanged: record.version !== version,
})

/** Writes the fields that the body names, and its lines. A field that holds the value already is not changed. */
export const changeRecord = async (
  writer: Writer,
  asked: WriteContext,
  target: Target,
  body: unknown,
  linesOn?: (connection: Connection) => WrittenWith,
): Promise<ChangedRecord> => {
  const { named, values, issues } = checkGivenValues({ ...asked, body })
  const unwritableBy = (granted: WriteContext) =>
    granted.roles === asked.roles ? issues : checkGivenValues({ ...granted, body }).issues
  if (issues.length === 0 && values.size === 0 && !linesOn)
    throw recordError([{ path: '', message: 'names no field to change', rule: 'malformed' }])
  return withConflicts({ database: writer.database, context: asked, id: target.id }, () =>
    writer.transact(async (connection) => {
      const lines = linesOn?.(connection)
      const needs = needsOfChange(asked, values)
      const lockedAhead = await lines?.lock(asked, needs, [target.id])
      const context = lockedAhead ? { ...asked, lockedAhead } : asked
      // First, so that callers who may not read the record learn nothing about other values.
      const locked = await lockRecord(connection, context, target, needs)
      if (lines) refuseUnlessLocked(context, target.id, locked.version)
      const granted = await requireCondition(connection, context, 'update', target.id)
      await requireUnlocked(connection, context, { ...locked, fields: named, links: values })
      const found = { id: target.id, values, issues: unwritableBy(granted), lines }
      await refuseIssues(connection, context, found)
      const guarded = await findGuardIssues(connection, context, values, target.id)
      if (guarded.length > 0 || (await lacksReference(connection, context, target.id, values)))
        throw new WriteRejected(values, guarded)
      const all = await withFlagTimestamps(connection, context.entity, target.id, values)
      const change = { values: all, operation: 'change' } as const
      const record =
        values.size === 0
          ? undefined
          : await catchConflicts(values, () => updateRecord(connection, context, target.id, change))
      await lines?.write(context, target.id, new Map())
      const written = record && !lines ? record : await readWritten(connection, context, target.id)
      const changed = changedFrom(locked, written)
      if (changed.isChanged || lines) {
        const still = await requireCondition(connection, granted, 'update', target.id, 'after')
        refuseUnwritable(still, granted, unwritableBy(still))
        await requireValid(connection, context, target.id, { written: [...all.keys()] })
      }
      return changed
    }),
  )
}

/** Removes or restores what belongs to records, in the same transaction. */
export type WithRecord = (
  connection: Connection,
  records: {
    readonly entityKey: string
    readonly ids: readonly number[]
    readonly author: RecordAuthor
  },
) => Promise<void>

/** Marks the record as removed, for its history and the links to it; refused where what is calculated without it does not fit. */
export const removeRecord = (
  writer: Writer,
  context: WriteContext,
  target: Target,
  onRemoved: WithRecord,
): Promise<void> =>
  withConflicts({ database: writer.database, context, id: target.id }, () =>
    writer.transact(async (connection) => {
      const locked = await lockRecord(connection, context, target, needsOfRemoval(context))
      const granted = await requireCondition(connection, context, 'delete', target.id)
      await requireUnlocked(connection, context, { ...locked, fields: 'whole' })
      await checkRemoval(connection, context, target.id)
      const { entity, author } = context
      const values = systemValue(entity, '_is_deleted', true)
      await updateRecord(connection, context, target.id, { values, operation: 'remove' })
      // The record that it is part of may have changed before it was locked.
      if (affectedRollups(context).length > 0)
        await requireCondition(connection, granted, 'delete', target.id, 'after')
      await onRemoved(connection, { entityKey: entity.key, ids: [target.id], author })
    }),
  )

/**
 * Restores a removed record; a record that is not removed stays as it is. If another record has taken its unique
 * values, that is a conflict. Links to records that were removed meanwhile stay.
 */
export const restoreRecord = (
  writer: Writer,
  context: WriteContext,
  target: Target,
  onRestored: WithRecord,
): Promise<RecordText> => {
  const { entity, author } = context
  const noReferences = { ...context, references: () => undefined }
  const options = { database: writer.database, context: noReferences, id: target.id }
  return withConflicts(options, () =>
    writer.transact(async (connection) => {
      const needs = needsOfRemoval(context)
      const locked = await lockRecordOrRemoved(connection, context, target, needs)
      const granted = await requireCondition(connection, context, 'delete', target.id)
      await requireUnlocked(connection, context, { ...locked, fields: 'whole' })
      const unique = await readUniqueValues(connection, entity, target.id)
      const values = systemValue(entity, '_is_deleted', false)
      const record = await catchConflicts(unique, () =>
        updateRecord(connection, context, target.id, { values, operation: 'restore' }),
      )
      if (affectedRollups(context).length > 0)
        await requireCondition(connection, granted, 'delete', target.id, 'after')
      const restored = { entityKey: entity.key, ids: [target.id], author }
      if (locked.isRemoved)
        await catchConflicts(new Map(), () => onRestored(connection, restored), [taken])
      return record
    }),
  )
}

const taken: FieldIssue = {
  path: '',
  message: 'a task of the record has a unique value that another task has now',
  rule: 'conflict',
}

const readUniqueValues = async (
  connection: Connection,
  entity: Entity,
  id: number,
): Promise<Values> => {
  const names = new Set(uniqueIndexes(entity).flatMap(({ columns }) => columns))
  const columns = entity.columns.filter(({ name }) => names.has(name))
  if (columns.length === 0) return new Map()
  const list = join(
    // As text, which is exact and bound as the type of its column.
    columns.map(({ name }) => sql`${ref(name, 't')}::text AS ${ref(name)}`),
    ', ',
  )
  const select = sql`SELECT ${list} FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  const row = await queryRow<Record<string, string | null>>(connection, select)
  return new Map(columns.map((column) => [column, row?.[column.name] ?? null]))
}

export const takeOwnership = (
  writer: Writer,
  context: WriteContext,
  target: Target,
): Promise<ChangedRecord> =>
  writer.transact(async (connection) => {
    const values = systemValue(context.entity, '_owned_by', context.userId)
    const locked = await lockRecord(connection, context, target, needsOfOwnership(context))
    await requireUnlocked(connection, context, { ...locked, fields: [...values.keys()] })
    const change = { values, operation: 'takeOwnership' } as const
    return changedFrom(locked, await updateRecord(connection, context, target.id, change))
  })

/**
 * The values of a change, with the time of each flag that it changes. A time that the caller sets takes
 * precedence. The record must be locked.
 */
const withFlagTimestamps = async (
  connection: Connection,
  entity: Entity,
  id: number,
  values: Values,
): Promise<Values> => {
  const { columnsByName } = entity
  const all = new Map(values)
  for (const moment of nativeEntity(entity).moments ?? []) {
    const [flag, since] = [columnsByName.get(moment.flag), columnsByName.get(moment.since)]
    if (!flag || !since || !values.has(flag) || values.has(since)) continue
    const select = sql`SELECT t.${ref(flag.name)} AS flag FROM ${table(entity)} t WHERE t.id = ${int(id)}`
    const row = await queryRow<{ flag: boolean }>(connection, select)
    const isTrue = values.get(flag) === true
    if (row?.flag !== isTrue) all.set(since, isTrue ? new Date().toISOString() : null)
  }
  return all
}
