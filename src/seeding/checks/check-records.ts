/**
 * Checks the records of a file: every value against its field, duplicates, and required values of new records; and
 * finds those that the database refused.
 */

import type { Queryable } from '../../database/pool.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  numberedColumns,
  uniqueIndexes,
  writableColumns,
} from '../../definitions/catalog.ts'
import { followingValue, isFollowing } from '../../definitions/native-entities.ts'
import type { CheckResult, SqlValue } from '../../definitions/values/check-value.ts'
import { defaultOf, isRequired } from '../../definitions/values/field-defaults.ts'
import type { Calendar } from '../../definitions/values/rules/moving-times.ts'
import { checkInteger } from '../../definitions/values/rules/numbers.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { findUnmetOfEach } from '../../query/conditions/decide-conditions.ts'
import { validationCondition } from '../../query/conditions/validation-condition.ts'
import {
  type Cell,
  errorAt,
  type Reference,
  type SeedError,
  type SeedFile,
  type SeedRecord,
} from '../files/seed.ts'
import { columnsOf } from '../match-records.ts'
import { indexedValues, indexOf, mayBeMissing } from '../unique-values.ts'

type CheckedSeed = {
  readonly records: readonly SeedRecord[]
  readonly errors: readonly SeedError[]
}

/** Checks every value of every record against its field. */
export const checkSeed = (seed: SeedFile, timeZone: string): CheckedSeed => {
  const errors: SeedError[] = []
  const records = seed.records.map(({ index, cells, wrong: broken }) => {
    const values = new Map<Column, SqlValue>()
    const references: Reference[] = []
    const wrong = new Set(broken)
    for (const cell of cells) {
      const { column, by } = cell.target
      const verdict = checkCell(seed, cell, timeZone)
      if (verdict === 'not given') continue
      if ('rule' in verdict) {
        wrong.add(column)
        errors.push(errorAt(seed, cell.path, verdict.message))
      } else if (by && verdict.value !== null) {
        references.push({ column, by, value: verdict.value, path: cell.path, isRemoved: false })
      } else values.set(column, verdict.value)
    }
    return { index, values, references, wrong, ...unmatched }
  })
  return { records, errors }
}

/** Until the record is matched with the database. */
const unmatched = { id: 0, isNew: false, isChangedByPeople: false, isRemovedByPeople: false }

const checkCell = (
  { entity, isText }: SeedFile,
  { target, value: given }: Cell,
  timeZone: string,
): CheckResult | 'not given' => {
  const { column, by } = target
  if (given === null) return checkNull(column)
  const { field, type } = by ?? column
  const read = isText ? type.fromCsv(String(given)) : { value: given }
  if ('message' in read) return { rule: 'malformed', ...read }
  const { value } = read
  if (field.key === 'id') return checkInteger(value, { min: 1 })
  const verdict = type.check(value, timeZone)
  if (column.name !== '_step' || !column.isSystem || 'rule' in verdict) return verdict
  const steps = (entity.definition.workflow?.steps ?? []).map(({ key }) => key)
  const step = String(verdict.value)
  if (steps.includes(step)) return verdict
  const message = `"${step}" is not a step of ${entity.key}${didYouMean(step, steps)}`
  return { rule: 'refused', message }
}

const checkNull = (column: Column): CheckResult | 'not given' => {
  if (!isRequired(column)) return { value: null }
  // An empty field in a CSV column of steps or times means the default.
  if (column.isSystem) return 'not given'
  return { rule: 'refused', message: 'is required and cannot be null' }
}

type Written = {
  readonly connection: Queryable
  readonly catalog: Catalog
  readonly timeZone: string
  readonly seed: SeedFile
}

const recordsAtOnce = 5000

/** An error for each validation that a record does not meet. */
export const findInvalid = async (
  { connection, catalog, timeZone, seed }: Written,
  records: readonly SeedRecord[],
): Promise<SeedError[]> => {
  const { entity } = seed
  const { definition } = entity
  const validations = definition.validations ?? []
  const asked = new Map(validations.map((one) => [one, validationCondition(definition, one)]))
  const decider = { catalog, timeZone, userId: 0 }
  const errors: SeedError[] = []
  for (let start = 0; asked.size > 0 && start < records.length; start += recordsAtOnce) {
    const some = records.slice(start, start + recordsAtOnce)
    const ids = some.map(({ id }) => id)
    const unmet = await findUnmetOfEach(connection, decider, { entity, ids }, asked)
    for (const { id, index } of some)
      for (const { message, field } of unmet.get(id) ?? [])
        errors.push(errorAt(seed, field === undefined ? [index] : [index, field], message))
  }
  return errors
}

