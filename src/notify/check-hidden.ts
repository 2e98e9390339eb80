/**
 * Warns of names in notification rules that some of the notified roles may not read: these values are left
 * empty for them, or shown on purpose (docs/notifications.md, "What each recipient may read").
 */
import { createPermissions, type Permissions } from '../auth/permissions.ts'
import { type MaySee, resolvePath } from '../definitions/association-path.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Finding } from '../definitions/source-file.ts'
import { fieldsIn } from '../query/criteria/criteria.ts'
import { parseWhere } from '../query/criteria/parse-criteria.ts'
import { maySeeByPath, readableOfOthers } from '../query/user-visibility.ts'
import type { TemplateName } from '../templates/liquid-template.ts'
import { checkRules, type EntityRule, namesInText, templateIssuesOf } from './check-templates.ts'

/** Findings at the templates and conditions of the entity definitions. */
export const checkHidden = (project: Project): Finding[] => {
  const { catalog } = project
  const deps = { catalog, permissions: createPermissions(catalog) }
  const severity = 'warning' as const
  return checkRules(project, (one) => [
    ...hiddenInRule(deps, one).map(({ path, message }) => ({ path: [path], message, severity })),
    ...templateIssuesOf(one, (text) =>
      hiddenNames(deps, [one], namesInText(text)).map(({ message }) => ({ message, severity })),
    ),
  ])
}

type Deps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** Names in a template that some of the notified users may not read, each once. */
export const hiddenNames = (
  deps: Deps,
  rules: readonly EntityRule[],
  names: readonly TemplateName[],
): { readonly name: TemplateName; readonly message: string }[] => {
  const seen = new Set<string>()
  return names.flatMap((name) => {
    const shown = name.segments.map((segment) => segment ?? '[…]').join('.')
    if (seen.has(shown)) return []
    seen.add(shown)
    return rules.flatMap((one) => {
      const roles = notifiedRoles(deps, one).filter((role) => !mayRead(deps, one, role, name))
      return roles.length === 0 ? [] : [{ name, message: sentence(one, shown, roles) }]
    })
  })
}

const sentence = ({ rule }: EntityRule, shown: string, roles: readonly string[]): string =>
  rule.recipient.showHidden
    ? `"${shown}" is shown to ${named(roles)}, which may not read it (recipient.showHidden)`
    : `"${shown}" is left empty for ${named(roles)}, which may not read it; {% if %} can test for it, and recipient.showHidden shows its value`

const named = (roles: readonly string[]): string =>
  `${roles.length === 1 ? 'the role' : 'the roles'} ${roles.map((role) => `"${role}"`).join(', ')}`

/** Roles that a rule can notify, whatever its fields and groups. */
const notifiedRoles = (
  { catalog, permissions }: Deps,
  { entity, rule }: EntityRule,
): readonly string[] => {
  const { all, some } = permissions.readersOf(entity)
  const { skipRightsCheck, canTake } = rule.recipient
  const readers = skipRightsCheck
    ? [...catalog.roles.keys()]
    : [...all, ...some.flatMap(({ roleKeys }) => roleKeys)]
  const takes = (roleKey: string) =>
    canTake === undefined ||
    permissions.rightsOf({ userId: 0, roleKey }, entity).actions.has(canTake)
  return readers.filter((role) => role !== administratorRole && takes(role))
}

const mayRead = (
  { catalog, permissions }: Deps,
  { entity }: EntityRule,
  roleKey: string,
  { segments: [root, ...rest] }: TemplateName,
): boolean => {
  const access = permissions.accessOf({ userId: 0, roleKey })
  const names = rest.map(String)
  // checkTemplates reports a name that does not exist.
  const isReached = (start: Entity) =>
    leadsSomewhere(catalog, start, names, maySeeByPath(access)) ||
    !leadsSomewhere(catalog, start, names)
  if (root === 'action')
    return !entity.hasWorkflow || leadsSomewhere(catalog, entity, ['_step'], access.maySee)
  if (root === 'record' || root === 'before' || root === 'names')
    return names[0] === 'id' || isReached(entity)
  if (root !== 'actor' && root !== 'recipient') return true
  const users = getEntity(catalog, 'user')
  const column = users.columnsByName.get(names.join('.'))
  if (!column) return isReached(users)
  return root === 'recipient'
    ? !access.hides(users, column)
    : readableOfOthers(access, users, column) !== 'none'
}

/** A prefix of the names is a column: what follows is inside its JSON. */
const leadsSomewhere = (
  catalog: Catalog,
  start: Entity,
  names: readonly string[],
  maySee?: MaySee,
): boolean => {
  const whole = resolvePath(catalog, start, names.join('.'), maySee, 'lists')
  if ('path' in whole) return true
  return names.some((_, index) => {
    const result = resolvePath(catalog, start, names.slice(0, index).join('.'), maySee)
    return 'path' in result && result.path.column.type.isStructured
  })
}

/** A notified user learns that a condition holds, that a field has changed, or which date it has. */
const hiddenInRule = (deps: Deps, one: EntityRule) => {
  const { condition, before, fields = [], field } = one.rule
  const places = [
    { path: 'condition', names: namedIn(condition), told: 'that the condition holds' },
    { path: 'before', names: namedIn(before), told: 'that the condition held before' },
    { path: 'fields', names: fields, told: 'that it has changed' },
    { path: 'field', names: field === undefined ? [] : [field], told: 'which date it has' },
  ]
  return places.flatMap(({ path, names, told }) =>
    [...new Set(names)].flatMap((name) => {
      const segments = ['record', ...name.split('.')]
      const roles = notifiedRoles(deps, one).filter(
        (role) => !mayRead(deps, one, role, { segments, line: 1 }),
      )
      const message = `"${name}" decides whether users with ${named(roles)} are notified, who may not read it: a notification reveals ${told}`
      return roles.length === 0 ? [] : [{ path, message }]
    }),
  )
}

const namedIn = (where: unknown): readonly string[] =>
  where === undefined ? [] : fieldsIn(parseWhere(where).condition)
