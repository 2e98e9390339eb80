/**
 * What steps lock, before a record is written: its own step, and those of the records to which it belongs by a one-to-many field.
 * All of them are locked rows by then, so that none of them enters another step until the write is committed.
 */
import { roleKeysOf } from '../../auth/caller.ts'
import { type Queryable, queryShaped } from '../../database/pool.ts'
import {
  allOf,
  anyOf,
  bound,
  int,
  join,
  raw,
  ref,
  type Sql,
  sql,
  table,
  texts,
} from '../../database/sql.ts'
import { listColumn } from '../../definitions/association-path.ts'
import { type Catalog, type Column, type Entity, getStepColumn } from '../../definitions/catalog.ts'
import type { StepLocks } from '../../definitions/schemas/entity-definition.ts'
import {
  type LockingList,
  lockingLists,
  lockingSteps,
  locksField,
  locksOfStep,
} from '../../definitions/step-locks.ts'
import { type Issue, validationError } from '../../errors.ts'
import type { Access, RecordScope } from '../../query/access.ts'
import { compileScope } from '../../query/compile-scope.ts'
import type { ReferenceCheck } from './write-context.ts'
import type { Values } from './write-statements.ts'

/** By whom the locks are met. */
type Writer = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly roleKey: string
  readonly references?: ReferenceCheck
}

/** A record to which another belongs, and whose step locks the list that it is in. */
type LockingRecord = {
  readonly list: LockingList
  readonly id: number
  readonly step: string
  /** Whether the writer may read it. */
  readonly isReadable: boolean
}

type Placed = {
  /** None for a new record. */
  readonly id?: number | undefined
  /** Links that it is given. */
  readonly links?: Values
}

/** Those of a record, as it is and with its new links. Without lists that steps lock there is no statement. */
const findLockingRecords = async (
  database: Queryable,
  writer: Writer,
  placed: Placed,
): Promise<readonly LockingRecord[]> => {
  const lists = lockingLists(writer.catalog, writer.entity)
  const selects = lists.flatMap((list, at) => {
    const steps = lockingSteps(list, roleKeysOf(writer))
    const linked = linkedTo(writer, list.way[0].column, placed)
    if (steps.length === 0 || linked.length === 0) return []
    const { last } = followed(list)
    const readable = isWayReadable(writer, list)
    return sql`
      SELECT ${int(at)} AS list, ${ref('id', last)}, ${ref('_step', last)} AS step,
        ${readable} AS is_readable
      ${fromLocking(list, steps, anyOf(linked))}`
  })
  if (selects.length === 0) return []
  const rows = await queryShaped<{ list: number; id: number; step: string; is_readable: boolean }>(
    database,
    sql`${join(selects, ' UNION ALL ')} ORDER BY list, id`,
  )
  return rows.flatMap(({ list: at, id, step, is_readable: isReadable }) => {
    const list = lists[at]
    return list ? [{ list, id, step, isReadable }] : []
  })
}

/** The records of a way from the one `p` that the first link leads to. */
const followed = ({ parent, way: [, ...above] }: LockingList) => {
  const aliases = ['p', ...above.map((_, at) => `p${at + 1}`)]
  const entities = [...above.map(({ entity }) => entity), parent]
  const joins = above.map(
    ({ column }, at) => sql`
      JOIN ${table(entities[at + 1] ?? parent)} ${raw(aliases[at + 1] ?? '')}
        ON ${ref('id', aliases[at + 1])} = ${ref(column.name, aliases[at])}`,
  )
  return {
    aliases,
    entities,
    joins: sql`${table(entities[0] ?? parent)} p${join(joins, '')}`,
    last: aliases.at(-1),
  }
}

/** Whether the writer may read all that a way depends on. */
const isWayReadable = ({ access }: Writer, list: LockingList): Sql => {
  const [, ...above] = list.way
  if (!above.every(({ entity, column }) => !access.hides(entity, column))) return sql`false`
  const { aliases, entities } = followed(list)
  return allOf(
    entities.map((entity, at) =>
      compileScope(access.readScope(entity), entity.hasOwner, aliases[at] ?? ''),
    ),
  )
}

/** The ways from linked records `p` to those that are in these steps. */
const fromLocking = (list: LockingList, steps: readonly string[], isLinked: Sql): Sql => {
  const { joins, last } = followed(list)
  return sql`
      FROM ${joins}
      WHERE ${isLinked} AND ${ref('_step', last)} = ANY (${texts(steps)})`
}

