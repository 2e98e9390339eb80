/**
 * First check of an entity file: the shape of the JSON, field by field, and each field's own rules. A file with faults
 * counts with what could be read of it, so that other files have no findings because of these faults.
 */
import { basename, dirname } from 'node:path'
import { closestWord } from '../../did-you-mean.ts'
import { systemFieldKeys } from '../catalog.ts'
import { earlierKeys } from '../earlier-keys.ts'
import { enumWordSchema } from '../field-types/choices.ts'
import {
  type FieldDefinition,
  type FieldOf,
  fieldTypeOf,
  fieldTypes,
  withoutRules,
} from '../field-types.ts'
import { acceptIssue, isFileField } from '../files.ts'
import {
  type EntityDefinition,
  entityFrameSchema,
  type ValidationDefinition,
} from '../schemas/entity-definition.ts'
import type { Finding, JsonPath, Sourced, SourceFile } from '../source-file.ts'
import { lineIssue } from '../values/check-text.ts'
import { isObject, kindOf } from '../values/check-value.ts'
import { callerDefaultOf, givenValueIssue } from '../values/field-defaults.ts'
import { maxMatchedLength, patternIssue } from '../values/pattern.ts'
import { regionOf } from '../values/rules/phone-numbers.ts'
import { checkLabels, messageIssue } from './check-labels.ts'
import { checkPersonal } from './check-personal.ts'
import { type ShapeIssue, shapeCheck } from './shape-findings.ts'

const checkWord = shapeCheck(enumWordSchema)

type NamedWord = {
  readonly value: string
  readonly name?: string
  readonly was?: string | readonly string[]
}
type Word = string | NamedWord

const wordsOf = (field: object): readonly unknown[] => {
  const { values } = field as { values?: unknown }
  return Array.isArray(values) ? values : []
}

/** Whether a path inside an enum leads to one of its words, which `wordIssues` checks. */
const isWordPath = ([first, place]: JsonPath): boolean =>
  first === 'values' && typeof place === 'number'

/** Issues of each word, duplicate words, and duplicate names. */
const wordIssues = (field: object): ShapeIssue[] => {
  const words = wordsOf(field)
  const issues = words.flatMap((word, place) =>
    oneWord(word).map(({ path, message }) => ({ path: ['values', place, ...path], message })),
  )
  const plain = words.map((word) => (isObject(word) ? (word as { value?: unknown }).value : word))
  for (const [place, word] of words.entries())
    if (isObject(word) && plain.some((other, index) => index !== place && other === plain[place]))
      issues.push({ path: ['values', place], message: `"${plain[place]}" is given twice` })
  return [...issues, ...nameIssues(words)]
}

/** A choice of two words with one name would be a guess. */
const nameIssues = (words: readonly unknown[]): ShapeIssue[] => {
  const names = words.map((word) => (isObject(word) ? (word as { name?: unknown }).name : word))
  return names.flatMap((name, place) =>
    typeof name === 'string' && isObject(words[place]) && names.indexOf(name) !== place
      ? [{ path: ['values', place, 'name'], message: `"${name}" already stands for another value` }]
      : [],
  )
}

const oneWord = (word: unknown): ShapeIssue[] => {
  if (isObject(word)) return checkWord(word)
  if (typeof word !== 'string') return [{ path: [], message: 'must be a string or an object' }]
  return word === '' ? [{ path: [], message: 'must not be empty' }] : []
}

/** The definition with words as plain strings, their names and earlier words apart, and the region of every phone. */
const withPlainFields = (definition: EntityDefinition, region?: string): EntityDefinition => ({
  ...definition,
  fields: definition.fields.map((field) =>
    field.type === 'phone' && region !== undefined
      ? { region, ...field }
      : plainField(field, definition),
  ),
})

