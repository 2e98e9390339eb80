/** Checks number series and defaults that come from the caller, across all files: what they name exists, and every number fits. */
import { didYouMean } from '../../did-you-mean.ts'
import { isUnread } from '../association-path.ts'
import type { Catalog, Column, Entity } from '../catalog.ts'
import { type FieldDefinition, type FieldOf, fieldTypeOf, withoutRules } from '../field-types.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { AddFinding, JsonPath } from '../source-file.ts'
import { callerDefaultOf, isRequired } from '../values/field-defaults.ts'
import { exampleNumber, linksOf, longestNumber, parseFormat } from '../values/series-format.ts'

type Place = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly field: FieldOf<'string'>
  readonly add: (path: JsonPath, message: string, severity?: 'warning') => void
}

/** Adds what is wrong with the series of a definition. */
export const checkSeries = (
  catalog: Catalog,
  entity: Entity,
  { fields, extends: extended }: EntityDefinition,
  add: AddFinding,
): void => {
  for (const [index, field] of fields.entries()) {
    if (field.type !== 'string' || !field.series) continue
    const at: Place['add'] = (path, message, severity) =>
      add(['fields', index, ...path], message, severity)
    // Their records are also written by the service itself: users at a sign-in, tasks with their record.
    if (extended === 'native') {
      at(['series'], `is not possible for the native entity ${entity.key}`)
      continue
    }
    checkRules(field, at)
    checkEvent({ catalog, entity, field, add: at })
    checkFormat({ catalog, entity, field, add: at })
  }
}

/** Rules of texts that people enter. */
const entered = ['default', 'pattern', 'lowercase', 'personal'] as const

const checkRules = (field: FieldOf<'string'>, add: Place['add']) => {
  for (const property of entered)
    if (field[property] !== undefined && field[property] !== false)
      add([property], 'cannot be combined with "series": the service gives the whole text')
  if (field.unique !== undefined && field.unique !== true)
    add(['unique'], 'must be left out, or true: no two records have the same number')
  const isOnCreate = (field.series?.on ?? 'create') === 'create'
  if (isOnCreate && field.required === false)
    add(['required'], 'must be left out, or true: every record gets a number when it is created')
  if (!isOnCreate && field.required === true)
    add(['required'], 'must be left out: a record has no number before the action')
}

const checkEvent = ({ entity, field, add }: Place) => {
  const { on = 'create' } = field.series ?? {}
  if (typeof on === 'string') return
  const { workflow } = entity.definition
  const known = (workflow?.steps ?? []).flatMap(({ actions = [] }) => actions.map(({ key }) => key))
  if (!known.includes(on.action))
    add(
      ['series', 'on', 'action'],
      workflow
        ? `there is no action "${on.action}" in the workflow of ${entity.key}${didYouMean(on.action, known)}`
        : `${entity.key} has no workflow, so it has no action "${on.action}"`,
    )
}

const checkFormat = (place: Place) => {
  const { field, add } = place
  const at = ['series', 'format']
  const parsed = parseFormat(field.series?.format ?? '')
  if ('issue' in parsed) return add(at, parsed.issue)
  const { format } = parsed
  const example = exampleNumber(format, new Date())
  const kept = fieldTypeOf(withoutRules(field, 'maxLength', 'pattern')).check(example, 'UTC')
  if ('rule' in kept)
    return add(at, `gives texts such as "${example}", and such a text ${kept.message}`)
  if (kept.value !== example)
    return add(
      at,
      `gives texts such as "${example}", which a string does not keep as they are: leave out blanks at the ends, and write composed characters (NFC)`,
    )
  const links = linksOf(format).map((link) => ({ ...link, found: linkedColumn(place, link) }))
  for (const { link, field: name, found } of links) {
    if (typeof found === 'string') add(at, found)
    else if (found) warnOfRoles(place, { link, name })
  }
  if (links.some(({ found }) => typeof found !== 'object')) return
  const lengths = links.map(({ found }) => (typeof found === 'object' ? found.type.maxLength : 0))
  const most = field.maxLength ?? fieldTypeOf(field).maxLength ?? 0
  const longest =
    longestNumber(format, () => 0) + lengths.reduce<number>((sum, one) => sum + (one ?? 0), 0)
  if (longest > most)
    add(
      at,
      `gives numbers of up to ${longest} characters, and the field holds ${most}: set its "maxLength" to ${longest} or more${links.length === 0 ? '' : `, or a smaller one of ${links.map(({ link, field: name }) => `${link}.${name}`).join(' and ')}`}`,
    )
}

