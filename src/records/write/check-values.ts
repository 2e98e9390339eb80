/** Checks the body of a create or change against the entity, and collects every issue. */
import { listColumn } from '../../definitions/association-path.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  type Index,
  indexesOf,
  writableColumns,
} from '../../definitions/catalog.ts'
import { followingValue } from '../../definitions/native-entities.ts'
import { tooLongForIndex } from '../../definitions/values/check-text.ts'
import { kindOf, type SqlValue } from '../../definitions/values/check-value.ts'
import { callerDefaultOf, defaultOf, isRequired } from '../../definitions/values/field-defaults.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { addIssue, type Issue, isFull } from '../../issues.ts'
import type { Values } from './write-statements.ts'

/** An issue of a field; its rule decides the status: 400, 422 or 409. */
export type FieldIssue = Issue & {
  readonly rule: 'malformed' | 'refused' | 'conflict'
}

/** An issue of a value that is well formed. */
export const refused = (path: string, message: string): FieldIssue => ({
  path,
  message,
  rule: 'refused',
})

type CheckedValues = {
  /** The columns that the body names and the caller may write, also those whose values are wrong. */
  readonly named: readonly Column[]
  /** Values to write by column, in the order of the definition. */
  readonly values: Values
  readonly issues: readonly FieldIssue[]
}

type Options = {
  readonly entity: Entity
  readonly body: unknown
  readonly timeZone: string
  /** Columns that the caller's role hides are treated as unknown. */
  readonly isHidden: (column: Column) => boolean
  /** Columns that the caller's role sees and may not write. */
  readonly isReadOnly: (column: Column) => boolean
  /** Whether an action writes them, which fills in its caller. */
  readonly isOfAction?: true
}

type OptionsOfNew = Options & {
  readonly catalog: Pick<Catalog, 'firstDayOfWeek'>
  /** Defaults that come from the caller. */
  readonly ofCaller?: Values
}

/** All writable columns: given, by default, or null. */
export const checkNewValues = (options: OptionsOfNew): CheckedValues => {
  const given = checkGivenValues(options)
  const issues = [...given.issues]
  const wrong = new Set(issues.map(({ path }) => path))
  const values = new Map<Column, SqlValue>()
  const { entity, timeZone, catalog } = options
  const calendar = { timeZone, firstDayOfWeek: catalog.firstDayOfWeek }
  const givenOf = (name: string) => given.values.get(entity.columnsByName.get(name) as Column)
  const unaskedValue = (column: Column) =>
    followingValue(entity.key, column.name, givenOf) ??
    options.ofCaller?.get(column) ??
    defaultOf(column, calendar)
  for (const column of writableColumns(entity)) {
    const value = given.values.get(column)
    const filled = value ?? (value === null ? null : unaskedValue(column))
    // Before a write nothing is known of its caller.
    const isLater = !options.ofCaller && callerDefaultOf(column.field) !== undefined
    if (filled === null && isRequired(column) && !isLater && !wrong.has(column.name))
      addIssue(issues, refused(column.name, 'is required'))
    values.set(column, filled)
  }
  return { named: given.named, values, issues }
}

/** Only the columns that the body names. */
export const checkGivenValues = (options: Options): CheckedValues => {
  const { entity, body, timeZone } = options
  const named: Column[] = []
  const values = new Map<Column, SqlValue>()
  const issues: FieldIssue[] = []
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = `must be an object of fields, not ${kindOf(body)}`
    return { named, values, issues: [{ path: '', message, rule: 'malformed' }] }
  }
  const wrong = (path: string, message: string, rule: FieldIssue['rule'], hint?: () => string) =>
    addIssue(issues, { path, message, rule }, hint)
  for (const [name, value] of Object.entries(body)) {
    if (isFull(issues)) break
    const column = writableColumn(options, name)
    if ('message' in column) {
      wrong(name, column.message, 'malformed', column.hint)
      continue
    }
    named.push(column)
    if (value === null) {
      if (isRequired(column)) wrong(name, 'is required and cannot be null', 'refused')
      values.set(column, null)
    } else {
      const verdict = column.type.check(value, timeZone)
      const tooLong = 'value' in verdict ? indexIssue(entity, column, verdict.value) : undefined
      if ('rule' in verdict) wrong(name, verdict.message, verdict.rule)
      else if (verdict.value === null && isRequired(column)) wrong(name, 'is required', 'refused')
      else if (tooLong) wrong(name, tooLong, 'refused')
      else values.set(column, verdict.value)
    }
  }
  return { named, values, issues }
}

type Refused = { readonly message: string; readonly hint?: () => string }

/** The column that a name of a body means, or why the caller may not write it. */
export const writableColumn = (
  { entity, isHidden, isReadOnly, isOfAction }: Omit<Options, 'body' | 'timeZone'>,
  name: string,
): Column | Refused => {
  const column = entity.columnsByName.get(name)
  if (!column || isHidden(column)) return unknownName(entity, name, isHidden)
  if (column.isSystem) return { message: 'is set by the service and cannot be written' }
  if (column.isCalculated) return { message: 'is calculated by the service and cannot be written' }
  if (column.series) return { message: 'is a number that the service gives, and cannot be written' }
  if (column.writtenBy.length > 0 && !isOfAction) return { message: filledByAction(column) }
  return isReadOnly(column) ? { message: 'your role may not write it' } : column
}

const filledByAction = ({ writtenBy }: Column): string => {
  const actions = writtenBy.map((key) => `"${key}"`).join(' or ')
  return `is filled with the user who takes the action ${actions}, and cannot be written otherwise`
}

// An entry of a PostgreSQL index has at most 2,704 bytes, which its columns share.
const indexEntryBytes = 2600
// A letter of two bytes may have three in lower case, such as U+023A.
const longestLowered = 1.5

/** The issue of a text that is too long for one of its indexes, or undefined. */
const indexIssue = (entity: Entity, column: Column, value: SqlValue): string | undefined => {
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0
  // No index has so many columns that a share is smaller.
  if (bytes <= indexEntryBytes / 32) return undefined
  const allowed = indexedBytesOf(entity, column)
  return bytes > allowed ? tooLongForIndex(bytes, allowed) : undefined
}

/** The bytes that a text of the column may have, for the indexes that hold it. */
export const indexedBytesOf = (entity: Entity, column: Column): number => {
  const shares = indexesOf(entity).filter(
    ({ columns, kind }) => kind !== 'containment' && columns.includes(column.name),
  )
  if (shares.length === 0) return Number.MAX_SAFE_INTEGER
  const perByte = shares.some(({ lowered }) => lowered.includes(column.name)) ? longestLowered : 1
  return Math.floor(indexEntryBytes / perByte / Math.max(1, ...shares.map(textsOf(entity))))
}

const textsOf =
  (entity: Entity) =>
  ({ columns }: Index): number =>
    columns.filter((name) => entity.columnsByName.get(name)?.type.cast === 'text').length

const unknownName = (entity: Entity, name: string, isHidden: Options['isHidden']): Refused => {
  const association = entity.associations.get(name)
  if (association && !isHidden(association)) {
    // The target is not named: the caller may not know it.
    return { message: `is an association; set "${association.name}" to the id of a record` }
  }
  const many = entity.oneToMany.get(name)
  if (many && !isHidden(listColumn(many)))
    return {
      message:
        'is a one-to-many field, which is written with one record; write its records by themselves',
    }
  const names = () =>
    writableColumns(entity)
      .filter((column) => !isHidden(column))
      .map((column) => column.name)
  return { message: `is not a field of ${entity.key}`, hint: () => didYouMean(name, names()) }
}
