/** The fields that a filter compares: those of the entity, and those of the records that it links to. */
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { Entity, Field } from '../../api/types.ts'
import { comparisonsOf, kindOf } from '../format/field-kinds.ts'
import { type Entities, isChosen, type ListColumn, nameFieldOf } from '../values/columns.ts'

export type FilterField = {
  /** What criteria call it: `total`, `supplier`, `supplier.name`. */
  readonly path: string
  readonly label: string
  readonly field: Field
  /** The entity that has the field. */
  readonly owner: Entity
  /** The links that lead to it, by their names. */
  readonly behind: string
}

// Entities link to each other in circles; further fields come by an address alone.
const maxLinks = 3

/** A link is compared by its record, and goes by its key. */
const nameOf = (field: Field): string =>
  kindOf(field).isLink ? field.key : (field.column ?? field.key)

const isCompared = (field: Field, entities: Entities): boolean =>
  field.column !== null &&
  comparisonsOf(field).length > 0 &&
  isChosen(field, entities) &&
  field.linkName === undefined

/** The service's own fields come last, but for the step. */
const isMain = ({ field: { isSystem, column } }: FilterField): boolean =>
  !isSystem || column === '_step'

/** A link to records that cannot be chosen is compared by their names. */
const fieldsFor = (field: Field, owner: Entity, entities: Entities): readonly FilterField[] => {
  const common = { label: labelOf(field), owner, behind: '' }
  if (isCompared(field, entities)) return [{ path: nameOf(field), field, ...common }]
  const name = field.linkName !== undefined && nameFieldOf(field, entities)
  if (!name) return []
  const { isSystem } = field
  return [{ path: `${field.key}.${name.key}`, field: { ...name, isSystem }, ...common }]
}

const ownFields = (entity: Entity, entities: Entities): readonly FilterField[] => {
  const compared = entity.fields.flatMap((field) => fieldsFor(field, entity, entities))
  return [...compared.filter(isMain), ...compared.filter((one) => !isMain(one))]
}

const fieldBehind = (
  link: FilterField,
  { path, label, behind, ...found }: FilterField,
): FilterField => ({
  ...found,
  path: `${link.path}.${path}`,
  label: `${link.label} › ${label}`,
  behind: behind === '' ? link.label : `${link.label} › ${behind}`,
})

/** The fields over so many links, the nearer ones first. */
export const filterFields = (
  entity: Entity,
  entities: Entities,
  links = maxLinks,
): readonly FilterField[] => {
  const levels = [ownFields(entity, entities)]
  for (let level = 0; level < links; level += 1)
    levels.push(
      (levels[level] ?? []).flatMap((link) => {
        const target = entities.get(link.field.entity ?? '')
        if (!kindOf(link.field).isLink || !target) return []
        return ownFields(target, entities).map((field) => fieldBehind(link, field))
      }),
    )
  return levels.flat()
}

/** The field of a path over any number of links, or of a condition on a one-to-many field; undefined where a part of it is not known. */
export const filterFieldAt = (
  path: string,
  entity: Entity,
  entities: Entities,
): FilterField | undefined => {
  const [first = '', ...rest] = path.split('.')
  const isNamed = (field: Field) => field.column === first || nameOf(field) === first
  const known = ownFields(entity, entities)
  const own = known.find((one) => one.path === path) ?? known.find(({ field }) => isNamed(field))
  if (own?.path === path) return own
  if (rest.length === 0)
    return own ? { ...own, path } : byId(entity.fields.find(isNamed), entity, path)
  const from = own ?? listFieldAt(first, entity, entities)
  const target = entities.get(from?.field.entity ?? '')
  const found = target && filterFieldAt(rest.join('.'), target, entities)
  return from && found && { ...fieldBehind(from, found), path }
}

/** A one-to-many field, also over links; undefined where it is not known. */
export const listFieldAt = (
  path: string,
  entity: Entity,
  entities: Entities,
): FilterField | undefined => {
  const end = path.lastIndexOf('.')
  const link = end < 0 ? undefined : filterFieldAt(path.slice(0, end), entity, entities)
  const owner = end < 0 ? entity : entities.get(link?.field.entity ?? '')
  const field = owner?.fields.find((one) => kindOf(one).isList && one.key === path.slice(end + 1))
  if (!owner || !field) return undefined
  const list = { path, label: labelOf(field), field, owner, behind: '' }
  return link ? { ...fieldBehind(link, list), path } : list
}

/** A filter from elsewhere may compare the id of what cannot be chosen. */
const byId = (field: Field | undefined, owner: Entity, path: string): FilterField | undefined =>
  field?.linkName === undefined
    ? undefined
    : { path, label: labelOf(field), field, owner, behind: '' }

/** What the values of a field are, so that values of the same can be compared. */
const comparedAs = ({ field, owner }: FilterField): string | undefined => {
  if (kindOf(field).isLink) return `id of ${field.entity}`
  return field.column === 'id' ? `id of ${owner.key}` : kindOf(field).comparedAs
}

/** Whether two fields can be compared with each other: numbers, texts, days, moments, or records of one entity. */
export const areComparable = (one: FilterField, other: FilterField): boolean =>
  one.path !== other.path && comparedAs(one) !== undefined && comparedAs(one) === comparedAs(other)

/** What names a linked record stands for the record. */
export const recordPath = (path: string, entity: Entity, entities: Entities): string => {
  const [last = '', ...links] = path.split('.').reverse()
  const link = links.reverse().join('.')
  const field = link === '' ? undefined : filterFieldAt(link, entity, entities)?.field
  if (field?.linkName !== undefined) return path
  return entities.get(field?.entity ?? '')?.displayField === last ? link : path
}

/** The fields that the columns of a list show: a link by its record. */
export const shownFields = (
  columns: readonly ListColumn[],
  entity: Entity,
  entities: Entities,
): readonly FilterField[] =>
  columns.flatMap(
    ({ path }) => filterFieldAt(recordPath(path, entity, entities), entity, entities) ?? [],
  )
