/** Rollups: fields that the service calculates from the records of a one-to-many field, by a function of the table here. */
import { didYouMean } from '../../did-you-mean.ts'
import { kept } from '../../kept.ts'
import { isUnread } from '../association-path.ts'
import type { Catalog, Column, Entity } from '../catalog.ts'
import type { FieldDefinition, FieldOf, FieldTypeName } from '../field-types.ts'
import { isObject } from '../values/check-value.ts'
import { columnsBehind } from './formulas.ts'

type RollupRow = {
  readonly meaning: string
  /** What is calculated with; undefined: the records themselves are counted. */
  readonly takes: readonly FieldTypeName[] | undefined
  /** What is wrong with a field that is to keep the result; undefined if it fits. */
  readonly issueOf: (result: FieldDefinition, source: FieldDefinition) => string | undefined
  /** The aggregate as SQL, from the SQL of its column. */
  readonly toSql: (cell: string) => string
  /** What it is without records; undefined: empty. */
  readonly withoutRecords: string | undefined
}

const wider: Partial<Record<FieldTypeName, readonly FieldTypeName[]>> = {
  integer: ['integer', 'bigint', 'decimal'],
  bigint: ['bigint', 'decimal'],
  decimal: ['decimal'],
}

/** Digits that would be lost after the point. */
const scaleIssue = (result: FieldDefinition, source: FieldDefinition): string | undefined => {
  if (result.type !== 'decimal' || source.type !== 'decimal') return undefined
  if (result.precision === undefined) return undefined
  if (source.precision === undefined)
    return `has ${result.scale ?? 0} digits after the point, and "${source.key}" any number of them`
  const [own, other] = [result.scale ?? 0, source.scale ?? 0]
  return own < other
    ? `has ${own} digits after the point, and "${source.key}" has ${other}`
    : undefined
}

const sumIssue: RollupRow['issueOf'] = (result, source) => {
  const fitting = wider[source.type] ?? []
  return fitting.includes(result.type)
    ? scaleIssue(result, source)
    : `is ${result.type}; the sum of a field of type ${source.type} is ${fitting.join(' or ')}`
}

const sameIssue: RollupRow['issueOf'] = (result, source) =>
  result.type === source.type
    ? scaleIssue(result, source)
    : `is ${result.type}, and "${source.key}" is ${source.type}`

const ordered = ['integer', 'bigint', 'decimal', 'date', 'timestamp'] as const

export const rollupFunctions = {
  sum: {
    meaning: 'The exact sum; 0 without records.',
    takes: ['integer', 'bigint', 'decimal'],
    issueOf: sumIssue,
    toSql: (cell) => `coalesce(sum(${cell}), 0)`,
    withoutRecords: '0',
  },
  count: {
    meaning: 'How many records there are.',
    takes: undefined,
    issueOf: ({ type }) =>
      ['integer', 'bigint'].includes(type) ? undefined : `is ${type}; a count is integer or bigint`,
    toSql: () => 'count(*)',
    withoutRecords: '0',
  },
  min: {
    meaning: 'The smallest or earliest value; empty without one.',
    takes: ordered,
    issueOf: sameIssue,
    toSql: (cell) => `min(${cell})`,
    withoutRecords: undefined,
  },
  max: {
    meaning: 'The largest or latest value; empty without one.',
    takes: ordered,
    issueOf: sameIssue,
    toSql: (cell) => `max(${cell})`,
    withoutRecords: undefined,
  },
} as const satisfies Readonly<Record<string, RollupRow>>

type RollupName = keyof typeof rollupFunctions

/** The row of a function, with the type that is common to all rows. */
export const rollupFunctionOf = (name: RollupName): RollupRow => rollupFunctions[name]

/** The names of the functions, in the order of the table. */
export const rollupNames = Object.keys(rollupFunctions) as readonly RollupName[]

/** A rollup, with the columns that it reads. */
export type Rollup = {
  readonly parent: Entity
  /** Of the parent: what is kept. */
  readonly column: Column
  readonly name: RollupName
  /** Of the parent: the one-to-many field. */
  readonly list: FieldOf<'oneToMany'>
  readonly child: Entity
  /** Of the child: the link to the parent. */
  readonly link: Column
  /** Of the child: what is calculated with; undefined for a count. */
  readonly source: Column | undefined
  /** Criteria that a record of the child must match to count. */
  readonly where: object | undefined
  /** Of the child: what these name. */
  readonly asked: readonly Column[]
}

type Found = { readonly rollup: Rollup } | { readonly message: string }

type Declared = {
  readonly name: RollupName
  readonly path: string
  readonly where: object | undefined
}

