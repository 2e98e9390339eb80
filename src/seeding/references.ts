/** Resolves links by a unique value, all of one file and column in one query. */
import type { Queryable } from '../database/pool.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import {
  errorAt,
  type Reference,
  type SeedError,
  type SeedFile,
  type SeedRecord,
  uniqueColumns,
} from './files/seed.ts'
import { findIds, listValues } from './seed-store.ts'
import { asIndexed, indexOf } from './unique-values.ts'

/** Values of files with errors: links to them are not reported. */
export type Unloaded = {
  /** Entities with records that could not be read. */
  readonly entities: Set<string>
  readonly records: Set<string>
}

/** Ids of the file's own records by unique column and value, independent of their order. */
type OwnIds = ReadonlyMap<string, number>

type Resolving = {
  readonly connection: Queryable
  readonly catalog: Catalog
  readonly seed: SeedFile
  readonly unloaded: Unloaded
  readonly own?: OwnIds
}

type Link = { readonly record: SeedRecord; readonly reference: Reference }

type Group = { readonly column: Column; readonly by: Column; readonly links: Map<SqlValue, Link[]> }

/** Sets the ids of resolved references; returns the unresolved ones. */
export const resolveReferences = async (
  resolving: Resolving,
  records: readonly SeedRecord[],
  isMeant: (reference: Reference) => boolean,
): Promise<{ errors: SeedError[]; isBlocked: boolean }> => {
  const errors: SeedError[][] = []
  let isBlocked = false
  for (const group of groupsOf(records, isMeant)) {
    const missing = await resolveGroup(resolving, group)
    if (missing.length === 0) continue
    const target = targetOf(resolving.catalog, group.column)
    const real = missing.filter((value) => !isUnloaded(resolving.unloaded, target, group.by, value))
    isBlocked ||= real.length < missing.length
    for (const value of missing)
      for (const { record, reference } of group.links.get(value) ?? [])
        record.wrong.add(reference.column)
    if (real.length > 0) errors.push(await explain(resolving, group, target, real))
  }
  return { errors: errors.flat(), isBlocked }
}

/** The ids of a file's records by every identifying value. */
export const ownIdsOf = (entity: Entity, records: readonly SeedRecord[]): OwnIds => {
  const ids = new Map<string, number>()
  const removed = entity.columnsByName.get('_is_deleted')
  const isRemoved = ({ values }: SeedRecord) =>
    removed !== undefined && values.get(removed) === true
  // A record that is not removed takes precedence over a removed one.
  const sorted = [...records.filter(isRemoved), ...records.filter((record) => !isRemoved(record))]
  for (const column of uniqueColumns(entity))
    for (const { values, id, isRemovedByPeople } of sorted) {
      const value = values.get(column) ?? null
      if (value !== null && !isRemovedByPeople) ids.set(nameOf(entity, column, value), id)
    }
  return ids
}

/** Stores the values of a file with errors. */
export const addUnloaded = (unloaded: Unloaded, seed: SeedFile, records: readonly SeedRecord[]) => {
  if (!seed.isWhole) unloaded.entities.add(seed.entity.key)
  for (const name of ownIdsOf(seed.entity, records).keys())
    unloaded.records.add(`${seed.entity.key} ${name}`)
}

const isUnloaded = (unloaded: Unloaded, target: Entity, by: Column, value: SqlValue): boolean =>
  unloaded.entities.has(target.key) ||
  unloaded.records.has(`${target.key} ${nameOf(target, by, value)}`)

const nameOf = (entity: Entity, column: Column, value: SqlValue): string =>
  `${column.name} ${asIndexed(indexOf(entity, [column]), column, value)}`

const targetOf = (catalog: Catalog, { target = '' }: Column): Entity => {
  const entity = catalog.entities.get(target)
  if (!entity) throw new Error(`The catalog has no entity "${target}".`)
  return entity
}

const groupsOf = (
  records: readonly SeedRecord[],
  isMeant: (reference: Reference) => boolean,
): Iterable<Group> => {
  const groups = new Map<string, Group>()
  for (const record of records)
    for (const reference of record.references) {
      if (!isMeant(reference)) continue
      const { column, by, value } = reference
      const name = `${column.name} ${by.name}`
      const group = groups.get(name) ?? { column, by, links: new Map() }
      groups.set(name, group)
      const links = group.links.get(value) ?? []
      group.links.set(value, links)
      links.push({ record, reference })
    }
  return groups.values()
}

const resolveGroup = async (
  { connection, catalog, own }: Resolving,
  { column, by, links }: Group,
): Promise<SqlValue[]> => {
  const found = new Map<SqlValue, { readonly id: number; readonly is_deleted: boolean }>()
  const target = targetOf(catalog, column)
  for (const value of links.keys()) {
    const id = own?.get(nameOf(target, by, value))
    if (id !== undefined) found.set(value, { id, is_deleted: false })
  }
  const values = [...links.keys()].filter((value) => !found.has(value))
  if (values.length > 0)
    for (const [index, record] of await findIds(connection, { target, by, values }))
      found.set(values[index] ?? null, record)
  for (const [value, { id, is_deleted }] of found)
    for (const { record, reference } of links.get(value) ?? []) {
      record.values.set(column, id)
      reference.isRemoved = is_deleted
    }
  return values.filter((value) => !found.has(value))
}

/**
 * Errors of links to removed records. An existing record may keep such a link; a new one needs a target
 * that is not removed.
 */
export const checkRemovedTargets = (
  seed: SeedFile,
  records: readonly SeedRecord[],
): SeedError[] => {
  const errors: SeedError[] = []
  for (const { isNew, values, references } of records)
    for (const { column, by, value, path, isRemoved } of references) {
      // Users who wrote a record may have been removed since.
      if (!isRemoved || column.isSystem) continue
      if (!isNew) values.delete(column)
      else errors.push(errorAt(seed, path, removedTarget(column, by, value)))
    }
  return errors
}

const removedTarget = ({ target }: Column, by: Column, value: SqlValue): string =>
  `the ${target} with the ${by.name} ${JSON.stringify(value)} was removed; restore it, or link to another one`

const explain = async (
  { connection, seed }: Resolving,
  { by, links }: Group,
  target: Entity,
  missing: readonly SqlValue[],
): Promise<SeedError[]> => {
  const known = by.type.comparison === 'text' ? await listValues(connection, target, by) : []
  return missing.flatMap((value) => {
    const shown = typeof value === 'string' ? JSON.stringify(value) : value
    const message = () =>
      `there is no ${target.key} with the ${by.name} ${shown}${didYouMean(String(value), known)}`
    return (links.get(value) ?? []).map(({ reference }) => errorAt(seed, reference.path, message))
  })
}
