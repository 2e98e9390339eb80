/** Resolves a path such as `supplier.country.name` against the catalog, one step at a time. */

import { didYouMean } from '../did-you-mean.ts'
import { shorten } from '../issues.ts'
import type { Catalog, Column, Entity } from './catalog.ts'

type ResolvedPath = {
  /** The many-to-one columns walked through, from the entity outwards. */
  readonly steps: readonly Column[]
  /** The column at the end; a path that ends on an association gives its id. */
  readonly column: Column
  /** The entity that the column belongs to. */
  readonly entity: Entity
}

/** A path resolved, or the sentence that says which part of it is wrong. */
export type PathResult =
  | { readonly path: ResolvedPath }
  | {
      readonly message: string
      /** The entity that the path leads to and that the catalog lacks: an error of its own. */
      readonly lacking?: string
    }

/** Decides whether a column may be seen; what may not is as good as unknown. */
export type MaySee = (entity: Entity, column: Column) => boolean

const everything: MaySee = () => true

/** Any depth; a one-to-many anywhere in the path is refused. */
export const resolvePath = (
  catalog: Catalog,
  start: Entity,
  text: string,
  maySee: MaySee = everything,
): PathResult => {
  const names = text.split('.')
  const steps: Column[] = []
  let entity = start
  for (const name of names.slice(0, -1)) {
    const column = entity.associations.get(name)
    if (!column || !maySee(entity, column)) return { message: unknownStep(entity, name, maySee) }
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
  if (!column || !maySee(entity, column)) return { message: unknownField(entity, last, maySee) }
  return { path: { steps, column, entity } }
}

const unknownStep = (entity: Entity, name: string, maySee: MaySee): string => {
  if (entity.oneToMany.has(name)) return oneToManyRefused(entity, name)
  if (entity.columnsByName.has(name))
    return `"${name}" of ${entity.key} is no association, so the path cannot go on through it`
  return `"${shorten(name)}" is not an association of ${entity.key}${didYouMean(name, visible(entity, maySee))}`
}

const unknownField = (entity: Entity, name: string, maySee: MaySee): string =>
  entity.oneToMany.has(name)
    ? oneToManyRefused(entity, name)
    : `"${shorten(name)}" is not a field of ${entity.key}${didYouMean(name, visible(entity, maySee))}`

const oneToManyRefused = (entity: Entity, name: string) =>
  `"${name}" of ${entity.key} is a one-to-many field: it holds many records, not one value`

const visible = (entity: Entity, maySee: MaySee): string[] =>
  entity.columns
    .filter((column) => maySee(entity, column))
    .flatMap((column) => [column.name, column.field.key])
