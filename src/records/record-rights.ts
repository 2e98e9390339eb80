/**
 * What a caller may do with one record, and what its step locks, and which records that link to it they may create:
 * the same conditions as those of the writes.
 */
import { eachRoleOf, type Person } from '../auth/caller.ts'
import type { RecordRight } from '../auth/entity-rights.ts'
import { messagesOf, type Permissions } from '../auth/permissions.ts'
import { type Queryable, queryRow } from '../database/pool.ts'
import { allOf, int, join, notDeleted, ref, type Sql, sql, table } from '../database/sql.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { commentSettings } from '../definitions/comments.ts'
import { isPartOfRecord, partRights } from '../definitions/native-entities.ts'
import type { ConditionalRight } from '../definitions/schemas/role-definition.ts'
import { locksBelow, locksField } from '../definitions/step-locks.ts'
import { ApiError } from '../errors.ts'
import { hasEvery } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { type Decider, findUnmet, parsedCondition } from '../query/conditions/decide-conditions.ts'
import { type Condition, conditionThrough } from '../query/criteria/criteria.ts'
import { unknownRecord } from './read-records.ts'
import { findLocks, type LocksOnRecord } from './write/locks.ts'
import { checkRemoval, mayWrite } from './write/native-guards.ts'

/** The rights on one record that a console offers; each is a condition of its own. */
export const offeredRights = [
  'update',
  'delete',
  'takeOwnership',
  ...partRights,
  'internalComments',
] as const

type OfferedRight = (typeof offeredRights)[number]

/** What a caller may do with one record, and why not more. */
export type RightsOnRecord = {
  readonly may: Readonly<Record<OfferedRight, boolean>>
  /** Those that the role has on the record, but whose condition does not hold for it and the caller. */
  readonly unmet: readonly UnmetRight[]
  readonly isRemoved: boolean
  readonly locks: LocksOnRecord
  /** The rights that locks take from the role. */
  readonly lockedRights: readonly OfferedRight[]
}

type UnmetRight = {
  readonly right: ConditionalRight
  readonly condition: Condition
  /** What the role says of it. */
  readonly message: string | undefined
}

const nothing = Object.fromEntries(
  offeredRights.map((right) => [right, false]),
) as RightsOnRecord['may']

type RightsAsked = {
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly caller: Person
  /** The user whose role alone the caller is: locks except each role of theirs. By default the caller. */
  readonly holder?: Person
  readonly timeZone: string
  readonly entity: Entity
  readonly id: number
  /** Whether it may be removed: then it may only be restored, with the right to remove it. */
  readonly withRemoved?: boolean
}

type RightsOfRole = Pick<RightsOnRecord, 'may' | 'unmet' | 'isRemoved'> & { readonly step: string }

/**
 * What each role of a caller answers by itself; those that do not read the record are left out. An error 404 if none
 * of them reads it.
 */
export const askEachRole = async <P extends Person, T>(
  caller: P,
  ask: (role: P) => Promise<T>,
): Promise<readonly T[]> => {
  const answers: T[] = []
  let unread: unknown
  for (const role of eachRoleOf(caller))
    try {
      answers.push(await ask(role))
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'record.unknown')) throw error
      unread = error
    }
  if (answers.length === 0) throw unread
  return answers
}

/** The rights of the caller on a record, or an error 404 of one that may not be read. */
export const findRightsOnRecord = async (
  database: Queryable,
  asked: RightsAsked,
): Promise<RightsOnRecord> => {
  const ask = (caller: Person) => findRightsOfRole(database, { ...asked, caller })
  const all = await askEachRole(asked.caller, ask)
  const granted = Object.fromEntries(
    offeredRights.map((right) => [right, all.some((one) => one.may[right])]),
  ) as RightsOnRecord['may']
  const unmet = all
    .flatMap((one) => one.unmet)
    .filter(({ right }) => right === 'create' || !granted[right])
  const { step = '', isRemoved = false } = all[0] ?? {}
  const locks = await findLocks(database, lockedFor(asked), { id: asked.id, step })
  const isWhole = locks.records.length > 0 || locks.own?.fields === 'all'
  const lockedRights: readonly OfferedRight[] = [
    ...(isWhole ? (['update', 'delete', 'takeOwnership'] as const) : []),
    ...(locks.own && locksField(locks.own, '_owned_by') ? (['takeOwnership'] as const) : []),
  ]
  return {
    may: { ...granted, ...Object.fromEntries(lockedRights.map((right) => [right, false])) },
    unmet: [...new Map(unmet.map((one) => [one.right, one])).values()],
    isRemoved,
    locks,
    lockedRights,
  }
}

const findRightsOfRole = async (database: Queryable, asked: RightsAsked): Promise<RightsOfRole> => {
  const { entity, id, withRemoved } = asked
  const isFound = allOf([inScope(asked, 'read'), ...(withRemoved ? [] : [notDeleted('t')])])
  const list = offeredRights.map((right) => sql`${conditionOf(asked, right)} AS ${ref(right)}`)
  const select = sql`
    SELECT ${join(list, ', ')}, ${entity.hasWorkflow ? sql`t._step` : sql`''`} AS step,
      t._is_deleted AS "isRemoved"
    FROM ${table(entity)} t
    WHERE t.id = ${int(id)} AND ${isFound}`
  const found = await queryRow<Omit<RightsOfRole, 'may' | 'unmet'> & RightsOnRecord['may']>(
    database,
    select,
  )
  // A removed one is there for those who may restore it.
  if (!found || (found.isRemoved && !found.delete)) throw unknownRecord(entity, id)
  const { step, isRemoved, ...rights } = found
  const all = isRemoved
    ? { ...nothing, delete: rights.delete }
    : { ...rights, delete: rights.delete && (await isRemovable(database, asked)) }
  const unmet = await findUnmetRights(database, asked, all)
  const closed = unmet.map(({ right }) => [right, false])
  return { may: { ...all, ...Object.fromEntries(closed) }, unmet, isRemoved, step }
}

