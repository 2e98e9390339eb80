/** Second check of entity files: every reference must lead to something that exists. */
import { didYouMean } from '../../did-you-mean.ts'
import { actionKindNames, targetsOf } from '../action-kinds.ts'
import { isUnread, type PathResult, resolvePath } from '../association-path.ts'
import type { Catalog, Entity } from '../catalog.ts'
import { type FieldTypeName, unitPathOf } from '../field-types.ts'
import { notificationHook } from '../notification-matching.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import { theActor } from '../schemas/notification-rule.ts'
import type { Finding, JsonPath, Severity, Sourced } from '../source-file.ts'
import { hasValueNames } from '../value-names.ts'
import { checkCalculations } from './check-calculations.ts'
import { checkValidations } from './check-validations.ts'
import { checkWorkflow } from './check-workflow.ts'

type Add = (path: JsonPath, message: string, severity?: Severity) => void

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
    const add: Add = (path, message, severity) =>
      findings.push(source.finding(path, message, severity))
    if (seen.has(definition.key)) add(['key'], `"${definition.key}" is defined twice`)
    seen.add(definition.key)
    const entity = catalog.entities.get(definition.key)
    if (!entity) continue
    checkLinks(catalog, definition, add)
    checkUnits(catalog, entity, definition, add)
    checkCalculations(catalog, entity, definition, add)
    checkFieldNames(entity, definition, add)
    checkColumnDefs(catalog, entity, definition, add)
    checkHooks(definition, add)
    checkValidations(entity, definition, add)
    checkNotifications(catalog, entity, definition, add)
    // Forms of a native entity may also set its native fields.
    checkWorkflow({ ...definition, fields: entity.definition.fields }, add)
  }
}

const checkLinks = (catalog: Catalog, definition: EntityDefinition, add: Add) => {
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
  }
}

const checkUnits = (catalog: Catalog, entity: Entity, definition: EntityDefinition, add: Add) => {
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

const unitTypes: ReadonlySet<FieldTypeName> = new Set(['string', 'enum'])

const checkFieldNames = (entity: Entity, definition: EntityDefinition, add: Add) => {
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

// One-to-many fields are not supported in columnDefs[].field (docs/export.md).
const checkColumnDefs = (
  catalog: Catalog,
  entity: Entity,
  definition: EntityDefinition,
  add: Add,
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

// A link to a missing entity is reported at the link.
const pathIssue = (result: PathResult): string | undefined =>
  'message' in result && result.lacking === undefined ? result.message : undefined

const checkHooks = ({ hooks = [] }: EntityDefinition, add: Add) => {
  const names = hooks.map(({ functionName }) => functionName)
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      add(
        ['hooks', index, 'functionName'],
        `"${name}" is listed twice; it runs once for each change`,
        'warning',
      )
}

const checkNotifications = (
  catalog: Catalog,
  entity: Entity,
  definition: EntityDefinition,
  add: Add,
) => {
  const entries = definition.notifications ?? []
  const hasHook = (definition.hooks ?? []).some((hook) => hook.functionName === notificationHook)
  if (entries.length > 0 && !hasHook)
    add(
      ['notifications'],
      `have no effect without the hook { "type": "message", "hookType": "AfterChange", "functionName": "${notificationHook}" }`,
      'warning',
    )
  for (const [index, entry] of entries.entries()) {
    const at = (...path: JsonPath) => ['notifications', index, ...path]
    if (entry.operation === 'proceedToStep') {
      if (entry.action === undefined)
        add(at(), 'requires the property "action" for "proceedToStep"')
      else checkActionName(definition, entry.action, at('action'), add)
    } else if (entry.action !== undefined) {
      add(at('action'), `has no effect with the operation "${entry.operation}"`)
    }
    if (entry.operation === 'takeOwnership' && !entity.hasOwner)
      add(at('operation'), `needs "ownership": true on ${entity.key}`)
    const { userFields = [], userGroups = [] } = entry.recipient
    if (userFields.length + userGroups.length === 0)
      add(at('recipient'), 'has no recipients: add "userFields" or "userGroups"')
    const users = userFields.map(
      (path, position) => [at('recipient', 'userFields', position), path] as const,
    )
    if (entry.replyTo !== undefined && entry.replyTo !== theActor)
      users.push([at('replyTo'), entry.replyTo])
    for (const [place, path] of users) {
      const result = resolvePath(catalog, entity, path)
      const wrong = pathIssue(result)
      if (wrong !== undefined) add(place, wrong)
      else if ('path' in result && result.path.column.target !== 'user')
        add(place, `"${path}" does not end at a user`)
    }
    checkTaken(definition, entry.recipient.canTake, at('recipient', 'canTake'), add)
  }
}

/** The action that the recipients must be able to take. */
const checkTaken = (
  { key, workflow }: EntityDefinition,
  name: string | undefined,
  path: JsonPath,
  add: Add,
) => {
  if (name === undefined) return
  const actions = (workflow?.steps ?? []).flatMap((step) => step.actions ?? [])
  const named = actions.filter((action) => action.key === name)
  if (!workflow) add(path, `needs a workflow on ${key}`)
  else if (named.length === 0)
    add(
      path,
      `"${name}" is not the key of an action of ${key}${didYouMean(
        name,
        actions.map((action) => action.key),
      )}`,
    )
  else if (named.some(({ kind }) => kind === 'returnToStep'))
    add(path, `"${name}" leads back, which depends on each record; name another action of its step`)
}

const checkActionName = (definition: EntityDefinition, name: string, path: JsonPath, add: Add) => {
  if (!definition.workflow) {
    add(path, `needs a workflow on ${definition.key}`)
    return
  }
  const names = new Set<string>()
  const { steps } = definition.workflow
  for (const step of steps)
    for (const action of step.actions ?? []) {
      names.add(action.kind)
      names.add(action.key)
      for (const to of targetsOf(action, { from: step.key, steps })) names.add(`${step.key}-${to}`)
      if (action.form !== undefined) names.add(action.form)
    }
  if (names.has(name)) return
  const isKind = actionKindNames.some((kind) => kind === name)
  if (isKind)
    add(path, `no action of ${definition.key} has this kind, so the rule never applies`, 'warning')
  else
    add(
      path,
      `"${name}" is not the kind, key, form or <from step>-<to step> of an action${didYouMean(name, new Set([...actionKindNames, ...names]))}`,
    )
}
