/** Checks roles and the project's settings, and which hidden fields writers of other fields learn something of. */
import { didYouMean } from '../../did-you-mean.ts'
import { isUnread } from '../association-path.ts'
import { columnsBehind, formulaColumns } from '../calculations/formulas.ts'
import { decidingColumns, rollupsFrom } from '../calculations/rollups.ts'
import { type Catalog, type Entity, uniqueIndexes, writableColumns } from '../catalog.ts'
import { isFollowing, isPartOfRecord, isReadBelow, partOfRecords } from '../native-entities.ts'
import {
  conditionalRights,
  type Permission,
  type ProjectSettings,
  projectSchema,
  type RoleDefinition,
  roleSchema,
} from '../schemas/role-definition.ts'
import type { Finding, Severity, Sourced, SourceFile } from '../source-file.ts'
import { hasDefault, isRequired } from '../values/field-defaults.ts'
import { commentRightIssues } from './check-comments.ts'
import { checkLabels, messageIssue } from './check-labels.ts'
import { shapeCheck } from './shape-findings.ts'

/** What writers of other fields learn of each hidden one, by its index. */
const toldByWriting = (entity: Entity, permission: Permission) => [
  ...hiddenUniques(entity, permission.hiddenFields ?? []).map(({ index, columns }) => ({
    index,
    message: `is part of a unique index (${columns.join(', ')}): writers of the other fields learn that a combination exists`,
  })),
  ...hiddenOperands(entity, permission).map(({ index, formula, writable }) => ({
    index,
    message: `is read by the formula of "${formula}" together with "${writable}": a user who writes that learns the value from which results do not fit`,
  })),
]

/** Sums of other records that the role may not read, and adds to by writing parts of them. */
const toldByParts = (
  catalog: Catalog,
  part: Entity,
  permissions: RoleDefinition['permissions'],
): readonly string[] => {
  const { create, update } = permissions[part.key] ?? {}
  const unwritten = unwrittenBy(permissions[part.key])
  if (!create && !update) return []
  return rollupsFrom(catalog, part).flatMap((rollup) => {
    const { parent, column, name } = rollup
    const { read, hiddenFields = [] } = permissions[parent.key] ?? permissions['*'] ?? {}
    const isReadable = Boolean(read) && !hiddenFields.includes(column.field.key)
    const written = decidingColumns(rollup).find(
      ({ field, isSystem }) => !isSystem && !unwritten.includes(field.key),
    )
    if (isReadable || !written || name !== 'sum') return []
    return [
      `"${written.field.key}" adds to "${parent.key}.${column.field.key}", which the role may not read: a user who writes it learns the sum from which results do not fit`,
    ]
  })
}

/** Fields that a role may not write, as far as its lists say so. */
const unwrittenBy = ({ hiddenFields = [], readOnlyFields = [] }: Permission = {}) => [
  ...hiddenFields,
  ...readOnlyFields,
]

/** Hidden fields in unique indexes, by their place in the list. */
const hiddenUniques = (entity: Entity, hidden: readonly string[]) =>
  hidden.flatMap((name, index) => {
    const column = entity.associations.get(name) ?? entity.columnsByName.get(name)
    return uniqueIndexes(entity)
      .filter(({ columns }) => columns.length > 1 && columns.includes(column?.name ?? ''))
      .map(({ columns }) => ({ index, columns }))
  })

/** Hidden fields that a formula calculates with a field that the role may write. */
const hiddenOperands = (entity: Entity, permission: Permission) => {
  const { create, update, hiddenFields: hidden = [] } = permission
  if (!create && !update) return []
  const unwritten = unwrittenBy(permission)
  return formulaColumns(entity).flatMap((column) => {
    const operands = [...columnsBehind(entity, column)].slice(1)
    const writable = operands.find(
      ({ field, isCalculated, series }) =>
        !isCalculated && !series && !unwritten.includes(field.key),
    )
    if (!writable) return []
    return hidden.flatMap((name, index) =>
      operands.some(({ field }) => field.key === name)
        ? [{ index, formula: column.field.key, writable: writable.field.key }]
        : [],
    )
  })
}

const checkRole = shapeCheck(roleSchema)
const checkSettings = shapeCheck(projectSchema)

/** The built-in role with every permission; it has no file. */
export const administratorRole = 'administrator'

