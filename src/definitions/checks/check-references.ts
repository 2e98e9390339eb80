/**
 * Second check of the entities, across all files: what their definitions name exists and fits: fields, links,
 * calculations, validations; and no circle of required links makes a first record impossible.
 */
import { didYouMean } from '../../did-you-mean.ts'
import { isUnread, pathIssue, resolvePath } from '../association-path.ts'
import { circleOf } from '../calculations/calculation-order.ts'
import { compileFormula, kindOfType, kindWords, readableFields } from '../calculations/formulas.ts'
import { FormulaError, parseFormula } from '../calculations/parse-formula.ts'
import { findRollup } from '../calculations/rollups.ts'
import { type Catalog, type Column, type Entity, hasCase, writableColumns } from '../catalog.ts'
import { type FieldDefinition, type FieldTypeName, unitPathOf } from '../field-types.ts'
import { isFileField } from '../files.ts'
import { isPartOfRecord } from '../native-entities.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { AddFinding, Finding, JsonPath, Sourced } from '../source-file.ts'
import { hasValueNames } from '../value-names.ts'
import { isRequired } from '../values/field-defaults.ts'
import { checkComments } from './check-comments.ts'
import { checkImports } from './check-imports.ts'
import { checkLocks } from './check-locks.ts'
import { checkNotifications } from './check-notifications.ts'
import { checkRetention } from './check-personal.ts'
import { checkCallerDefaults, checkSeries } from './check-series.ts'
import { checkWorkflow } from './check-workflow.ts'

/**
 * Checks the project's entity files against the whole catalog. What an entity lacks whose file has findings already is
 * not reported.
 */
export const checkReferences = (
  catalog: Catalog,
  own: readonly Sourced<EntityDefinition>[],
  findings: Finding[],
): void => {
  const seen = new Set<string>()
  for (const { source, definition } of own) {
    const add: AddFinding = (path, message, severity) =>
      findings.push(source.finding(path, message, severity))
    if (seen.has(definition.key)) add(['key'], `"${definition.key}" is defined twice`)
    seen.add(definition.key)
    const entity = catalog.entities.get(definition.key)
    if (!entity) continue
    checkLinks(catalog, definition, add)
    checkUnits(catalog, entity, definition, add)
    checkFilesOfParts(entity, definition, add)
    checkSeries(catalog, entity, definition, add)
    checkCallerDefaults(catalog, definition, add)
    checkCalculations(catalog, entity, definition, add)
    checkFieldNames(entity, definition, add)
    checkUnique(entity, definition, add)
    checkColumnDefs(catalog, entity, definition, add)
    checkHooks(definition, add)
    checkValidations(entity, definition, add)
    checkNotifications(catalog, entity, definition, add)
    // Forms of a native entity may also set its native fields.
    checkWorkflow({ ...definition, fields: entity.definition.fields }, add)
    checkLocks(catalog, entity, definition, add)
    checkImports(catalog, entity, definition, add)
    checkRetention(entity, definition, add)
    checkComments(catalog, entity, definition, add)
  }
}

const checkLinks = (catalog: Catalog, definition: EntityDefinition, add: AddFinding) => {
  for (const [index, field] of definition.fields.entries()) {
    if (field.type !== 'manyToOne' && field.type !== 'oneToMany') continue
    const target = catalog.entities.get(field.entity)
    if (!target) {
      add(
        ['fields', index, 'entity'],
        `there is no entity "${field.entity}"${didYouMean(field.entity, catalog.entities.keys())}`,
      )
      continue
    }
    if (field.type !== 'oneToMany') continue
    const fitting = [...target.associations]
      .filter(([, column]) => !column.isSystem && column.target === definition.key)
      .map(([key]) => key)
    if (!fitting.includes(field.mappedBy) && !isUnread(catalog, target.key))
      add(
        ['fields', index, 'mappedBy'],
        `"${field.mappedBy}" is not a many-to-one field of ${target.key} that links to ${definition.key}${didYouMean(field.mappedBy, fitting)}`,
      )
    const ordering = writableColumns(target).flatMap((column) =>
      column.field.type === 'integer' ? [column.name] : [],
    )
    if (
      field.orderBy !== undefined &&
      !ordering.includes(field.orderBy) &&
      !isUnread(catalog, target.key)
    )
      add(
        ['fields', index, 'orderBy'],
        `"${field.orderBy}" is not an integer field of ${target.key} that users enter${didYouMean(field.orderBy, ordering)}`,
      )
  }
}

