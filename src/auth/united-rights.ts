/** Several roles of a user: what one of them grants, they have, as far as that grant reaches. */
import { listColumn } from '../definitions/association-path.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { PartialScope, RecordScope } from '../query/access.ts'
import {
  type EntityRights,
  type ImportRight,
  isHidden,
  isReadOnly,
  type RecordRight,
} from './entity-rights.ts'

/** The records that are in one of the scopes. */
export const anyScope = (scopes: readonly RecordScope[]): RecordScope => {
  if (scopes.includes('all')) return 'all'
  const some = scopes.filter((scope): scope is PartialScope => typeof scope !== 'string')
  const [only, ...others] = some
  if (!only) return 'none'
  return others.length === 0 ? only : { any: some }
}

/** Roles that grant a right to the same records, for each user who has them. */
type Grant = { readonly roleKey: string; readonly scope: true | 'own' }

/** By which roles a right is granted, each within what the same role reads. */
export const grantsOf = (
  roleKeys: readonly string[],
  entity: Entity,
  right: RecordRight,
  resolved: (roleKey: string) => { readonly rightsOf: (entity: Entity) => EntityRights },
): readonly Grant[] => {
  const grants = roleKeys.flatMap((roleKey) => {
    const { scopes, conditions } = resolved(roleKey).rightsOf(entity)
    if (scopes[right] === false || scopes.read === false) return []
    const scope: Grant['scope'] = scopes[right] === 'own' || scopes.read === 'own' ? 'own' : true
    return [{ roleKey, scope, group: conditions.read === undefined ? String(scope) : roleKey }]
  })
  return [...Map.groupBy(grants, ({ group }) => group).values()].flatMap((alike) =>
    alike.slice(0, 1).map(({ scope }) => ({
      scope,
      roleKey: alike.map(({ roleKey }) => roleKey).join(),
    })),
  )
}

/** The rights on an entity, whatever the record. Conditions are those of each role alone. */
export const unitedRights = (entity: Entity, each: readonly EntityRights[]): EntityRights => {
  const readers = each.filter(({ scopes }) => scopes.read !== false)
  const writers = each.filter(({ create, scopes }) => create || scopes.update !== false)
  const hidden = (readers.length > 0 ? readers : each).map(
    (one) => (column: Column) => isHidden(one, column),
  )
  const unwritten = (writers.length > 0 ? writers : each).map(
    (one) => (column: Column) => isReadOnly(one, column) || isHidden(one, column),
  )
  return {
    create: each.some(({ create }) => create),
    import: widestImport(each),
    scopes: Object.fromEntries(
      scopeNames(each).map((right) => [right, widest(each.map(({ scopes }) => scopes[right]))]),
    ) as EntityRights['scopes'],
    actions: new Set(each.flatMap(({ actions }) => [...actions])),
    hiddenFields: namesOf(entity, hidden),
    readOnlyFields: namesOf(entity, unwritten).difference(namesOf(entity, hidden)),
    conditions: {},
  }
}

const widestImport = (each: readonly EntityRights[]): ImportRight =>
  each.some((one) => one.import === 'history')
    ? 'history'
    : each.some((one) => one.import !== false)

const scopeNames = ([one]: readonly EntityRights[]) =>
  Object.keys(one?.scopes ?? {}) as readonly RecordRight[]

const widest = (scopes: readonly (boolean | 'own')[]): boolean | 'own' =>
  scopes.find((scope) => scope === true) ?? scopes.find((scope) => scope === 'own') ?? false

/** Keys and names of the fields of which all tests hold. */
const namesOf = (
  entity: Entity,
  tests: readonly ((column: Column) => boolean)[],
): ReadonlySet<string> => {
  const fields = [...entity.columns, ...[...entity.oneToMany.values()].map(listColumn)]
  const found = fields.filter((column) => tests.every((test) => test(column)))
  return new Set(found.flatMap(({ name, field }) => [name, field.key]))
}

/**
 * The columns that some of the roles who read an entity show and others hide, with those who show them. A role that hides one is no
 * matter where it reads what another reads, which shows it.
 */
export const shownByRoles = (
  entity: Entity,
  byRole: ReadonlyMap<string, EntityRights>,
): ReadonlyMap<string, string> => {
  const readers = [...byRole].filter(([, { scopes }]) => scopes.read !== false)
  const isOwn = ([, { scopes, conditions }]: (typeof readers)[number]) =>
    scopes.read === 'own' && conditions.read === undefined
  const isWhole = ([, { scopes, conditions }]: (typeof readers)[number]) =>
    scopes.read === true && conditions.read === undefined
  return new Map(
    entity.columns.filter(isPartial).flatMap((column) => {
      const hides = ([, rights]: (typeof readers)[number]) => isHidden(rights, column)
      const showing = readers.filter((one) => !hides(one))
      const isEverywhere =
        showing.some(isWhole) ||
        readers.every((one) => !hides(one) || (isOwn(one) && showing.some(isOwn)))
      const keys = showing.map(([key]) => key).join()
      return showing.length === 0 || isEverywhere ? [] : [[column.name, keys] as const]
    }),
  )
}

// Lists leave removed records out by it, so that it always has its value: one of the roles shows it.
const isPartial = ({ name }: Column): boolean => name !== '_is_deleted'

/** A scope of records of which some show more than others: by column, the scope of the roles that show it. */
export const withShown = (
  scope: RecordScope,
  shownBy: ReadonlyMap<string, string>,
  scopeOfRoles: (roleKeys: string) => RecordScope,
): RecordScope => {
  if (shownBy.size === 0 || scope === 'none') return scope
  const scopes = new Map([...new Set(shownBy.values())].map((keys) => [keys, scopeOfRoles(keys)]))
  const shown = new Map(
    [...shownBy].map(([name, keys]) => [name, scopes.get(keys) ?? 'none'] as const),
  )
  return { ...(scope === 'all' ? {} : scope), shown }
}