/** What the field of a column says; undefined if it has no rollup. */
const declared = ({ field }: Column): Declared | undefined => {
  const rollup = 'rollup' in field ? field.rollup : undefined
  const name = rollup && rollupNames.find((one) => rollup[one] !== undefined)
  return name && { name, path: rollup?.[name] ?? '', where: rollup?.where }
}

/**
 * The fields that criteria on one record name, as written. What else they say is read by the parser of criteria, in a layer
 * above, which also refuses whatever leads to other records.
 */
export const namesInWhere = (where: unknown): readonly string[] => {
  if (Array.isArray(where)) return where.flatMap(namesInWhere)
  if (!isObject(where)) return []
  return Object.entries(where).flatMap(([key, value]) =>
    key.startsWith('$') ? namesInWhere(value) : [key, ...namesComparedWith(value)],
  )
}

/** `{ "$field": name }`, by itself or as the value of operators. */
const namesComparedWith = (value: unknown): readonly string[] =>
  isObject(value)
    ? [value, ...Object.values(value)].flatMap((one) =>
        isObject(one) && typeof one.$field === 'string' ? [one.$field] : [],
      )
    : []

const askedIn = (where: unknown, child: Entity): readonly Column[] => {
  const columns = namesInWhere(where).flatMap(
    (name) => child.columnsByName.get(name) ?? child.associations.get(name) ?? [],
  )
  return [...new Set(columns)]
}

/** The rollup of a column, or what is wrong with it; undefined if it has none. */
export const findRollup = (catalog: Catalog, parent: Entity, column: Column): Found | undefined => {
  const own = declared(column)
  if (!own) return undefined
  const { name, where } = own
  const [many = '', sourceName, ...more] = own.path.split('.')
  const list = parent.oneToMany.get(many)
  const child = catalog.entities.get(list?.entity ?? '')
  if (!list)
    return {
      message: `"${many}" is not a one-to-many field of ${parent.key}${didYouMean(many, parent.oneToMany.keys())}`,
    }
  // Reported at the one-to-many field.
  if (!child) return undefined
  if (parent.isNative || child.isNative)
    return {
      message: `is only for entities of the project; ${(parent.isNative ? parent : child).key} is native`,
    }
  const link = child.associations.get(list.mappedBy)
  // The same.
  if (!link) return undefined
  const { takes, issueOf } = rollupFunctionOf(name)
  const rollup = { parent, column, name, list, child, link, where, asked: askedIn(where, child) }
  if (!takes) {
    if (sourceName !== undefined)
      return { message: `"count" takes a one-to-many field, such as "${many}"` }
    const message = issueOf(column.field, column.field)
    return message === undefined ? { rollup: { ...rollup, source: undefined } } : { message }
  }
  const fitting = child.columns.filter(
    ({ field, target, isSystem }) =>
      !isSystem && target === undefined && takes.includes(field.type),
  )
  const source = fitting.find((one) => one.name === sourceName)
  if (!source && isUnread(catalog, child.key)) return undefined
  if (!source || more.length > 0)
    return {
      message: `"${name}" takes a field of ${child.key}, such as "${many}.${fitting[0]?.name ?? 'amount'}"${didYouMean(
        sourceName ?? '',
        fitting.map((one) => one.name),
      )}`,
    }
  const message = issueOf(column.field, source.field)
  return message === undefined ? { rollup: { ...rollup, source } } : { message }
}

const rollupsByChild = kept((catalog: Catalog): ReadonlyMap<string, readonly Rollup[]> => {
  const all = [...catalog.entities.values()].flatMap((entity) => rollupsOf(catalog, entity))
  return Map.groupBy(all, ({ child }) => child.key)
})

/** The rollups of an entity's own fields. */
export const rollupsOf = (catalog: Catalog, entity: Entity): readonly Rollup[] =>
  entity.columns.flatMap((column) => {
    const found = findRollup(catalog, entity, column)
    return found && 'rollup' in found ? [found.rollup] : []
  })

/** The rollups of other records that records of this entity are part of. */
export const rollupsFrom = (catalog: Catalog, child: Entity): readonly Rollup[] =>
  rollupsByChild(catalog).get(child.key) ?? []

/** Whether a change of these columns of the child may change the result. */
export const isAffectedBy = (rollup: Rollup, changed: ReadonlySet<string>): boolean => {
  const { child, link } = rollup
  const isChanged = (column: Column) =>
    // Who changed a record, and when, changes with every write.
    column.name.startsWith('_updated') ||
    columnsBehind(child, column)
      .values()
      .some(({ name }) => changed.has(name))
  return (
    changed.has('_is_deleted') || changed.has(link.name) || decidingColumns(rollup).some(isChanged)
  )
}

/** The columns of the child that decide on the result, besides its link. */
export const decidingColumns = ({ source, asked }: Rollup): readonly Column[] => [
  ...(source ? [source] : []),
  ...asked,
]
