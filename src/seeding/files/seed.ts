/**
 * The content of a seed file: first as written, then as records, with the columns that it names; and its errors, as
 * one message for all of them.
 */
import {
  type Catalog,
  type Column,
  type Entity,
  systemFieldKeys,
} from '../../definitions/catalog.ts'
import {
  type Finding,
  findingOfFile,
  type JsonPath,
  printFinding,
} from '../../definitions/source-file.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { StartupError } from '../../errors.ts'
import { uniqueColumns } from '../../import/read/mapping.ts'

export type TargetColumn = {
  readonly column: Column
  /** The unique column of the linked entity that identifies the record; undefined for plain values. */
  readonly by: Column | undefined
}

type Name = {
  readonly entity: Entity
  /** `code`, `supplier_id`, `_step`; or the association of `supplier.code`. */
  readonly key: string
  /** The `code` of `supplier.code`. */
  readonly field?: string | undefined
}

/** Finds the target column of a name, or returns an issue. */
export const resolveTarget = (
  catalog: Catalog,
  { entity, key, field }: Name,
): TargetColumn | { readonly message: string } => {
  if (field !== undefined) return associationTarget(catalog, entity, key, field)
  const column = entity.columnsByName.get(key)
  if (!column) return { message: unknownName(entity, key) }
  if (column.isCalculated) return { message: 'is calculated by the service; leave it out' }
  return { column, by: catalog.entities.get(column.target ?? '')?.columnsByName.get('id') }
}

const associationTarget = (catalog: Catalog, entity: Entity, key: string, field: string) => {
  const column = entity.associations.get(key)
  const target = catalog.entities.get(column?.target ?? '')
  if (!column || !target) return { message: unknownAssociation(entity, key) }
  const unique = uniqueColumns(target)
  const by = unique.find(({ name }) => name === field)
  if (by) return { column, by }
  const names = unique.map(({ name }) => name)
  return {
    message: `"${field}" is not a unique field of ${target.key}; its records are identified by ${names.join(' or ')}${didYouMean(field, names)}`,
  }
}

const unknownName = (entity: Entity, key: string): string => {
  const association = entity.associations.get(key)
  if (association)
    return `is an association; identify a ${association.target} by one of its unique fields, or give "${association.name}"`
  if (entity.oneToMany.has(key))
    return `is a one-to-many field; set the link on the ${entity.oneToMany.get(key)?.entity} records`
  if (key === '_step') return `needs a workflow on ${entity.key}`
  if (key === '_owned_by') return `needs "ownership": true on ${entity.key}`
  return `is not a field of ${entity.key}${didYouMean(key, knownNames(entity))}`
}

const unknownAssociation = (entity: Entity, key: string): string =>
  entity.columnsByName.has(key) || systemFieldKeys.includes(key)
    ? `"${key}" is not an association of ${entity.key}`
    : `"${key}" is not an association of ${entity.key}${didYouMean(key, entity.associations.keys())}`

const knownNames = (entity: Entity) => [
  ...entity.columnsByName.keys(),
  ...entity.associations.keys(),
]

export type SeedError = {
  readonly file: string
  /** Index of the record in its file, from 0; -1 for the whole file. */
  readonly record: number
  /** Computed when it is shown: finding a place in a long file takes time. */
  readonly finding: () => Finding
}

/** A file that can locate its values. */
export type Located = {
  /** Path relative to the project's folder. */
  readonly file: string
  /** `path` begins with the number of the record. */
  readonly finding: (path: JsonPath, message: string) => Finding
}

/** An error at a place of a file; pass a costly message as a function. */
export const errorAt = (
  { file, finding }: Located,
  path: JsonPath,
  message: string | (() => string),
): SeedError => ({
  file,
  record: typeof path[0] === 'number' ? path[0] : -1,
  finding: () => finding(path, typeof message === 'string' ? message : message()),
})

export const errorOfFile = (file: string, message: string): SeedError => ({
  file,
  record: -1,
  finding: () => findingOfFile(file, message),
})

/** The order of loading: by the leading number, so that 100 follows 99. */
export const compareFileNames = (a: string, b: string): number =>
  a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1)

/** By file and record. */
export const inOrder = <F extends SeedError>(errors: readonly F[]): F[] =>
  errors.toSorted((a, b) =>
    a.file === b.file ? a.record - b.record : compareFileNames(a.file, b.file),
  )

const maxShown = 50

/** All errors in the order of the files, with the places of the first. */
export const startupErrorOf = (errors: readonly SeedError[]): StartupError => {
  const sorted = inOrder(errors)
  const shown = sorted.slice(0, maxShown).map(({ finding }) => finding())
  const lines = shown.toSorted(compareFindings).map((finding) => `  ${printFinding(finding)}`)
  const more = sorted.length - lines.length
  return new StartupError(
    [
      `The seeds have ${sorted.length === 1 ? 'an error' : `${sorted.length} errors`}; nothing was loaded:`,
      ...lines,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  )
}

const compareFindings = (a: Finding, b: Finding): number =>
  a.file === b.file ? a.line - b.line || a.column - b.column : compareFileNames(a.file, b.file)

/** A value of the file with its target column. */
export type Cell = {
  readonly target: TargetColumn
  readonly value: unknown
  readonly path: JsonPath
}

export type RawRecord = {
  /** Its index in the file, from 0. */
  readonly index: number
  readonly cells: readonly Cell[]
  /** Columns with an invalid value. */
  readonly wrong: readonly Column[]
}

export type SeedFile = Located & {
  readonly entity: Entity
  /** CSV values are texts, which the field's type parses later. */
  readonly isText: boolean
  readonly records: readonly RawRecord[]
  /** Whether `records` is complete. */
  readonly isWhole: boolean
  readonly errors: readonly SeedError[]
}

export type SeedName = { readonly file: string; readonly entity: Entity; readonly isText: boolean }

/** A link by a unique value of its target. */
export type Reference = {
  readonly column: Column
  readonly by: Column
  readonly value: SqlValue
  readonly path: JsonPath
}

/** A record with the values that could be read. */
export type SeedRecord = {
  readonly index: number
  readonly values: ReadonlyMap<Column, SqlValue>
  readonly references: readonly Reference[]
  /** Columns that have an error already. */
  readonly wrong: Set<Column>
}
