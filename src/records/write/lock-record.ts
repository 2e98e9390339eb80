/**
 * Locks the record to write, or throws the reason why it cannot be written: the first step of every change.
 *
 * What a write needs of other records is locked before any of it is read, in one order, by entity and id, so that two
 * writers never wait for each other. Which records these are is read first, and again once they are locked: if links have
 * changed meanwhile, all locks are released, and it begins again.
 */
import { type Connection, type Queryable, queryRow, queryShaped } from '../../database/pool.ts'
import {
  allOf,
  anyOf,
  int,
  ints,
  notDeleted,
  nothing,
  type Sql,
  sql,
  table,
  text,
} from '../../database/sql.ts'
import { type Entity, getEntity } from '../../definitions/catalog.ts'
import { type ApiError, apiError } from '../../errors.ts'
import { holds, type Precondition } from '../../http/preconditions.ts'
import { compileScope } from '../../query/compile-scope.ts'
import { unknownRecord } from '../read-records.ts'
import { mayWrite } from './native-guards.ts'
import type { WriteContext } from './write-context.ts'
import {
  compileNeeds,
  findNeeded,
  type NeededRecords,
  needsOthers,
  type Way,
  type WriteNeeds,
} from './write-needs.ts'

/** The record that a request means. */
export type Target = { readonly id: number; readonly precondition: Precondition }

/** What is known of a record once it is locked. */
export type LockedRecord = {
  readonly id: number
  readonly isRemoved: boolean
  readonly version: number
  /** The step that it is in, with a workflow. */
  readonly step: string | undefined
}

/**
 * Locks the record with all that its write needs, or throws 404 (not there or unreadable), 403 (out of reach) or 412 (stale).
 */
export const lockRecord = (
  connection: Connection,
  context: WriteContext,
  target: Target,
  needs: WriteNeeds,
): Promise<LockedRecord> => lock(connection, context, target, needs, notDeleted('t'))

/** Throws for a record that could not be written when others were locked with it: nothing that its conditions read is locked. */
export const refuseUnlessLocked = (
  { lockedAhead, entity }: WriteContext,
  id: number,
  version?: number,
): void => {
  if (lockedAhead && !lockedAhead.has(id)) throw staleRecord(entity, id, version)
}

/** Locks the record in the same way, also if it was removed. */
export const lockRecordOrRemoved = (
  connection: Connection,
  context: WriteContext,
  target: Target,
  needs: WriteNeeds,
): Promise<LockedRecord> => lock(connection, context, target, needs, sql`true`)

const lock = async (
  connection: Connection,
  context: WriteContext,
  { id, precondition }: Target,
  needs: WriteNeeds,
  condition: Sql,
): Promise<LockedRecord> => {
  const ahead =
    context.lockedAhead ??
    (needsOthers(context, needs)
      ? await lockAhead(connection, context, needs, [id], condition)
      : undefined)
  const isToLock = ahead === undefined || ahead.has(id)
  const { entity, scope, access } = context
  const inScope = sql`${compileScope(scope, entity.hasOwner, 't')} AND ${mayWrite(context)}`
  const readable = compileScope(access.readScope(entity), entity.hasOwner, 't')
  // NO KEY: ids never change, so writers of records that link to this one neither wait nor deadlock.
  const select = sql`
    SELECT t._version AS version, t._is_deleted AS is_removed, ${inScope} AS in_scope,
      ${readable} AS readable${entity.hasWorkflow ? sql`, t._step AS step` : nothing}
    FROM ${table(entity)} t
    WHERE t.id = ${int(id)} AND ${condition}
    ${isToLock ? sql`FOR NO KEY UPDATE` : nothing}`
  const row = await queryRow<Locked>(connection, select)
  if (!row?.readable) throw unknownRecord(entity, id)
  if (!row.in_scope)
    throw apiError('caller.forbidden', `The permission does not include ${entity.key} ${id}.`)
  const isLate = !isToLock && context.lockedAhead === undefined
  if (isLate || !holds(precondition, row.version)) throw staleRecord(entity, id, row.version)
  return { id, isRemoved: row.is_removed, version: row.version, step: row.step }
}

/** The error of a record that has changed since the caller read it. */
export const staleRecord = ({ key }: Entity, id: number, version?: number): ApiError =>
  apiError('record.stale', `${key} ${id} has changed since you read it.`, {
    ...(version !== undefined && { headers: { ETag: etagOf(version) } }),
  })

type Locked = {
  readonly version: number
  readonly is_removed: boolean
  readonly in_scope: boolean
  readonly readable: boolean
  readonly step?: string
}

/** The entity tag of a record's version (RFC 9110, 8.8.3), and of how it is seen if not as a whole. */
export const etagOf = (version: number, sight?: string): string =>
  sight === undefined ? `"${version}"` : `"${version}.${sight}"`

/** Writes of the records of one entity, or of a new one: what they need is locked before any of it is read. */
export type WritePart = {
  readonly context: WriteContext
  readonly needs: WriteNeeds
  readonly ids: readonly number[] | 'new'
}

/**
 * Locks all that the writes of some records need, and returns those of the records that may be written: the others are not
 * locked. In a transaction.
 */