const checkUnits = (
  catalog: Catalog,
  entity: Entity,
  definition: EntityDefinition,
  add: AddFinding,
) => {
  for (const [index, field] of definition.fields.entries()) {
    const path = unitPathOf(field)
    if (path === undefined) continue
    const result = resolvePath(catalog, entity, path)
    const wrong = pathIssue(result)
    const at = ['fields', index, 'unit', 'field']
    if (wrong !== undefined) add(at, wrong)
    else if ('path' in result && !unitTypes.has(result.path.column.field.type))
      add(at, `"${path}" is not a string or an enum, so it cannot name a unit`)
  }
}

/** Writes of parts take no uploads. */
const checkFilesOfParts = (entity: Entity, definition: EntityDefinition, add: AddFinding) => {
  if (!isPartOfRecord(entity)) return
  for (const [index, field] of definition.fields.entries())
    if (isFileField(field))
      add(
        ['fields', index, 'type'],
        `a ${entity.key} is part of a record and has no files: give the field to the entity of the record`,
      )
}

const unitTypes: ReadonlySet<FieldTypeName> = new Set(['string', 'enum'])

const checkFieldNames = (entity: Entity, definition: EntityDefinition, add: AddFinding) => {
  const known = [...entity.columnsByName.keys(), ...entity.associations.keys()]
  const check = (path: JsonPath, name: string) => {
    if (!known.includes(name))
      add(path, `"${name}" is not a field of ${entity.key}${didYouMean(name, known)}`)
  }
  if (definition.displayField !== undefined) check(['displayField'], definition.displayField)
  for (const [index, { fields }] of (definition.indexes ?? []).entries())
    for (const [position, name] of fields.entries()) {
      check(['indexes', index, 'fields', position], name)
      if (entity.columnsByName.get(name)?.type.hasOrder === false)
        add(['indexes', index, 'fields', position], `"${name}" has a type that cannot be sorted`)
    }
}

/** What a rule of uniqueness must have to decide anything. */
const checkUnique = (entity: Entity, definition: EntityDefinition, add: AddFinding): void => {
  for (const [index, field] of definition.fields.entries())
    if (
      'unique' in field &&
      field.unique === 'ignoreCase' &&
      'lowercase' in field &&
      field.lowercase
    )
      add(
        ['fields', index, 'unique'],
        'compares in lower case, in which "lowercase" keeps every value; write true',
      )
  for (const [index, { fields, unique, nullsNotDistinct }] of (
    definition.indexes ?? []
  ).entries()) {
    const columns = fields.flatMap(
      (name) => entity.columnsByName.get(name) ?? entity.associations.get(name) ?? [],
    )
    if (columns.length < fields.length) continue
    if (unique === 'ignoreCase' && fields.length === 1)
      add(
        ['indexes', index, 'unique'],
        `belongs to the field "${fields[0]}": "unique": "ignoreCase"`,
      )
    else if (unique === 'ignoreCase' && !columns.some(hasCase))
      add(['indexes', index, 'unique'], 'needs a field of the type string, text or email')
    if (!nullsNotDistinct) continue
    if (!unique) add(['indexes', index, 'nullsNotDistinct'], 'is for a unique index')
    else if (columns.every(isRequired))
      add(['indexes', index, 'nullsNotDistinct'], 'decides nothing: all of its fields are required')
  }
}

// One-to-many fields are not supported in columnDefs[].field (docs/export.md).
const checkColumnDefs = (
  catalog: Catalog,
  entity: Entity,
  definition: EntityDefinition,
  add: AddFinding,
) => {
  for (const [index, column] of (definition.exportSettings?.columnDefs ?? []).entries()) {
    const found = resolvePath(catalog, entity, column.field)
    const wrong = pathIssue(found)
    if (wrong !== undefined) add(['exportSettings', 'columnDefs', index, 'field'], wrong)
    if (column.format !== undefined && 'path' in found && !hasValueNames(found.path.column))
      add(
        ['exportSettings', 'columnDefs', index, 'format'],
        `is for enums and "_step"; "${column.field}" has no named values`,
      )
  }
}

const checkHooks = ({ hooks = [] }: EntityDefinition, add: AddFinding) => {
  const names = hooks.map(({ functionName }) => functionName)
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      add(
        ['hooks', index, 'functionName'],
        `"${name}" is listed twice; it runs once for each change`,
        'warning',
      )
}

const checkValidations = (
  entity: Entity,
  { validations = [], extends: extended }: EntityDefinition,
  add: AddFinding,
) => {
  // Their records are also written without a request for one: users at a sign-in, tasks with their record.
  if (extended === 'native' && validations.length > 0)
    add(['validations'], `are not possible for the native entity ${entity.key}`)
  const keys = validations.map(({ key }) => key)
  const known = [...entity.columnsByName.keys(), ...entity.associations.keys()]
  for (const [index, { key, field }] of validations.entries()) {
    if (keys.indexOf(key) < index) add(['validations', index, 'key'], `"${key}" is defined twice`)
    if (field !== undefined && !known.includes(field))
      add(
        ['validations', index, 'field'],
        `"${field}" is not a field of ${entity.key}${didYouMean(field, known)}`,
      )
  }
}