const plainField = (
  field: FieldDefinition,
  { extends: extended }: Pick<EntityDefinition, 'extends'>,
): FieldDefinition => {
  // What a series is by itself; check-series.ts refuses other words.
  if (field.type === 'string' && field.series && extended !== 'native')
    return { unique: true, ...(isGivenOnCreate(field.series) && { required: true }), ...field }
  if (field.type !== 'enum') return field
  const words = (field.values as readonly Word[]).map(
    (word): NamedWord => (typeof word === 'string' ? { value: word } : word),
  )
  const names = words.flatMap(({ value, name }) =>
    name === undefined ? [] : [[value, name] as const],
  )
  const earlier = words.flatMap(({ value, was }) =>
    was === undefined ? [] : [[value, earlierKeys(was)] as const],
  )
  return {
    ...field,
    values: words.map(({ value }) => value),
    ...(names.length > 0 && { valueNames: Object.fromEntries(names) }),
    ...(earlier.length > 0 && { earlierValues: Object.fromEntries(earlier) }),
  }
}

const isGivenOnCreate = ({ on = 'create' }: { readonly on?: unknown }) => on === 'create'

const checkFrame = shapeCheck(entityFrameSchema)
const checkField = Object.fromEntries(
  Object.entries(fieldTypes).map(([type, { schema }]) => [type, shapeCheck(schema)]),
)

// "api", "console" and "assets" are paths of the service itself.
const reservedEntityKeys = ['api', 'console', 'assets']

// Columns of every table in PostgreSQL (5.6 System Columns).
const postgresColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

/**
 * The definition if its shape is valid; adds findings to the list. Times without an offset are in the zone of `place`, and
 * numbers without their country are dialled in its region.
 */
export const checkEntityShape = (
  source: SourceFile,
  findings: Finding[],
  { timeZone, region }: { readonly timeZone: string; readonly region: string | undefined },
): Sourced<EntityDefinition>[] => {
  const before = findings.length
  const add = (path: (string | number)[], message: string) =>
    findings.push(source.finding(path, message))
  const value = source.value as { key?: unknown; fields?: unknown }
  for (const { path, message } of checkFrame(value)) {
    // A field without a type has its own message below.
    if (path[0] === 'fields' && path.length > 1) continue
    add([...path], message)
  }
  const fields = Array.isArray(value?.fields) ? value.fields : []
  for (const [index, field] of fields.entries()) checkOneField(source, field, index, findings)
  if (typeof value?.key === 'string' && reservedEntityKeys.includes(value.key))
    add(['key'], `"${value.key}" is a path of the service and cannot be an entity`)
  checkLabels(source, findings)
  if (findings.slice(before).some((finding) => finding.severity === 'error')) return []
  const definition = withPlainFields(value as EntityDefinition, region)
  checkFieldKeys(source, definition, findings)
  for (const [index, field] of definition.fields.entries())
    for (const { property, message } of fieldErrors(field, timeZone))
      add(['fields', index, property], message)
  if (findings.length === before) checkPersonal(source, definition, timeZone, findings)
  return [withLinkConditions({ source, definition })]
}

/** What could be read of a file with faults, which `checkEntityShape` has reported: the key, or the name of the file, and valid fields. */
const readableParts = (source: SourceFile): EntityDefinition => {
  const { key, fields, ...value } = (source.value ?? {}) as Record<string, unknown>
  const isValid = (field: unknown, index: number): boolean => {
    const findings: Finding[] = []
    checkOneField(source, field, index, findings)
    return findings.length === 0
  }
  return withPlainFields({
    key: typeof key === 'string' && key !== '' ? key : basename(source.file, '.json'),
    ...(value.extends === 'native' && { extends: 'native' }),
    fields: (Array.isArray(fields) ? fields : []).filter(isValid),
  })
}

const checkOneField = (source: SourceFile, field: unknown, index: number, findings: Finding[]) => {
  const type = (field as { type?: unknown } | null)?.type
  const known = Object.keys(fieldTypes)
  if (typeof field !== 'object' || field === null || Array.isArray(field)) {
    findings.push(source.finding(['fields', index], `must be an object, not ${kindOf(field)}`))
    return
  }
  if (typeof type !== 'string' || !known.includes(type)) {
    const near = closestWord(String(type), known)
    const hint = near ? `; did you mean "${near}"?` : ` of ${known.join(', ')}`
    findings.push(source.finding(['fields', index, 'type'], `"${type}" is not a field type${hint}`))
    return
  }
  // Enum words have messages of their own below.
  for (const { path, message } of checkField[type]?.(field) ?? [])
    if (type !== 'enum' || !isWordPath(path))
      findings.push(source.finding(['fields', index, ...path], withReason(type, path, message)))
  if (type === 'enum')
    for (const { path, message } of wordIssues(field))
      findings.push(source.finding(['fields', index, ...path], message))
}

