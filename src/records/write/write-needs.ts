/**
 * What a write needs, as far as the request and the definitions say it, and which records these are: those that it
 * writes, those that calculate something from them, and those that conditions read.
 */
import { type Queryable, queryShaped } from '../../database/pool.ts'
import { bound, int, ints, join, nothing, ref, type Sql, sql, table } from '../../database/sql.ts'
import { rollupsOf } from '../../definitions/calculations/rollups.ts'
import {
  type Column,
  calculatedColumns,
  type Entity,
  getEntity,
} from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { affectedLists } from '../../query/conditions/asked-lists.ts'
import {
  type CompiledConditions,
  compileConditions,
} from '../../query/conditions/compile-conditions.ts'
import { type Condition, fieldsIn } from '../../query/criteria/criteria.ts'
import { conditionsOf, validationConditions } from './conditions.ts'
import { affectedRollups } from './roll-up.ts'
import type { WriteContext } from './write-context.ts'
import type { Values } from './write-statements.ts'

export type WriteNeeds = {
  /** Names of the columns that it changes; undefined: all of them. */
  readonly columns?: readonly string[]
  /** Links that it sets, among other values. */
  readonly links: Values
  /** Conditions that must hold before or after the write. */
  readonly conditions: readonly Condition[]
  /** Of rows with values of their own: those with their id and these links, in place of the record with `links`. */
  readonly rows?: (links: readonly Column[]) => Sql
  /** A record for which none of these holds is refused; undefined: any record may be written. */
  readonly ways?: readonly Way[]
}

/** A state in which a record may be written: its step, and a condition that reads nothing but the record and the caller. */
export type Way = { readonly step?: string; readonly condition?: Condition | undefined }

/** Whether a write needs other records than the one that it writes. */
export const needsOthers = (context: WriteContext, needs: WriteNeeds): boolean =>
  affectedRollups(context, needs.columns).length > 0 ||
  affectedLists(context, needs.columns).length > 0 ||
  compileNeeds(context, needs.conditions).read.length > 0

/** Whether other writes in the same transaction may change how its conditions decide. */
export const readsCalculated = (
  context: WriteContext,
  { conditions }: Pick<WriteNeeds, 'conditions'>,
): boolean => {
  if (conditions.length === 0) return false
  const { columnsByName } = context.entity
  const { links, read, readsLists } = compileNeeds(context, conditions)
  return (
    readsLists ||
    links.length > 0 ||
    // What the fields of the caller lead to.
    read.some(({ entity }) => rollupsOf(context.catalog, entity).length > 0) ||
    conditions.flatMap(fieldsIn).some((name) => columnsByName.get(name)?.isCalculated === true)
  )
}

/** The condition if no other write of the same transaction can change whether it holds, as a part of a way. */
export const settledCondition = (
  context: WriteContext,
  [condition]: readonly Condition[],
): Condition | undefined =>
  condition && !readsCalculated(context, { conditions: [condition] }) ? condition : undefined

/** The conditions, compiled for the writer. */
export const compileNeeds = (
  { catalog, entity, timeZone, userId }: WriteContext,
  conditions: readonly Condition[],
): CompiledConditions =>
  compileConditions({ catalog, entity, timeZone, user: int(userId), conditions })

/** The records that keep something of the written ones, or that have a list of them that is asked: by the link to each. */
const wholesOf = (context: WriteContext, { columns }: WriteNeeds) => {
  const rollups = affectedRollups(context, columns)
  const lists = affectedLists(context, columns)
  const parents = [...new Map([...lists, ...rollups].map(({ link, parent }) => [link, parent]))]
  return { rollups, lists, parents }
}

/** The links over which a write needs other records, with the values that it gives them. */
export const neededLinks = (
  context: WriteContext,
  needs: WriteNeeds,
): readonly (readonly [string, SqlValue?])[] => {
  const links = [
    ...wholesOf(context, needs).parents.map(([link]) => link),
    ...compileNeeds(context, needs.conditions).links,
  ]
  return [...new Set(links)].map((link) => {
    const value = needs.links.get(link)
    return value === undefined ? [link.name] : [link.name, value]
  })
}