/** The column of the linked record, or what is wrong with it; undefined where its file has findings already. */
const linkedColumn = (
  { catalog, entity }: Place,
  { link, field: name }: { readonly link: string; readonly field: string },
): Column | string | undefined => {
  const column = entity.associations.get(link)
  if (!column || column.isSystem)
    return `"${link}" is not a many-to-one field of ${entity.key}${didYouMean(
      link,
      [...entity.associations].filter(([, one]) => !one.isSystem).map(([key]) => key),
    )}`
  if (!isRequired(column))
    return `"${link}" must be required: a record without one could get no number`
  const target = catalog.entities.get(column.target ?? '')
  if (!target || isUnread(catalog, target.key)) return undefined
  const found = target.columnsByName.get(name)
  const isText = found?.field.type === 'string' && isRequired(found) && Boolean(found.field.unique)
  if (found && isText) return found
  const fitting = target.columns.flatMap(({ field }) =>
    field.type === 'string' && field.unique && isRequired({ field }) ? [field.key] : [],
  )
  return `"${name}" is not a string of ${target.key} that is required and unique, so it cannot tell numbers apart${
    didYouMean(name, fitting) ||
    (fitting.length > 0
      ? `; such ${fitting.length === 1 ? 'is' : 'are'} ${fitting.join(', ')}`
      : '')
  }`
}

/** A number tells a part of another record to those who may read the number. */
const warnOfRoles = (
  { catalog, entity, field, add }: Place,
  { link, name }: { readonly link: string; readonly name: string },
) => {
  const target = entity.associations.get(link)?.target ?? ''
  const told = [...catalog.roles].filter(([, { permissions }]) => {
    const permissionOf = (key: string) => permissions[key] ?? permissions['*'] ?? {}
    const reads = (key: string, name: string) => {
      const { read, hiddenFields = [] } = permissionOf(key)
      return Boolean(read) && !hiddenFields.includes(name)
    }
    return reads(entity.key, field.key) && !(reads(target, name) && reads(entity.key, link))
  })
  if (told.length === 0) return
  const roles = told.map(([key]) => `"${key}"`).join(' and ')
  add(
    ['series', 'format'],
    `tells "${link}.${name}" to ${told.length === 1 ? 'the role' : 'the roles'} ${roles}, which may read "${field.key}" and not "${link}.${name}"`,
    'warning',
  )
}

/** Adds what is wrong with defaults that new records take from their caller. */
export const checkCallerDefaults = (
  catalog: Catalog,
  { fields }: EntityDefinition,
  add: AddFinding,
): void => {
  const user = catalog.entities.get('user')
  for (const [index, field] of fields.entries()) {
    const name = callerDefaultOf(field)
    if (name === undefined || !user) continue
    const issue = callerIssue(catalog, user, field, name)
    if (issue !== undefined) add(['fields', index, 'default', '$caller'], issue)
  }
}

const callerIssue = (
  catalog: Catalog,
  user: Entity,
  field: FieldDefinition,
  name: string,
): string | undefined => {
  const isLink = field.type === 'manyToOne'
  if (isLink && field.entity === 'user' && name === 'id') return undefined
  const column = user.associations.get(name) ?? user.columnsByName.get(name)
  const kind = isLink ? `a link to ${field.entity}` : `of the type ${field.type}`
  const isSame = (other: FieldDefinition) =>
    other.type === field.type &&
    (!isLink || (other.type === 'manyToOne' && other.entity === field.entity))
  if (!column && isUnread(catalog, user.key)) return undefined
  if (column && !column.isSystem && isSame(column.field)) return undefined
  const fitting = [
    ...(isLink && field.entity === 'user' ? ['id'] : []),
    ...user.columns.filter((one) => !one.isSystem && isSame(one.field)).map((one) => one.field.key),
  ]
  const near = didYouMean(name, fitting)
  const others = fitting.length > 0 ? `; such are ${fitting.join(', ')}` : ''
  return `"${name}" of user is not ${kind}${near || others}`
}
