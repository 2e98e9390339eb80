/** The fields of an entity as one caller may see them. */
import type { Caller } from '../auth/caller.ts'
import { isHidden, isReadOnly } from '../auth/entity-rights.ts'
import type { Permissions } from '../auth/permissions.ts'
import { type MaySee, resolvePath } from '../definitions/association-path.ts'
import { calculationInputs, enteredInputs } from '../definitions/calculations/calculation-order.ts'
import { formulaOf } from '../definitions/calculations/formulas.ts'
import { findRollup } from '../definitions/calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import { type FieldDefinition, type FieldOf, unitPathOf } from '../definitions/field-types.ts'
import type { Access } from '../query/access.ts'
import { nameBeyondScope } from '../query/user-visibility.ts'

export type DefinitionDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** The entities for which the caller has a permission. */
export const visibleEntities = ({ catalog, permissions }: DefinitionDeps, caller: Caller) =>
  [...catalog.entities.values()].filter((entity) => permissions.touches(caller, entity))

/** The fields that the caller may see, without entities that they must not know about. */
export const visibleFields = (
  { catalog, permissions }: DefinitionDeps,
  caller: Caller,
  entity: Entity,
) => {
  const rights = permissions.rightsOf(caller, entity)
  const known = visibleEntities({ catalog, permissions }, caller).map(({ key }) => key)
  const mayKnow = (key: string) =>
    known.includes(key) || catalog.entities.get(key)?.isNative === true
  const access = permissions.accessOf(caller)
  const { maySee } = access
  /** A path that the caller may not follow is not named; null says that the numbers have different units. */
  const unitOf = (field: FieldDefinition): { readonly unit?: null } => {
    const path = unitPathOf(field)
    const isUnseen = path !== undefined && 'message' in resolvePath(catalog, entity, path, maySee)
    return isUnseen ? { unit: null } : {}
  }
  /** A calculation that reads what the caller may not see is not shown. */
  const calculationOf = (column: Column): { readonly formula?: null; readonly rollup?: null } => {
    const isSeen = calculationInputs(catalog, { entity, column }).every((one) =>
      maySee(one.entity, one.column),
    )
    const found = findRollup(catalog, entity, column)
    const list = found && 'rollup' in found ? found.rollup.list.key : ''
    if (isSeen && !rights.hiddenFields.has(list)) return {}
    return formulaOf(column) ? { formula: null } : { rollup: null }
  }
  /** A format that tells of a link which the caller does not see is not shown. */
  const numberingOf = ({ field, series }: Column) => {
    if (!series || field.type !== 'string' || !field.series) return {}
    const isSeen = [...series.before, ...series.after].every(
      (part) =>
        !('column' in part) ||
        'path' in resolvePath(catalog, entity, `${part.link}.${part.field}`, maySee),
    )
    return { series: { format: isSeen ? field.series.format : null, on: series.on } }
  }
  return [
    ...entity.columns
      .filter((column) => !isHidden(rights, column))
      .map((column) => ({
        ...withoutEarlier(column.field),
        ...unitOf(column.field),
        ...linkNameOf(catalog, column, access),
        ...calculationOf(column),
        ...numberingOf(column),
        // An entity that the caller must not know about is not named.
        ...(column.target && !mayKnow(column.target) && { entity: null }),
        column: column.name,
        isSystem: column.isSystem,
        isCalculated: column.isCalculated,
        ...(column.writtenBy.length > 0 && { writtenBy: column.writtenBy }),
        ...(isReadOnly(rights, column) && { isReadOnly: true }),
        ...(column.isCalculated && {
          calculatedFrom: calculatedFrom(catalog, { entity, column }, maySee),
        }),
      })),
    ...[...entity.oneToMany.values()]
      .filter((field) => !rights.hiddenFields.has(field.key) && mayKnow(field.entity))
      .map((field) => ({
        ...field,
        ...(!isLinkSeen(catalog, field, maySee) && { mappedBy: null }),
        ...orderOf(catalog, field, maySee),
        column: null,
        isSystem: false,
        isCalculated: false,
      })),
  ]
}

/** Of a link to records that the caller may not read, but may name. */
const linkNameOf = ({ entities }: Catalog, { target }: Column, access: Access) => {
  const linked = entities.get(target ?? '')
  const linkName = linked && nameBeyondScope(access, linked)
  return linkName === undefined ? {} : { linkName }
}

/** What the result follows from is named as far as it is seen: anyone who changes it sees the result change. */
const calculatedFrom = (
  catalog: Catalog,
  one: { readonly entity: Entity; readonly column: Column },
  maySee: MaySee,
): readonly string[] =>
  enteredInputs(catalog, one)
    .filter((read) => maySee(one.entity, read))
    .map(({ name }) => name)

/** Whether the caller sees the field of the other entity by which a list is found. */
const isLinkSeen = (
  { entities }: Catalog,
  { entity: key, mappedBy }: FieldOf<'oneToMany'>,
  maySee: MaySee,
): boolean => {
  const other = entities.get(key)
  const link = other?.associations.get(mappedBy)
  return other !== undefined && link !== undefined && maySee(other, link)
}

/** Null for a field that the caller does not see. */
const orderOf = (
  { entities }: Catalog,
  { entity: key, orderBy }: FieldOf<'oneToMany'>,
  maySee: MaySee,
): { readonly orderBy?: null } => {
  const other = entities.get(key)
  const column = other?.columnsByName.get(orderBy ?? '')
  const isUnseen = orderBy !== undefined && !(other && column && maySee(other, column))
  return isUnseen ? { orderBy: null } : {}
}

/** Only the database needs former names; of a series, a caller sees what it may (numberingOf). */
export const withoutEarlier = <T extends object>(part: T): WithoutEarlier<T> => {
  const {
    was: _was,
    earlierValues: _earlier,
    series: _series,
    ...rest
  } = part as T & Partial<Record<string, unknown>>
  return rest as WithoutEarlier<T>
}

type WithoutEarlier<T> = T extends unknown ? Omit<T, 'was' | 'earlierValues' | 'series'> : never