/** By the key of their entity: their ids, and whether any of them is written. */
export type NeededRecords = Map<string, { readonly ids: Set<number>; isWritten: boolean }>

/** Those of the writes of these records, or of a new one. */
export const findNeeded = async (
  connection: Queryable,
  context: WriteContext,
  needs: WriteNeeds,
  ids: readonly number[] | 'new',
): Promise<NeededRecords> => {
  const needed: NeededRecords = new Map()
  const { catalog, entity } = context
  if (ids !== 'new') add(needed, entity, ids, true)
  const { read, links: readLinks, joins } = compileNeeds(context, needs.conditions)
  const { rollups, lists, parents } = wholesOf(context, needs)
  const isKept = (link: Column) => rollups.some((rollup) => rollup.link === link)
  const cells = [
    ...parents.map(([link], at) => sql`${ref(link.name, 't')} AS ${ref(`l${at}`)}`),
    ...read.map(({ alias }, at) => sql`${ref('id', alias)} AS ${ref(`r${at}`)}`),
  ]
  if (cells.length === 0) return needed
  const links = [...new Set([...parents.map(([link]) => link), ...readLinks])]
  for (const source of sourcesOf(context, links, needs, ids)) {
    const select = sql`SELECT DISTINCT ${join(cells, ', ')} FROM ${source} t${joins}`
    const rows = await queryShaped<Readonly<Record<string, number | null>>>(connection, select)
    const idsOf = (name: string) => rows.flatMap((row) => row[name] ?? [])
    for (const [at, [link, parent]] of parents.entries()) {
      add(needed, parent, idsOf(`l${at}`), isKept(link))
      for (const { above = [] } of lists.filter((list) => list.link === link))
        await addFurther(connection, context, { parent, above, ids: idsOf(`l${at}`) }, needed)
    }
    for (const [at, one] of read.entries()) add(needed, one.entity, idsOf(`r${at}`), one.hasList)
  }
  for (const [parent, own] of Map.groupBy(rollups, (rollup) => rollup.parent)) {
    const kept = own.map(({ column }) => column.name)
    const above = needed.get(parent.key)?.ids ?? []
    await addAbove(connection, { catalog, entity: parent }, kept, [...above], needed)
  }
  return needed
}

type Further = {
  readonly parent: Entity
  readonly above: readonly Column[]
  readonly ids: readonly number[]
}

/** The records that others lead to, link by link. */
const addFurther = async (
  connection: Queryable,
  { catalog }: Pick<WriteContext, 'catalog'>,
  { parent, above: [link, ...above], ids }: Further,
  needed: NeededRecords,
): Promise<void> => {
  if (!link || ids.length === 0) return
  const next = getEntity(catalog, link.target ?? '')
  const select = sql`
    SELECT DISTINCT ${ref(link.name, 'p')} AS id
    FROM ${table(parent)} p
    WHERE p.id = ANY (${ints(ids)}) AND ${ref(link.name, 'p')} IS NOT NULL`
  const linked = (await queryShaped<{ id: number }>(connection, select)).map(({ id }) => id)
  add(needed, next, linked, false)
  await addFurther(connection, { catalog }, { parent: next, above, ids: linked }, needed)
}

const add = (
  needed: NeededRecords,
  { key }: Entity,
  ids: Iterable<number>,
  isWritten: boolean,
): void => {
  const known = needed.get(key) ?? { ids: new Set(), isWritten: false }
  for (const id of ids) known.ids.add(id)
  known.isWritten ||= isWritten
  needed.set(key, known)
}

const setByWriter = new Set(['_created_by', '_updated_by', '_owned_by'])