export const checkRoleShape = (
  source: SourceFile,
  findings: Finding[],
): Sourced<RoleDefinition>[] => {
  const issues = checkRole(source.value)
  findings.push(...issues.map(({ path, message }) => source.finding(path, message)))
  if (issues.length > 0) return []
  checkLabels(source, findings)
  const definition = source.value as RoleDefinition
  if (definition.key === administratorRole)
    findings.push(source.finding(['key'], '"administrator" is built in and cannot be defined'))
  return [{ source, definition }]
}

export const checkProjectSettings = (source: SourceFile, findings: Finding[]): ProjectSettings => {
  const issues = checkSettings(source.value)
  findings.push(...issues.map(({ path, message }) => source.finding(path, message)))
  if (issues.length > 0) return {}
  checkLabels(source, findings)
  const settings = source.value as ProjectSettings
  // Unknown values are ignored: times would be wrong in an unknown zone.
  const wrong = (['locale', 'language', 'timeZone'] as const).filter((name) => {
    const isKnown = name === 'timeZone' ? isTimeZone(settings.timeZone) : isLocale(settings[name])
    if (!isKnown) findings.push(source.finding([name], `"${settings[name]}" ${unknown[name]}`))
    return !isKnown
  })
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !wrong.some((one) => one === name)),
  )
}

const noTag = 'is not a known language tag, such as "de" or "de-AT"'
const unknown = {
  locale: noTag,
  language: noTag,
  timeZone: 'is not an IANA time zone, such as "Europe/Zagreb"',
}

