/** What a document follows from a record: many-to-one fields, two levels deep, and lists. */
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import type { FieldOf } from '../definitions/field-types.ts'
import { fieldTypeOf } from '../definitions/field-types.ts'
import type { Access } from '../query/access.ts'

/** Names in a template; those that stand nowhere in it need not be read. */
export type Names = ReadonlySet<string>

type Sight = { readonly catalog: Catalog; readonly access: Access }

export type Links = {
  /** Many-to-one paths to expand. */
  readonly include: readonly string[]
  /** Links that may be seen, to records that may not: they are there, and null. */
  readonly unreadable: readonly string[]
}

export type List = { readonly field: FieldOf<'oneToMany'>; readonly target: Entity }

// The planner takes so many joins.
const maxLinks = 100

/** The links of an entity that are wanted, and below them those that the template names. */
export const linksOf = (
  sight: Sight,
  entity: Entity,
  names: Names,
  isWanted: (name: string) => boolean,
): Links => {
  const wanted = seenLinks(sight, entity).filter(([name]) => isWanted(name))
  const readable = wanted.filter(([, column]) => targetOf(sight, column))
  const deeper = readable.flatMap(([, column]) => deeperLinks(sight, column, names))
  return {
    // What lies deeper comes last, and is what is left out where there is too much.
    include: [...readable.map(([, { field }]) => field.key), ...deeper].slice(0, maxLinks),
    unreadable: wanted.filter(([, column]) => !targetOf(sight, column)).map(([name]) => name),
  }
}

const deeperLinks = (sight: Sight, column: Column, names: Names): string[] => {
  const target = targetOf(sight, column)
  const inside = target ? seenLinks(sight, target) : []
  return inside
    .filter(([name, inner]) => names.has(name) && targetOf(sight, inner))
    .map(([, inner]) => `${column.field.key}.${inner.field.key}`)
}

/** By the name in a record: the user behind `_created_by` is `created_by`. */
const seenLinks = ({ access }: Sight, entity: Entity): [string, Column][] =>
  [...entity.associations]
    .filter(([, column]) => access.maySee(entity, column))
    .map(([key, column]) => [key.replace(/^_/, ''), column])

/** The entity that a link leads to, where its records may be read. */
const targetOf = ({ catalog, access }: Sight, { target }: Column): Entity | undefined => {
  const entity = catalog.entities.get(target ?? '')
  return entity && access.readScope(entity) !== 'none' ? entity : undefined
}

/** The lists of an entity that the template names; undefined in place of one that may not be read. */
export const listsOf = (
  { catalog, access }: Sight,
  entity: Entity,
  names: Names,
): ReadonlyMap<string, List | undefined> =>
  new Map(
    [...entity.oneToMany.values()].flatMap((field) => {
      const target = catalog.entities.get(field.entity)
      const back = target?.associations.get(field.mappedBy)
      if (!target || !back || !names.has(field.key)) return []
      if (!maySeeList(access, entity, field)) return []
      const isReadable = access.readScope(target) !== 'none' && access.maySee(target, back)
      return [[field.key, isReadable ? { field, target } : undefined]]
    }),
  )

/** Roles hide lists by their keys, like any field. */
export const maySeeList = (access: Access, entity: Entity, field: FieldOf<'oneToMany'>): boolean =>
  access.maySee(entity, asColumn(field))

const asColumn = (field: FieldOf<'oneToMany'>): Column => ({
  name: field.key,
  field,
  type: fieldTypeOf(field),
  isSystem: false,
  target: field.entity,
})
