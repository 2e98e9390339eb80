/** Checks the cells of a seed file and converts them to records; references are resolved later. */
import type { Column } from '../../definitions/catalog.ts'
import type { CheckResult, SqlValue } from '../../definitions/values/check-value.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { checkInteger } from '../../definitions/values/rules/numbers.ts'
import { didYouMean } from '../../did-you-mean.ts'
import {
  type Cell,
  errorAt,
  type Reference,
  type SeedError,
  type SeedFile,
  type SeedRecord,
} from '../files/seed.ts'

export type CheckedSeed = {
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