/** Records without identifying values. */
export const checkKeys = (
  seed: SeedFile,
  key: readonly Column[],
  records: readonly SeedRecord[],
): SeedError[] =>
  records.flatMap((record) => {
    const index = indexOf(seed.entity, key)
    const missing = key.filter(
      (column) =>
        (record.values.get(column) ?? null) === null &&
        !record.wrong.has(column) &&
        !mayBeMissing(index, column, record.values),
    )
    for (const column of missing) record.wrong.add(column)
    const names = key.map(({ name }) => name).join(' and ')
    const message = `is required: a ${seed.entity.key} is identified by its ${names}`
    return missing.map((column) => errorAt(seed, [record.index, column.name], message))
  })

/** Unique values that occur more than once in the file. */
export const findDuplicates = (seed: SeedFile, records: readonly SeedRecord[]): SeedError[] => {
  const { entity } = seed
  const [first, ...others] = uniqueIndexes(entity)
  const [removed] = columnsOf(entity, ['_is_deleted'])
  const isRemoved = ({ values }: SeedRecord) =>
    removed !== undefined && values.get(removed) === true
  const kept = records.filter((record) => !isRemoved(record))
  // Removed records are matched too, but may share their values with others.
  return [
    ...twiceIn(seed, records, columnsOf(entity, ['id'])),
    ...twiceIn(seed, kept, columnsOf(entity, first?.columns ?? [])),
    ...twiceIn(seed, records.filter(isRemoved), columnsOf(entity, first?.columns ?? [])),
    ...others.flatMap((index) => twiceIn(seed, kept, columnsOf(entity, index.columns))),
  ]
}

const twiceIn = (
  seed: SeedFile,
  records: readonly SeedRecord[],
  columns: readonly Column[],
): SeedError[] => {
  const seen = new Map<string, SeedRecord>()
  const errors: SeedError[] = []
  const index = indexOf(seed.entity, columns)
  for (const record of records) {
    const values = indexedValues(index, columns, record.values)
    if (!values || columns.some((column) => record.wrong.has(column))) continue
    const name = JSON.stringify(values)
    const before = seen.get(name)
    seen.set(name, before ?? record)
    if (!before) continue
    const what = columns.map((column) => column.name).join(' and ')
    const message = () => `has the ${what} of line ${seed.finding([before.index], '').line}`
    errors.push(errorAt(seed, [record.index, columns[0]?.name ?? ''], message))
  }
  return errors
}

/** Sets defaults of new records; returns errors for missing required values. */
export const completeNew = (
  seed: SeedFile,
  records: readonly SeedRecord[],
  calendar: Calendar,
): SeedError[] => {
  const added = records.filter(({ isNew }) => isNew)
  for (const record of added) fillSystem(seed.entity, record.values)
  return [...writableColumns(seed.entity), ...numberedColumns(seed.entity)].flatMap((column) => {
    const value = defaultOf(column, calendar)
    for (const { values } of added) fillFollowing(seed.entity, column, values)
    const lacking = added.filter(({ values, wrong }) => !values.has(column) && !wrong.has(column))
    if (value !== null || !isRequired(column)) {
      for (const { values } of lacking) values.set(column, value)
      return []
    }
    // An unknown name in the header may stand for this column.
    if (seed.isText && !seed.isWhole) return []
    return missingErrors(seed, column, lacking)
  })
}

const fillFollowing = (
  { key, columnsByName }: Entity,
  column: Column,
  values: Map<Column, SqlValue>,
) => {
  if (values.has(column) || !isFollowing(key, column.name)) return
  const value = followingValue(key, column.name, (name) => {
    const source = columnsByName.get(name)
    return source && values.get(source)
  })
  if (value !== null) values.set(column, value)
}

const missingErrors = (
  seed: SeedFile,
  column: Column,
  lacking: readonly SeedRecord[],
): SeedError[] => {
  const [first] = lacking
  const issue = ({ index }: SeedRecord, message: string) =>
    errorAt(seed, [index, column.name], message)
  if (first && lacking.length > 1 && lacking.length === seed.records.length)
    return [issue(first, `is required, but none of the ${lacking.length} records has it`)]
  return lacking.map((record) => issue(record, 'is required'))
}

/** The creator of a record is also its owner and last editor, unless the seed names others. */
const fillSystem = ({ columnsByName, definition }: Entity, values: Map<Column, SqlValue>) => {
  const fill = (name: string, value: (given: (name: string) => SqlValue) => SqlValue) => {
    const column = columnsByName.get(name)
    const given = (other: string) => {
      const source = columnsByName.get(other)
      return (source && values.get(source)) ?? null
    }
    if (column && !values.has(column)) values.set(column, value(given))
  }
  fill('_is_deleted', () => false)
  fill('_step', () => definition.workflow?.initialStep ?? null)
  fill('_owned_by', (given) => given('_created_by'))
  fill('_updated_by', (given) => given('_created_by'))
  fill('_updated_at', (given) => given('_created_at'))
}