export const lockAhead = async (
  connection: Queryable,
  context: WriteContext,
  needs: WriteNeeds,
  ids: readonly number[] | 'new',
  which?: Sql,
): Promise<ReadonlySet<number>> => {
  const [locked = new Set<number>()] = await lockTogether(
    connection,
    [{ context, needs, ids }],
    which,
  )
  return locked
}

/**
 * The same for writes of several entities in one transaction, which returns the records of each part. A new record is locked
 * for before it is written: a row that links to others already holds a part of them.
 */
export const lockTogether = (
  connection: Queryable,
  parts: readonly WritePart[],
  which: Sql = notDeleted('t'),
): Promise<readonly ReadonlySet<number>[]> =>
  untilStill(connection, async () => {
    const written: WritePart[] = []
    for (const { context, needs, ids } of parts) {
      const writable =
        ids === 'new' ? ids : await findWritable(connection, context, needs, ids, which)
      written.push({ context, needs, ids: writable })
    }
    const isStill = await holdStill(
      connection,
      written.filter(({ ids }) => ids.length > 0),
    )
    const locked = written.map(({ ids }) => new Set(ids === 'new' ? [] : ids))
    return isStill ? { locked } : undefined
  })

const maxTries = 20

/** Works behind a savepoint until there is a result. */
const untilStill = async <T>(
  connection: Queryable,
  work: () => Promise<{ readonly locked: T } | undefined>,
): Promise<T> => {
  for (let tries = 0; tries < maxTries; tries++) {
    await connection.query('SAVEPOINT ahead')
    const result = await work()
    const end = result ? '' : 'ROLLBACK TO SAVEPOINT ahead; '
    await connection.query(`${end}RELEASE SAVEPOINT ahead`)
    if (result) return result.locked
  }
  throw apiError('request.contended', 'The links of these records change all the time.', {
    headers: { 'Retry-After': '1' },
  })
}

/** Locks; false if links have changed meanwhile, so that others are needed. */
const holdStill = async (connection: Queryable, parts: readonly WritePart[]): Promise<boolean> => {
  const [first] = parts
  if (!first) return true
  const held = await findAllNeeded(connection, parts)
  await lockAll(connection, first.context, held)
  return (
    !parts.some(({ context, needs }) => needsOthers(context, needs)) ||
    isWithin(await findAllNeeded(connection, parts), held)
  )
}

const findAllNeeded = async (
  connection: Queryable,
  parts: readonly WritePart[],
): Promise<NeededRecords> => {
  const all: NeededRecords = new Map()
  for (const { context, needs, ids } of parts)
    for (const [key, needed] of await findNeeded(connection, context, needs, ids)) {
      const known = all.get(key)
      all.set(key, {
        ids: known ? known.ids.union(needed.ids) : needed.ids,
        isWritten: known?.isWritten === true || needed.isWritten,
      })
    }
  return all
}

const findWritable = async (
  connection: Queryable,
  context: WriteContext,
  { ways }: WriteNeeds,
  ids: readonly number[],
  which: Sql,
): Promise<readonly number[]> => {
  const { entity, scope, access } = context
  const conditions = (ways ?? []).flatMap(({ condition }) => condition ?? [])
  const compiled = compileNeeds(context, conditions)
  const holds = new Map(conditions.map((one, at) => [one, compiled.conditions[at]] as const))
  const inWay = ({ step, condition }: Way): Sql =>
    allOf([
      step === undefined ? sql`true` : sql`t._step = ${text(step)}`,
      (condition && holds.get(condition)) ?? sql`true`,
    ])
  const select = sql`
    SELECT t.id
    FROM ${table(entity)} t${compiled.joins}
    WHERE t.id = ANY (${ints(ids)}) AND ${which} AND ${mayWrite(context)}
      AND ${compileScope(scope, entity.hasOwner, 't')}
      AND ${compileScope(access.readScope(entity), entity.hasOwner, 't')}
      AND ${ways ? anyOf(ways.map(inWay)) : sql`true`}`
  return (await queryShaped<{ id: number }>(connection, select)).map(({ id }) => id)
}

/** All of one entity in the same mode: two of them would need an order of their own. */
const lockAll = async (
  connection: Queryable,
  { catalog }: WriteContext,
  held: NeededRecords,
): Promise<void> => {
  const byKey = [...held].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [key, { ids, isWritten }] of byKey) {
    if (ids.size === 0) continue
    // NO KEY: ids never change, so writers of records that link to these neither wait nor deadlock.
    const mode = isWritten ? sql`FOR NO KEY UPDATE` : sql`FOR SHARE`
    const select = sql`
      SELECT FROM ${table(getEntity(catalog, key))} t
      WHERE t.id = ANY (${ints([...ids])})
      ORDER BY t.id
      ${mode}`
    await queryShaped(connection, select)
  }
}

const isWithin = (needed: NeededRecords, held: NeededRecords): boolean =>
  [...needed].every(([key, { ids, isWritten }]) => {
    const locked = held.get(key)
    if (ids.size === 0) return true
    return locked !== undefined && (locked.isWritten || !isWritten) && ids.isSubsetOf(locked.ids)
  })
