/** Chooses the links of a record that a document reads: many-to-one fields, two levels deep, and lists. */
import { listColumn } from '../definitions/association-path.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import type { FieldOf } from '../definitions/field-types.ts'
import type { Access } from '../query/access.ts'
import { mayInclude } from '../query/user-visibility.ts'

/** Names that occur in a template; other fields need not be read. */
export type Names = ReadonlySet<string>

type EventVisibility = { readonly catalog: Catalog; readonly access: Access }

export type Links = {
  /** Many-to-one paths to expand. */
  readonly include: readonly string[]
  /** Visible links to records that are not readable; they are null. */
  readonly unreadable: readonly string[]
}

export type List = { readonly field: FieldOf<'oneToMany'>; readonly target: Entity }

// The planner's maximum of joins.
const maxLinks = 100

/** The wanted links of an entity, and below them those that the template names. */
export const linksOf = (
  sight: EventVisibility,
  entity: Entity,
  names: Names,
  isWanted: (name: string) => boolean,
): Links => {
  const wanted = seenLinks(sight, entity).filter(([name]) => isWanted(name))
  const readable = wanted.filter(([, column]) => targetOf(sight, column))
  const deeper = readable.flatMap(([, column]) => deeperLinks(sight, column, names))
  return {
    // Deeper links come last, so that they are the ones omitted beyond the limit.
    include: [...readable.map(([, { field }]) => field.key), ...deeper].slice(0, maxLinks),
    unreadable: wanted.filter(([, column]) => !targetOf(sight, column)).map(([name]) => name),
  }
}

const deeperLinks = (sight: EventVisibility, column: Column, names: Names): string[] => {
  const target = targetOf(sight, column)
  const inside = target ? seenLinks(sight, target) : []
  return inside
    .filter(([name, inner]) => names.has(name) && targetOf(sight, inner))
    .map(([, inner]) => `${column.field.key}.${inner.field.key}`)
}

/** Keyed by the name in a record: `_created_by` is `created_by` there. */
const seenLinks = ({ access }: EventVisibility, entity: Entity): [string, Column][] =>
  [...entity.associations]
    .filter(([, column]) => access.maySee(entity, column))
    .map(([key, column]) => [key.replace(/^_/, ''), column])

/** The target entity of a link, if its records are readable, or their names. */
const targetOf = ({ catalog, access }: EventVisibility, { target }: Column): Entity | undefined => {
  const entity = catalog.entities.get(target ?? '')
  return entity && mayInclude(access, entity) ? entity : undefined
}

/** The lists of an entity that the template names; undefined for one that is not readable. */
export const listsOf = (
  { catalog, access }: EventVisibility,
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

/** Roles hide lists by key, like other fields. */
export const maySeeList = (access: Access, entity: Entity, field: FieldOf<'oneToMany'>): boolean =>
  access.maySee(entity, listColumn(field))