/** Explains why a decimal is written as a string. */
const withReason = (type: string, path: JsonPath, message: string): string =>
  type === 'decimal' &&
  message.startsWith('must be a string, not ') &&
  path[0] !== undefined &&
  isValue(path[0])
    ? 'must be a string of digits, such as "0.50": JSON numbers cannot represent every decimal exactly'
    : message

const isValue = (property: string | number) => ['default', 'min', 'max'].includes(`${property}`)

const checkFieldKeys = (source: SourceFile, definition: EntityDefinition, findings: Finding[]) => {
  const taken = new Map<string, string>()
  for (const [index, field] of definition.fields.entries()) {
    const path = ['fields', index, 'key']
    if (systemFieldKeys.includes(field.key))
      findings.push(source.finding(path, `"${field.key}" is a system field of every record`))
    if (postgresColumns.includes(field.key))
      findings.push(source.finding(path, `"${field.key}" is a system column of PostgreSQL`))
    if (field.type === 'manyToOne' && field.key.length > 60)
      findings.push(source.finding(path, 'is too long: with "_id" it must not exceed 63 bytes'))
    for (const name of fieldNames(field)) {
      const other = taken.get(name)
      if (other !== undefined)
        findings.push(source.finding(path, `"${name}" is already used by the field "${other}"`))
      taken.set(name, field.key)
    }
  }
}

/** The names of a field in records and in the table. */
export const fieldNames = (field: FieldDefinition): string[] =>
  field.type === 'manyToOne' ? [field.key, `${field.key}_id`] : [field.key]

type FieldError = { readonly property: string; readonly message: string }

/** Rules that a schema cannot express: invalid defaults, and ranges with min above max. */
const fieldErrors = (field: FieldDefinition, timeZone: string): FieldError[] => {
  const wrongPattern = field.type === 'string' ? patternOfField(field) : undefined
  if (wrongPattern !== undefined) return [{ property: 'pattern', message: wrongPattern }]
  const errors: FieldError[] = []
  const add = (property: string, message: string) => errors.push({ property, message })
  if (field.type === 'string') {
    const wrong = messageIssue(field.message, field.pattern, 'pattern')
    if (wrong !== undefined) add('message', wrong)
  }
  if (field.type === 'manyToOne') {
    const wrong = messageIssue(field.message, field.where, 'where')
    if (wrong !== undefined) add('message', wrong)
  }
  if (field.type === 'decimal') {
    if (field.scale !== undefined && field.precision === undefined)
      add('scale', 'needs a "precision"')
    if (field.precision !== undefined && (field.scale ?? 0) > field.precision)
      add('scale', `must not be larger than the precision ${field.precision}`)
  }
  if (field.type === 'phone' && field.region !== undefined && !regionOf(field.region))
    add('region', `"${field.region}" is no region with telephone numbers (ISO 3166)`)
  if (isFileField(field))
    for (const [index, pattern] of (field.accept ?? []).entries()) {
      const wrong = acceptIssue(pattern)
      if (wrong !== undefined) add('accept', `[${index}] ${wrong}`)
    }
  if (field.type === 'enum')
    for (const word of field.values) {
      const wrong = lineIssue(word)
      if (wrong !== undefined) add('values', `${JSON.stringify(word)} ${wrong}`)
    }
  for (const property of ['min', 'max', 'default'] as const) {
    const wrong = ownValueIssue(field, property, timeZone)
    if (wrong !== undefined) add(property, wrong)
  }
  return errors
}