/** Whether a record that has the list is in one of these steps, for the record under an alias. */
export const isLockedThrough = (
  list: LockingList,
  steps: readonly string[],
  alias: string,
): Sql => {
  const isLinked = sql`p.id = ${ref(list.way[0].column.name, alias)}`
  return sql`EXISTS (SELECT ${fromLocking(list, steps, isLinked)})`
}

/** The records that no step of another record locks for a user with these roles: on others they take no action. */
export const unlockedScope = (
  catalog: Catalog,
  entity: Entity,
  roleKeys: readonly string[],
): RecordScope => {
  const lists = lockingLists(catalog, entity)
    .map((list) => ({ list, steps: lockingSteps(list, roleKeys) }))
    .filter(({ steps }) => steps.length > 0)
  if (lists.length === 0) return 'all'
  const locksOf = (alias: string) =>
    lists.map(({ list, steps }) => isLockedThrough(list, steps, alias))
  return { meets: (alias) => sql`NOT ${anyOf(locksOf(alias))}` }
}

/** The records `p` of the link as it is and as it is given, which counts only if the writer may link to it. */
const linkedTo = ({ entity, references }: Writer, link: Column, { id, links }: Placed): Sql[] => {
  const given = links?.get(link)
  const exists = given == null ? undefined : references?.(link, given)?.exists
  return [
    ...(id === undefined
      ? []
      : [sql`p.id = (SELECT c.${ref(link.name)} FROM ${table(entity)} c WHERE c.id = ${int(id)})`]),
    ...(given == null
      ? []
      : [allOf([sql`p.id = ${bound(given, link.type.cast)}`, exists ?? sql`true`])]),
  ]
}

/** What is locked of a record for a writer. */
export type LocksOnRecord = {
  /** By its own step, in which its key is. */
  readonly own: (StepLocks & { readonly step: string }) | undefined
  /** By those of records to which it belongs: all of it. */
  readonly records: readonly LockingRecord[]
}

/** The locks on a record in a step. */
export const findLocks = async (
  database: Queryable,
  writer: Writer,
  { id, step }: { readonly id: number; readonly step: string },
): Promise<LocksOnRecord> => {
  const own = locksOfStep(writer.entity, step, roleKeysOf(writer))
  return {
    own: own && { ...own, step },
    records: await findLockingRecords(database, writer, { id }),
  }
}

type Locking = Placed & {
  /** The step of the record; its own locks do not count without it, as for a new record or in an action. */
  readonly step?: string | undefined
  /** What is written; `whole`: it is removed or restored. */
  readonly fields: readonly Column[] | 'whole'
  /** The path of a column in the body; by default its name. */
  readonly pathOf?: (column: string) => string
}

/** Throws an error 409 if a step locks what is to be written: it names what the writer may read of that. */
export const requireUnlocked = async (
  database: Queryable,
  writer: Writer,
  locking: Locking,
): Promise<void> => {
  const own = ownIssues(writer, locking)
  const others = await findLockingRecords(database, writer, locking)
  const issues = [...own, ...others.map((one) => issueOf(writer, one, locking))]
  if (issues.length > 0) throw validationError('record.locked', issues)
}

const ownIssues = (
  { entity, access, ...writer }: Writer,
  { id, step, fields, pathOf = (column) => column }: Locking,
): readonly Issue[] => {
  const locks = locksOfStep(entity, step, roleKeysOf(writer))
  if (!locks) return []
  const inStep = access.hides(entity, getStepColumn(entity)) ? 'now' : `in the step "${step}"`
  if (fields === 'whole')
    return locks.fields === 'all'
      ? [{ path: '', message: `${entity.key} ${id} is locked ${inStep}` }]
      : []
  return fields
    .filter(({ field }) => locksField(locks, field.key))
    .map(({ name }) => ({ path: pathOf(name), message: `is locked ${inStep}` }))
}

const issueOf = (
  { entity, access }: Writer,
  { list: { parent, field, way }, id, step, isReadable }: LockingRecord,
  { pathOf = (column) => column }: Locking,
): Issue => {
  const [{ column: link }] = way
  const path = access.hides(entity, link) ? '' : pathOf(link.name)
  if (!isReadable) return { path, message: 'leads to a record that locks this one now' }
  const what = access.hides(parent, listColumn(field)) ? 'this record' : `its "${field.key}"`
  const ofStep = access.hides(parent, getStepColumn(parent)) ? 'now' : `in the step "${step}"`
  const of = `${parent.key} ${id}`
  return {
    path,
    message:
      path === ''
        ? `${of} locks ${what} ${ofStep}`
        : `leads to ${of}, which locks ${what} ${ofStep}`,
  }
}