/** Whether it is a zone of IANA. */
export const isTimeZone = (name: string | undefined): boolean => {
  if (name === undefined) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Whether it is a BCP 47 tag with a known language and, if present, a known region. */
export const isLocale = (tag: string | undefined): boolean => {
  if (tag === undefined) return true
  try {
    const { language, region } = new Intl.Locale(tag)
    const hasName = (type: 'language' | 'region', code: string) =>
      new Intl.DisplayNames('en', { type, fallback: 'none' }).of(code) !== undefined
    return hasName('language', language) && (region === undefined || hasName('region', region))
  } catch {
    return false
  }
}

/** Checks that entities, fields and actions of a role exist. */
export const checkRoleReferences = (
  catalog: Catalog,
  { source, definition }: Sourced<RoleDefinition>,
  findings: Finding[],
): void => {
  warnOfPowerful(catalog, { source, definition }, findings)
  for (const [key, permission] of Object.entries(definition.permissions)) {
    const add = (path: (string | number)[], message: string, severity?: Severity) =>
      findings.push(source.finding(['permissions', key, ...path], message, severity))
    const entity = catalog.entities.get(key)
    for (const { right, message } of conditionIssues(permission, key, entity))
      add(['conditions', right], message)
    for (const right of conditionalRights) {
      const { messages = {}, conditions = {} } = permission
      const wrong = messageIssue(messages[right], conditions[right], `conditions.${right}`)
      if (wrong !== undefined) add(['messages', right], wrong)
    }
    if (!entity) {
      if (key !== '*')
        add([], `there is no entity "${key}"${didYouMean(key, catalog.entities.keys())}`)
      continue
    }
    if (isReadBelow(entity))
      add(
        [],
        `has no effect: a ${key} is read and written under its record; grant "${partOfRecords(entity)?.subject}" on the entity of that`,
      )
    for (const { right, message } of commentRightIssues(catalog, entity, permission))
      add([right], message, 'warning')
    if (permission.import && !permission.create && !permission.update)
      add(['import'], 'has no effect, because neither "create" nor "update" is granted')
    for (const list of ['hiddenFields', 'readOnlyFields'] as const)
      for (const [index, name] of (permission[list] ?? []).entries()) {
        const fields = fieldKeysOf(entity)
        if (!fields.includes(name) && !isUnread(catalog, key))
          add([list, index], `"${name}" is not a field of ${key}${didYouMean(name, fields)}`)
      }
    for (const [index, name] of (permission.readOnlyFields ?? []).entries()) {
      const issue = readOnlyIssue(entity, permission, name)
      if (issue) add(['readOnlyFields', index], issue.message, issue.severity)
    }
    for (const { index, message } of toldByWriting(entity, permission))
      add(['hiddenFields', index], message, 'warning')
    const writing = permission.update ? 'update' : 'create'
    for (const message of toldByParts(catalog, entity, definition.permissions))
      add([writing], message, 'warning')
    for (const [index, name] of (permission.actions ?? []).entries()) {
      const actions = actionsOf(entity)
      if (!actions.includes(name) && !isUnread(catalog, key))
        add(
          ['actions', index],
          `"${name}" is not a workflow action of ${key}${didYouMean(name, actions)}`,
        )
      for (const field of hiddenRequirements(entity, name, permission.hiddenFields ?? []))
        add(
          ['actions', index],
          `"${name}" cannot be run when its form requires "${field}", which the role hides`,
          'warning',
        )
    }
  }
}

/** Conditions that could never be asked. */
const conditionIssues = (permission: Permission, key: string, entity: Entity | undefined) =>
  (['read', ...conditionalRights] as const).flatMap((right) => {
    if (permission.conditions?.[right] === undefined) return []
    if (!permission[right])
      return [{ right, message: `has no effect, because "${right}" is not granted` }]
    if (key === '*')
      return [{ right, message: 'needs the fields of an entity: give the entity its own entry' }]
    return entity && isPartOfRecord(entity)
      ? [
          {
            right,
            message: `has no effect: a ${entity.key} is ${right === 'read' ? 'read' : 'written'} under its record`,
          },
        ]
      : []
  })

const writeRights = ['create', 'update'] as const

/** Native entities that let writers gain more than their role grants, and how. */
const powers: Readonly<Record<string, string>> = {
  user: "assigns roles, and can take over every account except an administrator's",
  user_role: "gives further roles to users, also to themselves, except the administrator's",
  security_role: 'creates and renames roles, and so decides whom a file in roles/ will apply to',
  printable_document: 'decides what documents show to everybody who renders or receives one',
}

/** Warns of powerful permissions, and of writing that "*" does not grant. */
const warnOfPowerful = (
  catalog: Catalog,
  { source, definition: { permissions } }: Sourced<RoleDefinition>,
  findings: Finding[],
): void => {
  const warn = (path: string[], message: string) =>
    findings.push(source.finding(['permissions', ...path], message, 'warning'))
  for (const [key, power] of Object.entries(powers))
    for (const right of writeRights)
      if (permissions[key]?.[right]) warn([key, right], `users with this permission ${power}`)
  const natives = [...catalog.entities.values()].filter((one) => one.isNative && !isReadBelow(one))
  const right = [...writeRights, 'delete' as const].find((one) => permissions['*']?.[one])
  if (right !== undefined && natives.every(({ key }) => permissions[key] === undefined))
    warn(
      ['*', right],
      `"*" grants reading of native entities and no writing; name those that the role may write (${natives.map(({ key }) => key).join(', ')})`,
    )
}

// `id` cannot be hidden: every record is addressed by it.
const fieldKeysOf = (entity: Entity): string[] => [
  ...entity.columns.filter((column) => column.name !== 'id').map((column) => column.field.key),
  ...entity.oneToMany.keys(),
]

/** What is wrong with a field that a role sees and may not write. */
const readOnlyIssue = (
  entity: Entity,
  { create, hiddenFields = [] }: Permission,
  name: string,
): { readonly message: string; readonly severity?: Severity } | undefined => {
  if (entity.oneToMany.has(name))
    return {
      message: `"${name}" is a one-to-many field, which is not supported: name the link of the other entity there`,
    }
  if (hiddenFields.includes(name))
    return { message: `"${name}" is hidden too: name it in one of the two lists` }
  const column = writableColumns(entity).find(({ field }) => field.key === name)
  const isMissing = column && isRequired(column) && !hasDefault(column)
  if (!create || !isMissing || isFollowing(entity.key, column.name)) return undefined
  const message = `"${name}" is required and has no default: the role can create no record`
  return { message, severity: 'warning' }
}

/** Hidden fields that an action's form requires: nobody with the role could fill in the form. */
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
    forms.flatMap(({ key, required = [], callerFields = [] }) =>
      used.includes(key) ? [...required, ...callerFields] : [],
    ),
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

// The roles of `signIn.secondFactorFor` in docket.json.

/** Reports roles that do not exist: their users would sign in without a second factor. */
export const checkSecondFactors = (
  { roles, unread }: Catalog,
  { source, signIn }: { readonly source: SourceFile; readonly signIn: ProjectSettings['signIn'] },
  findings: Finding[],
): void => {
  const known = [administratorRole, ...roles.keys()]
  for (const [index, key] of (signIn?.secondFactorFor ?? []).entries())
    if (!known.includes(key) && !unread?.has(`roles/${key}`))
      findings.push(
        source.finding(
          ['signIn', 'secondFactorFor', index],
          `there is no role "${key}"${didYouMean(key, known) || '.'}`,
        ),
      )
}
