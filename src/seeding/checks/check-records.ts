/** Checks the records of a file without a database: every value against its field, duplicates, and required values. */

import {
  type Column,
  type Entity,
  numberedColumns,
  uniqueIndexes,
  writableColumns,
} from '../../definitions/catalog.ts'
import { isFileColumn } from '../../definitions/files.ts'
import { followingValue } from '../../definitions/native-entities.ts'
import type { CheckResult, SqlValue } from '../../definitions/values/check-value.ts'
import { defaultOf, isRequired } from '../../definitions/values/field-defaults.ts'
import type { Calendar } from '../../definitions/values/rules/moving-times.ts'
import { checkInteger } from '../../definitions/values/rules/numbers.ts'
import { didYouMean } from '../../did-you-mean.ts'
import {
  type Cell,
  errorAt,
  errorOfFile,
  type Reference,
  type SeedError,
  type SeedFile,
  type SeedRecord,
} from '../files/seed.ts'
import { columnsOf, identifyingValues, indexOf, keyOf, mayBeMissing } from '../unique-values.ts'

type CheckedSeed = {
  /** The columns that identify the records. */
  readonly key: readonly Column[]
  readonly records: readonly SeedRecord[]
  readonly errors: readonly SeedError[]
}

/** What the file itself says: errors of reading and of values, records without their key, and those that repeat others. */
export const checkFile = (seed: SeedFile, timeZone: string): CheckedSeed => {
  const { entity, file } = seed
  if (keyOf(entity).length === 0) {
    const message = `cannot be loaded: ${entity.key} has no unique field or index to identify its records`
    return { key: [], records: [], errors: [...seed.errors, errorOfFile(file, message)] }
  }
  const { records, errors } = checkValues(seed, timeZone)
  const key = keyOf(entity, records)
  const keyless = checkKeys(seed, key, records)
  const twice = findDuplicates(seed, records)
  return { key, records, errors: [...seed.errors, ...errors, ...keyless, ...twice] }
}

/** Checks every value of every record against its field. */
const checkValues = (seed: SeedFile, timeZone: string): Omit<CheckedSeed, 'key'> => {
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
        references.push({ column, by, value: verdict.value, path: cell.path })
      } else values.set(column, verdict.value)
    }
    return { index, values, references, wrong }
  })
  return { records, errors }
}

const checkCell = (
  { entity, isText }: SeedFile,
  { target, value: given }: Cell,
  timeZone: string,
): CheckResult | 'not given' => {
  const { column, by } = target
  if (given === null) return checkNull(column)
  // What its files are, which were looked at before.
  if (isFileColumn(column)) return { value: String(given) }
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

/** Whether a record gives the column, be it nothing. */
const names = ({ values, references }: SeedRecord, column: Column): boolean =>
  values.has(column) || references.some((reference) => reference.column === column)

/** Records without identifying values. */
const checkKeys = (
  seed: SeedFile,
  key: readonly Column[],
  records: readonly SeedRecord[],
): SeedError[] => {
  const index = indexOf(seed.entity, key)
  const shown = key.map(({ name }) => name).join(' and ')
  const message = `is required: a ${seed.entity.key} is identified by its ${shown}`
  return records.flatMap((record) => {
    const missing = key.filter(
      (column) =>
        (record.values.get(column) ?? null) === null &&
        !record.references.some((reference) => reference.column === column) &&
        !record.wrong.has(column) &&
        !mayBeMissing(index, column, record.values),
    )
    for (const column of missing) record.wrong.add(column)
    return missing.map((column) => errorAt(seed, [record.index, column.name], message))
  })
}

/** Unique values that occur more than once in the file. */
const findDuplicates = (seed: SeedFile, records: readonly SeedRecord[]): SeedError[] => {
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
    const values = identifyingValues(index, columns, record)
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

/** The columns that every record has, and no new one by default. */
export const requiredColumns = (entity: Entity, calendar: Calendar): readonly Column[] =>
  [...writableColumns(entity), ...numberedColumns(entity)].filter(
    (column) => isRequired(column) && defaultOf(column, calendar) === null,
  )

/** Required values that new records lack. */
export const findLacking = (
  seed: SeedFile,
  added: readonly SeedRecord[],
  calendar: Calendar,
): SeedError[] => {
  // An unknown name in the header may stand for the column.
  if (seed.isText && !seed.isWhole) return []
  return requiredColumns(seed.entity, calendar).flatMap((column) =>
    missingErrors(
      seed,
      column,
      added.filter(
        (record) =>
          !names(record, column) &&
          !record.wrong.has(column) &&
          followingValueOf(seed.entity, column, record.values) === null,
      ),
    ),
  )
}

/** What the column of a new record follows from the values of others; null: from none. */
export const followingValueOf = (
  { key, columnsByName }: Entity,
  { name }: Column,
  values: SeedRecord['values'],
): SqlValue =>
  followingValue(key, name, (other) => {
    const source = columnsByName.get(other)
    return source && values.get(source)
  })

/** Errors of a required value that these new records lack. */
export const missingErrors = (
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