/** An error for each required link of a circle; a warning when an entity requires a link to itself. */
export const checkCircles = (
  catalog: Catalog,
  own: readonly Sourced<EntityDefinition>[],
  findings: Finding[],
): void => {
  for (const { source, definition } of own) {
    const entity = catalog.entities.get(definition.key)
    if (!entity) continue
    for (const [index, field] of definition.fields.entries()) {
      if (field.type !== 'manyToOne' || !isRequired({ field })) continue
      const path = ['fields', index, 'required']
      if (field.entity === definition.key) {
        findings.push(
          source.finding(
            path,
            `no first record of ${definition.key} can be created by a request, because it needs another one`,
            'warning',
          ),
        )
        continue
      }
      const circle = shortestPath(catalog, field.entity, definition.key)
      if (circle)
        findings.push(
          source.finding(
            path,
            `no record of ${definition.key} can ever be created: ${[definition.key, ...circle].join(' needs ')}; remove "required" from one of these links`,
          ),
        )
    }
  }
}

/** The entities on the shortest path of required links between two entities, including both. */
const shortestPath = (
  catalog: Catalog,
  from: string,
  to: string,
): readonly string[] | undefined => {
  const paths = new Map<string, readonly string[]>([[from, [from]]])
  // The map grows during the loop.
  for (const [key, path] of paths) {
    if (key === to) return path
    for (const target of needed(catalog.entities.get(key)))
      if (!paths.has(target)) paths.set(target, [...path, target])
  }
  return undefined
}

const needed = (entity: Entity | undefined): string[] =>
  (entity?.columns ?? []).flatMap((column) =>
    !column.isSystem && column.target !== undefined && isRequired(column) ? [column.target] : [],
  )

/** Rules of values that people enter. */
const entered = ['required', 'unique', 'default', 'min', 'max'] as const

/** Adds what is wrong with the calculated fields of a definition. */
const checkCalculations = (
  catalog: Catalog,
  entity: Entity,
  { fields, indexes = [] }: EntityDefinition,
  add: AddFinding,
): void => {
  for (const [index, field] of fields.entries()) {
    const column = entity.columnsByName.get(field.key)
    if (!column?.isCalculated) continue
    checkRules(field, index, add)
    const property = 'formula' in field && field.formula !== undefined ? 'formula' : 'rollup'
    const message =
      (property === 'formula'
        ? formulaIssue(entity, column)
        : rollupIssue(catalog, entity, column)) ?? circleIssue(catalog, entity, column)
    if (message !== undefined) add(['fields', index, property], message)
  }
  for (const [index, { fields: names, unique }] of indexes.entries())
    for (const [position, name] of names.entries())
      if (unique && entity.columnsByName.get(name)?.isCalculated)
        add(
          ['indexes', index, 'fields', position],
          `"${name}" is calculated, so it cannot be unique`,
        )
}

const checkRules = (field: FieldDefinition, index: number, add: AddFinding): void => {
  const given = field as Readonly<Record<string, unknown>>
  if (given.formula !== undefined && given.rollup !== undefined)
    add(['fields', index, 'rollup'], 'cannot be combined with "formula"')
  for (const property of entered)
    if (given[property] !== undefined && given[property] !== false)
      add(['fields', index, property], 'is for values that people enter; this one is calculated')
}

const formulaIssue = (entity: Entity, { field }: Column): string | undefined => {
  try {
    const formula = parseFormula('formula' in field ? (field.formula ?? '') : '')
    const place = { known: readableFields(entity), toSql: (name: string) => name }
    const { kind } = compileFormula(formula, place)
    const isDate = kindOfType(field.type) === 'date'
    return (kind === 'date') === isDate
      ? undefined
      : `is ${kindWords[kind]}, and the field is ${field.type}`
  } catch (error) {
    if (error instanceof FormulaError) return error.message
    throw error
  }
}

const rollupIssue = (catalog: Catalog, entity: Entity, column: Column): string | undefined => {
  const found = findRollup(catalog, entity, column)
  return found && 'message' in found ? found.message : undefined
}

const circleIssue = (catalog: Catalog, entity: Entity, column: Column): string | undefined => {
  const circle = circleOf(catalog, { entity, column })
  return circle && `is calculated from itself: ${circle.join(' from ')}`
}
