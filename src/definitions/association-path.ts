/** Resolves a path such as `supplier.country.name` against the catalog, one step at a time. */
import { didYouMean } from '../did-you-mean.ts'
import { shorten } from '../issues.ts'
import type { Catalog, Column, Entity } from './catalog.ts'
import { type FieldOf, fieldTypeOf } from './field-types.ts'

type ResolvedPath = {
  /** The many-to-one columns on the way, starting at the entity; one-to-many fields too, where these are followed. */
  readonly steps: readonly Column[]
  /** The column at the end; for a path that ends on an association, its id. */
  readonly column: Column
  readonly entity: Entity
}

/** A resolved path, or the issue of its first wrong part. */
type PathResult =
  | { readonly path: ResolvedPath }
  | {
      readonly message: string
      /** The entity that is not there, or not read, which has a finding of its own. */
      readonly lacking?: string
    }

/** Decides whether a column is visible; others are treated as unknown. */
export type MaySee = (entity: Entity, column: Column) => boolean

const everything: MaySee = () => true

/** Of any depth; over one-to-many fields only where `lists` says so, for what a condition names (`lines.amount`). */
export const resolvePath = (
  catalog: Catalog,
  start: Entity,
  text: string,
  maySee: MaySee = everything,
  lists: 'no lists' | 'lists' = 'no lists',
): PathResult => {
  const names = text.split('.')
  const steps: Column[] = []
  let entity = start
  for (const name of names.slice(0, -1)) {
    const list = lists === 'lists' ? findList(catalog, entity, name, maySee) : undefined
    const column = list ? listColumn(list.field) : entity.associations.get(name)
    if (!column || !maySee(entity, column))
      return { message: unknownStep(entity, name, maySee), ...lackingIn(catalog, entity) }
    const key = column.target ?? ''
    const target = catalog.entities.get(key)
    if (!target)
      return { message: `"${name}" links to "${key}", which is not an entity`, lacking: key }
    if (!target.columns.some((one) => maySee(target, one)))
      return { message: `"${shorten(name)}" leads to records that you may not read` }
    steps.push(column)
    entity = target
  }
  const last = names.at(-1) ?? ''
  const column = entity.columnsByName.get(last) ?? entity.associations.get(last)
  if (!column || !maySee(entity, column))
    return { message: unknownField(entity, last, maySee), ...lackingIn(catalog, entity) }
  return { path: { steps, column, entity } }
}

/** Whether the file of an entity has faults: what it seems to lack may be what could not be read. */
export const isUnread = ({ unread }: Catalog, entityKey: string): boolean =>
  unread?.has(`entities/${entityKey}`) === true

/** What is wrong with a path of a definition; a link to an entity that is not there is reported at the link. */
export const pathIssue = (result: PathResult): string | undefined =>
  'message' in result && result.lacking === undefined ? result.message : undefined

const lackingIn = (catalog: Catalog, { key }: Entity): { readonly lacking?: string } =>
  isUnread(catalog, key) ? { lacking: key } : {}

/** A one-to-many field as a column: roles hide it by its key, like other fields. */
export const listColumn = (field: FieldOf<'oneToMany'>): Column => ({
  name: field.key,
  field,
  type: fieldTypeOf(field),
  isSystem: false,
  isCalculated: false,
  writtenBy: [],
  target: field.entity,
})

/** A one-to-many field with the records that it has. */
export type List = {
  readonly field: FieldOf<'oneToMany'>
  readonly target: Entity
  /** The column of these records that links back. */
  readonly link: Column
}

/** The one-to-many field of a name; undefined if it, its records or their link back are not visible. */
export const findList = (
  { entities }: Catalog,
  entity: Entity,
  name: string,
  maySee: MaySee = everything,
): List | undefined => {
  const field = entity.oneToMany.get(name)
  const target = entities.get(field?.entity ?? '')
  const link = target?.associations.get(field?.mappedBy ?? '')
  const isSeen =
    field && target && link && maySee(entity, listColumn(field)) && maySee(target, link)
  return isSeen ? { field, target, link } : undefined
}

const isSeenList = (entity: Entity, name: string, maySee: MaySee): boolean => {
  const field = entity.oneToMany.get(name)
  return field !== undefined && maySee(entity, listColumn(field))
}

const unknownStep = (entity: Entity, name: string, maySee: MaySee): string => {
  if (isSeenList(entity, name, maySee)) return oneToManyRefused(entity, name)
  const column = entity.columnsByName.get(name)
  if (column && maySee(entity, column))
    return `"${name}" of ${entity.key} is not an association, so the path cannot continue through it`
  return `"${shorten(name)}" is not an association of ${entity.key}${didYouMean(name, visible(entity, maySee))}`
}

const unknownField = (entity: Entity, name: string, maySee: MaySee): string =>
  isSeenList(entity, name, maySee)
    ? oneToManyRefused(entity, name)
    : `"${shorten(name)}" is not a field of ${entity.key}${didYouMean(name, visible(entity, maySee))}`

const oneToManyRefused = (entity: Entity, name: string) =>
  `"${name}" of ${entity.key} is a one-to-many field: it has many records, not one value; conditions ask these with "$some" and "$none"`

/** The message of a name that is no one-to-many field which is visible. */
export const unknownList = (
  catalog: Catalog,
  entity: Entity,
  name: string,
  maySee: MaySee,
): string => {
  const seen = [...entity.oneToMany.keys()].filter((one) => findList(catalog, entity, one, maySee))
  return `"${shorten(name)}" is not a one-to-many field of ${entity.key}${didYouMean(name, seen)}`
}

const visible = (entity: Entity, maySee: MaySee): string[] =>
  entity.columns
    .filter((column) => maySee(entity, column))
    .flatMap((column) => [column.name, column.field.key])