const lockedFor = ({ catalog, permissions, caller, holder = caller, entity }: RightsAsked) => ({
  catalog,
  entity,
  access: permissions.accessOf(holder),
  roleKey: holder.roleKey,
})

const findUnmetRights = async (
  database: Queryable,
  asked: RightsAsked,
  may: RightsOnRecord['may'],
): Promise<readonly UnmetRight[]> => {
  const { catalog, permissions, caller, entity } = asked
  const { conditions } = permissions.rightsOf(caller, entity)
  const conditional = (['update', 'delete'] as const).flatMap((right) => {
    const definition = may[right] ? conditions[right] : undefined
    const message = messagesOf(catalog, caller, entity)[right]
    return definition ? [{ right, condition: parsedCondition(definition), message }] : []
  })
  const byRight = new Map(conditional.map(({ right, condition }) => [right, condition]))
  const unmet = await findUnmet(database, deciderOf(asked), asked, byRight)
  return conditional.filter(({ right }) => unmet.has(right))
}

const deciderOf = ({ catalog, timeZone, caller }: RightsAsked): Decider => ({
  catalog,
  timeZone,
  userId: caller.userId,
})

const inScope = ({ permissions, caller, entity }: RightsAsked, right: RecordRight): Sql =>
  compileScope(permissions.scopeOf(caller, right, entity), entity.hasOwner, 't')

const guardedBy = ({ catalog, permissions, entity, caller }: RightsAsked) => ({
  catalog,
  entity,
  changesAll: hasEvery(permissions.scopeOf(caller, 'update', entity)),
  isAdministrator: caller.roleKey === administratorRole,
})

/**
 * Parts are records of their own, so that the guard of this record does not matter for them. What is part of a record
 * is written below that one alone.
 */
const conditionOf = (asked: RightsAsked, right: OfferedRight): Sql => {
  if (isPartOfRecord(asked.entity)) return sql`false`
  const isOfComments = right === 'comments' || right === 'internalComments'
  if (isOfComments && !commentSettings(asked.entity)) return sql`false`
  if (ofParts.has(right)) return inScope(asked, right)
  if (right === 'takeOwnership' && !asked.entity.hasOwner) return sql`false`
  return allOf([inScope(asked, right), mayWrite(guardedBy(asked))])
}

const ofParts: ReadonlySet<OfferedRight> = new Set([...partRights, 'internalComments'])

const isRemovable = async (database: Queryable, asked: RightsAsked): Promise<boolean> => {
  try {
    await checkRemoval(database, guardedBy(asked), asked.id)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'caller.forbidden') return false
    throw error
  }
}

/**
 * By one-to-many association: whether the caller may create a record that links to this one. What a condition demands
 * of the fields of the new record is not known yet, and does not count.
 */
export const findMayCreate = async (
  database: Queryable,
  asked: RightsAsked,
  locks: LocksOnRecord,
): Promise<Readonly<Record<string, boolean>>> => {
  const all: [string, boolean][] = []
  for (const caller of eachRoleOf(asked.caller))
    all.push(...Object.entries(await findMayCreateOfRole(database, { ...asked, caller }, locks)))
  return Object.fromEntries(all.toSorted(([, one], [, other]) => Number(one) - Number(other)))
}

const findMayCreateOfRole = async (
  database: Queryable,
  asked: RightsAsked,
  { own, records }: LocksOnRecord,
): Promise<Readonly<Record<string, boolean>>> => {
  const { catalog, permissions, caller, entity } = asked
  const { hiddenFields } = permissions.rightsOf(caller, entity)
  const lists = [...entity.oneToMany.values()]
    .filter(({ key }) => !hiddenFields.has(key))
    .map(({ key, entity: child, mappedBy }) => ({
      key,
      mappedBy,
      child: getEntity(catalog, child),
    }))
    .filter(({ child }) => child.isNative || permissions.touches(caller, child))
    .map((list) => ({ ...list, rights: permissions.rightsOf(caller, list.child) }))
  const conditional = lists.flatMap(({ key, mappedBy, rights }) => {
    const { create } = rights.conditions
    const through = create && conditionThrough(parsedCondition(create), mappedBy)
    return through ? [[key, through] as const] : []
  })
  const unmet = await findUnmet(database, deciderOf(asked), asked, new Map(conditional))
  const locking = records.map(({ list }) => list)
  return Object.fromEntries(
    lists.map(({ key, mappedBy, child, rights }) => [
      key,
      rights.create &&
        !isPartOfRecord(child) &&
        !(own && !child.isNative && locksField(own, key)) &&
        !locksBelow(catalog, locking, child, mappedBy) &&
        !rights.readOnlyFields.has(mappedBy) &&
        !unmet.has(key),
    ]),
  )
}
