/** Checks roles and the project's settings. */
import { suggestion } from '../near-miss.ts'
import type { Catalog, Entity } from './catalog.ts'
import { checkLabels } from './check-labels.ts'
import {
  type ProjectSettings,
  projectSchema,
  type RoleDefinition,
  roleSchema,
} from './role-definition.ts'
import { shapeCheck } from './shape-findings.ts'
import type { Finding, Severity, Sourced, SourceFile } from './source-file.ts'

const checkRole = shapeCheck(roleSchema)
const checkSettings = shapeCheck(projectSchema)

/** The role that may do everything; it has no file. */
export const administratorRole = 'administrator'

export const checkRoleShape = (
  source: SourceFile,
  findings: Finding[],
): Sourced<RoleDefinition>[] => {
  const mistakes = checkRole(source.value)
  findings.push(...mistakes.map(({ path, message }) => source.finding(path, message)))
  if (mistakes.length > 0) return []
  checkLabels(source, findings)
  const definition = source.value as RoleDefinition
  if (definition.key === administratorRole)
    findings.push(source.finding(['key'], '"administrator" is built in and cannot be defined'))
  return [{ source, definition }]
}

export const checkProjectSettings = (source: SourceFile, findings: Finding[]): ProjectSettings => {
  const mistakes = checkSettings(source.value)
  findings.push(...mistakes.map(({ path, message }) => source.finding(path, message)))
  if (mistakes.length > 0) return {}
  checkLabels(source, findings)
  const settings = source.value as ProjectSettings
  if (settings.locale !== undefined && !isLocale(settings.locale))
    findings.push(
      source.finding(['locale'], `"${settings.locale}" is not a language tag, such as "de-AT"`),
    )
  const { timeZone, ...others } = settings
  if (timeZone === undefined || isTimeZone(timeZone)) return settings
  const message = `"${timeZone}" is not an IANA time zone, such as "Europe/Zagreb"`
  findings.push(source.finding(['timeZone'], message))
  // Every time of the project would be wrong in a zone that is none.
  return others
}

/** Whether the runtime knows the IANA time zone. */
const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** Entities, fields and actions that a role names exist. */
export const checkRoleReferences = (
  catalog: Catalog,
  { source, definition }: Sourced<RoleDefinition>,
  faulty: ReadonlySet<string>,
  findings: Finding[],
): void => {
  for (const [key, permission] of Object.entries(definition.permissions)) {
    const add = (path: (string | number)[], message: string, severity?: Severity) =>
      findings.push(source.finding(['permissions', key, ...path], message, severity))
    const entity = catalog.entities.get(key)
    if (!entity) {
      if (key !== '*' && !faulty.has(key))
        add([], `there is no entity "${key}"${suggestion(key, catalog.entities.keys())}`)
      continue
    }
    for (const [index, name] of (permission.hiddenFields ?? []).entries()) {
      const fields = fieldKeysOf(entity)
      if (!fields.includes(name))
        add(
          ['hiddenFields', index],
          `"${name}" is not a field of ${key}${suggestion(name, fields)}`,
        )
    }
    for (const [index, name] of (permission.actions ?? []).entries()) {
      const actions = actionsOf(entity)
      if (!actions.includes(name))
        add(
          ['actions', index],
          `"${name}" is not a workflow action of ${key}${suggestion(name, actions)}`,
        )
      for (const field of hiddenRequirements(entity, name, permission.hiddenFields ?? []))
        add(
          ['actions', index],
          `"${name}" cannot be taken where its form requires "${field}", which the role hides`,
          'warning',
        )
    }
  }
}

// `id` cannot be hidden: without it a record has no address.
const fieldKeysOf = (entity: Entity): string[] => [
  ...entity.columns.filter((column) => column.name !== 'id').map((column) => column.field.key),
  ...entity.oneToMany.keys(),
]

/** Fields that an action's forms require though they are hidden: nobody of the role could fill it in. */
const hiddenRequirements = (
  { columns, definition }: Entity,
  action: string,
  hidden: readonly string[],
): readonly string[] => {
  const { steps = [], forms = [] } = definition.workflow ?? {}
  const used = steps.flatMap((step) =>
    (step.actions ?? []).flatMap(({ key, form }) => (key === action ? [form] : [])),
  )
  const required = new Set(
    forms.flatMap((form) => (used.includes(form.key) ? (form.required ?? []) : [])),
  )
  return columns
    .filter(({ field, name }) => hidden.includes(field.key) || hidden.includes(name))
    .map(({ field }) => field.key)
    .filter((key) => required.has(key))
}

const actionsOf = (entity: Entity): string[] =>
  (entity.definition.workflow?.steps ?? []).flatMap((step) =>
    (step.actions ?? []).map((action) => action.key),
  )
