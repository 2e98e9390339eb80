/** Checks the rows of a seed file and turns them into what the table takes. */
import { type Column, type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import { kindOf, type SqlValue } from '../definitions/check-value.ts'
import type { Finding } from '../definitions/source-file.ts'
import { suggestion } from '../near-miss.ts'
import type { References } from './references.ts'
import type { SeedFile, SeedRow } from './seed-file.ts'

export type CheckedSeed = {
  /** The columns that the file gives or that have a value by default. */
  readonly columns: readonly Column[]
  readonly rows: readonly ReadonlyMap<Column, SqlValue>[]
}

type Checking = {
  readonly seed: SeedFile
  readonly references: References
  readonly timeZone: string
  readonly findings: Finding[]
}

/** Every mistake of every row becomes a finding. */
export const checkSeed = (checking: Checking): CheckedSeed => {
  const { seed, findings } = checking
  const { entity } = seed
  const named = new Set<Column>()
  const rows = seed.rows.map((row) => {
    const values = new Map<Column, SqlValue>()
    for (const [name, value] of Object.entries(row.values)) {
      const place = placeOf(entity, name)
      if ('message' in place) {
        findings.push(row.finding(name, place.message))
        continue
      }
      named.add(place.column)
      values.set(place.column, readValue(checking, row, name, place, value))
    }
    fillDefaults(checking, row, values, named)
    return values
  })
  checkKeys(checking, rows)
  return { columns: entity.columns.filter((column) => named.has(column)), rows }
}

type Place = { readonly column: Column; readonly field: string | undefined }

/** `supplier_id`, `supplier` (an object), `supplier.code`, or any field, system fields too. */
export const placeOf = (entity: Entity, name: string): Place | { readonly message: string } => {
  const [key = '', field] = name.split('.')
  const association = entity.associations.get(key)
  const own = field === undefined ? entity.columnsByName.get(name) : undefined
  // `_created_by` is an association and its own column.
  if (association && (field !== undefined || association.name !== key))
    return { column: association, field }
  if (own) return { column: own, field: undefined }
  const known = [...entity.columnsByName.keys(), ...entity.associations.keys()]
  return { message: `is not a field of ${entity.key}${suggestion(key, known)}` }
}

/** What a many-to-one names: `{ "code": "ACME" }`, or the text of a column `supplier.code`. */
export const referenceOf = (
  { column, field }: Place,
  value: unknown,
): { readonly field: string; readonly value: unknown } | undefined => {
  if (column.target === undefined || value === null) return undefined
  if (field !== undefined) return { field, value }
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const [[name, inner] = ['', undefined], ...more] = Object.entries(value)
  return more.length === 0 ? { field: name, value: inner } : { field: '', value }
}

const readValue = (
  { seed, references, timeZone, findings }: Checking,
  row: SeedRow,
  name: string,
  place: Place,
  given: unknown,
): SqlValue => {
  const { column } = place
  if (given === null) return null
  const reference = referenceOf(place, given)
  if (reference) {
    const found = references.find(column.target ?? '', reference.field, reference.value)
    if (typeof found === 'number') return found
    findings.push(row.finding(name, found))
    return null
  }
  const value = seed.isText ? fromText(column, String(given)) : given
  const verdict = column.type.check(value, column.field as never, { timeZone })
  if ('rule' in verdict) {
    findings.push(row.finding(name, verdict.message))
    return null
  }
  if (column.name === '_step') checkStep(seed.entity, row, verdict.value, findings)
  return verdict.value
}

/** The JSON value that a text of CSV means for its field; what it cannot mean stays text. */
const fromText = ({ field }: Column, text: string): unknown => {
  switch (field.type) {
    case 'integer':
    case 'manyToOne':
      return /^-?\d+$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'json':
      try {
        return JSON.parse(text)
      } catch {
        return text
      }
    default:
      return text
  }
}

const checkStep = (entity: Entity, row: SeedRow, step: SqlValue, findings: Finding[]) => {
  const steps = (entity.definition.workflow?.steps ?? []).map(({ key }) => key)
  if (!steps.includes(String(step)))
    findings.push(
      row.finding('_step', `there is no step "${step}"${suggestion(String(step), steps)}`),
    )
}

const fillDefaults = (
  { seed, timeZone, findings }: Checking,
  row: SeedRow,
  values: Map<Column, SqlValue>,
  named: Set<Column>,
) => {
  for (const column of seed.entity.columns) {
    if (column.isSystem || (values.get(column) ?? null) !== null) continue
    const { field } = column
    const fallback = (field as { default?: unknown }).default
    const verdict =
      fallback === undefined || values.has(column)
        ? undefined
        : column.type.check(fallback, field as never, { timeZone })
    if (verdict && 'value' in verdict) {
      values.set(column, verdict.value)
      named.add(column)
    } else if ('required' in field && field.required && !isGiven(seed.entity, row, column)) {
      findings.push(row.finding(column.name, 'is required'))
    }
  }
}

/** Whether a row names the column at all: a wrong value has its own finding. */
const isGiven = (entity: Entity, row: SeedRow, column: Column): boolean =>
  Object.entries(row.values).some(([name, value]) => {
    const place = placeOf(entity, name)
    return value !== null && 'column' in place && place.column === column
  })

/** Each record must be recognisable, and stand once. */
const checkKeys = (
  { seed, findings }: Checking,
  rows: readonly ReadonlyMap<Column, SqlValue>[],
) => {
  const { entity } = seed
  const [index] = uniqueIndexes(entity)
  const [first] = seed.rows
  if (!index) {
    const message = `has no unique field or index by which ${entity.key} records are recognised`
    if (first) findings.push(first.finding('', message))
    return
  }
  const seen = new Set<string>()
  for (const [position, row] of rows.entries()) {
    const parts = index.columns.map(
      (name) => row.get(entity.columnsByName.get(name) as Column) ?? null,
    )
    const name = index.columns.join(', ')
    const source = seed.rows[position]
    if (!source || parts.some((part) => part === null)) continue
    const key = JSON.stringify(parts)
    if (seen.has(key)) findings.push(source.finding(name, `${key} stands twice in this file`))
    seen.add(key)
  }
}

/** Names a value in a message. */
export const shownValue = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : kindOf(value)