const ownValueIssue = (
  field: FieldDefinition,
  property: 'min' | 'max' | 'default',
  timeZone: string,
): string | undefined => {
  const rules = field as {
    readonly min?: unknown
    readonly max?: unknown
    readonly default?: unknown
  }
  const value = rules[property]
  if (value === undefined) return undefined
  const messageOf = (judge: FieldDefinition): string | undefined => {
    const result = fieldTypeOf(judge).check(value, timeZone)
    return 'rule' in result ? result.message : undefined
  }
  if (property === 'default' && callerDefaultOf(field) !== undefined) return undefined
  if (property === 'default')
    return givenValueIssue({ field, type: fieldTypeOf(field) }, value, timeZone)
  // Its ends are checked without the range itself, except that min must not exceed max.
  const wrong = messageOf(withoutRules(field, 'min', 'max'))
  if (wrong !== undefined || property === 'max') return wrong
  return messageOf(withoutRules(field, 'min')) === undefined
    ? undefined
    : `must not be above "max", which is ${rules.max}: no value would be valid`
}

const patternOfField = ({ pattern, maxLength }: FieldOf<'string'>): string | undefined => {
  if (pattern === undefined) return undefined
  return maxLength !== undefined && maxLength > maxMatchedLength
    ? `is matched against at most ${maxMatchedLength} characters, and "maxLength" allows ${maxLength}`
    : patternIssue(pattern)
}

/** Files with errors that define nothing, as `entities/order`. */
export const unreadFiles = (
  findings: readonly Finding[],
  read: readonly Sourced<object>[],
): Set<string> => {
  const files = new Set(read.map(({ source }) => source.file))
  return new Set(
    findings
      .filter(({ severity, file }) => severity === 'error' && !files.has(file))
      .map(({ file }) => `${dirname(file)}/${basename(file, '.json')}`),
  )
}

/** The definitions with those whose files have faults, as far as they could be read: others may lead to them. */
export const withUnread = (
  merged: Map<string, EntityDefinition>,
  entities: readonly SourceFile[],
  unread: Set<string>,
): Map<string, EntityDefinition> => {
  const parsed = new Map(entities.map((source) => [basename(source.file, '.json'), source]))
  for (const file of [...unread].filter((name) => name.startsWith('entities/'))) {
    const name = basename(file)
    const source = parsed.get(name)
    const part = source ? readableParts(source) : { key: name, fields: [] }
    const known = merged.get(part.key)
    unread.add(`entities/${part.key}`)
    if (!known) merged.set(part.key, part)
    else if (part.extends === 'native')
      merged.set(part.key, { ...known, fields: [...known.fields, ...part.fields] })
  }
  return merged
}

// What a link may lead to, `where` of a many-to-one field: it stands for a validation of the entity, with the key of the field.

const defaultMessage = 'is not one that this record may link to'

/** The definition with these validations after its own; what is found in one is found at its field. */
const withLinkConditions = ({
  source,
  definition,
}: Sourced<EntityDefinition>): Sourced<EntityDefinition> => {
  const { fields, validations = [] } = definition
  const found = fields.flatMap((field, index) => {
    if (field.type !== 'manyToOne' || field.where === undefined) return []
    const { key, where, message = defaultMessage } = field
    return [{ index, validation: { key, condition: through(where, key), message, field: key } }]
  })
  if (found.length === 0) return { source, definition }
  const placeOf = (path: JsonPath): JsonPath => {
    const place = path[0] === 'validations' ? Number(path[1] ?? 0) - validations.length : -1
    const one = found[place]
    return one ? ['fields', one.index, 'where'] : path
  }
  return {
    source: { ...source, finding: (path, ...said) => source.finding(placeOf(path), ...said) },
    definition: {
      ...definition,
      validations: [...validations, ...found.map(({ validation }) => validation)],
    },
  }
}

/** Criteria on the linked record as those on the record that links to it, whose fields `$field` names. */
const through = (where: object, key: string): ValidationDefinition['condition'] =>
  Object.fromEntries(
    Object.entries(where).map(([name, value]) =>
      name.startsWith('$') ? [name, throughEach(value, key)] : [`${key}.${name}`, value],
    ),
  )

const throughEach = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => throughEach(one, key))
  return isObject(value) ? through(value, key) : value
}