/** The records with their links as they are, and as they will be. */
const sourcesOf = (
  { entity, userId }: WriteContext,
  links: readonly Column[],
  { links: values, rows }: WriteNeeds,
  ids: readonly number[] | 'new',
): readonly Sql[] => {
  const sourceOf = (cellOf: (link: Column) => Sql, from: Sql) =>
    sql`(SELECT ${join([ids === 'new' ? sql`0 AS id` : ref('id', 'o'), ...links.map(cellOf)], ', ')}${from})`
  const given = (link: Column): Sql | undefined => {
    const value = values.get(link)
    return value === undefined
      ? undefined
      : sql`${bound(value, link.type.cast)} AS ${ref(link.name)}`
  }
  const byWriter = ({ name }: Column) => sql`${int(userId)} AS ${ref(name)}`
  if (ids === 'new' && rows) return [rows(links)]
  if (ids === 'new') {
    const empty = ({ name }: Column) => sql`NULL::integer AS ${ref(name)}`
    const cellOf = (link: Column) =>
      given(link) ?? (setByWriter.has(link.name) ? byWriter(link) : empty(link))
    return [sourceOf(cellOf, nothing)]
  }
  const from = sql` FROM ${table(entity)} o WHERE o.id = ANY (${ints(ids)})`
  const asIs = ({ name }: Column) => ref(name, 'o')
  const changed = (link: Column) =>
    given(link) ?? (link.name === '_updated_by' ? byWriter(link) : undefined)
  const now = sourceOf(asIs, from)
  if (rows) return [now, rows(links)]
  return links.some((link) => changed(link) !== undefined)
    ? [now, sourceOf((link) => changed(link) ?? asIs(link), from)]
    : [now]
}

/** What keeps something of records that keep something themselves, and what conditions ask such records of. */
const addAbove = async (
  connection: Queryable,
  place: Pick<WriteContext, 'catalog' | 'entity'>,
  columns: readonly string[],
  ids: readonly number[],
  needed: NeededRecords,
): Promise<void> => {
  const { catalog, entity } = place
  const names = [...columns, ...calculatedColumns(entity).map(({ name }) => name)]
  const rollups = affectedRollups(place, names)
  const above = [...rollups, ...affectedLists(place, names)]
  for (const [parent, own] of Map.groupBy(above, (one) => one.parent)) {
    const links = [...new Set(own.map(({ link }) => link))].map((link) => ref(link.name, 'c'))
    const linked = await queryShaped<{ id: number }>(
      connection,
      sql`
        SELECT DISTINCT l.id
        FROM ${table(entity)} c
        CROSS JOIN LATERAL unnest(ARRAY[${join(links, ', ')}]) AS l (id)
        WHERE c.id = ANY (${ints(ids)}) AND l.id IS NOT NULL`,
    )
    const kept = rollups.flatMap((one) => (one.parent === parent ? [one.column.name] : []))
    const isWritten = kept.length > 0
    const known = needed.get(parent.key)
    const isKnown = (id: number) => known?.ids.has(id) === true && (known.isWritten || !isWritten)
    // Records may link to each other in a circle.
    const more = linked.map(({ id }) => id).filter((id) => !isKnown(id))
    if (more.length === 0) continue
    add(needed, parent, more, isWritten)
    if (isWritten) await addAbove(connection, { catalog, entity: parent }, kept, more, needed)
  }
}

// What each operation on a record needs of other records, before it is locked.

/** A value of a field that only the service writes. */
export const systemValue = (entity: Entity, name: string, value: SqlValue): Values => {
  const column = entity.columnsByName.get(name)
  if (!column) throw new Error(`The entity ${entity.key} has no column ${name}.`)
  return new Map([[column, value]])
}

const needsOfValues = (values: Values): WriteNeeds => ({
  columns: [...values.keys()].map(({ name }) => name),
  links: values,
  conditions: [],
})

export const needsOfNew = (context: WriteContext, values: Values): WriteNeeds => ({
  links: values,
  conditions: [...conditionsOf(context, 'create'), ...validationConditions(context)],
})

export const needsOfChange = (context: WriteContext, values: Values): WriteNeeds => ({
  ...needsOfValues(values),
  conditions: [
    ...conditionsOf(context, 'update'),
    ...validationConditions(context, [...values.keys()]),
  ],
})

export const needsOfRemoval = (context: WriteContext): WriteNeeds => ({
  columns: ['_is_deleted'],
  links: new Map(),
  conditions: conditionsOf(context, 'delete'),
})

export const needsOfOwnership = (context: WriteContext): WriteNeeds =>
  needsOfValues(systemValue(context.entity, '_owned_by', context.userId))
