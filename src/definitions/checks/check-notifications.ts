/** Checks the notification rules of an entity against the catalog. */
import { didYouMean } from '../../did-you-mean.ts'
import { actionKindNames, targetsOf } from '../action-kinds.ts'
import { pathIssue, resolvePath } from '../association-path.ts'
import { type Catalog, type Entity, orderedIndexes } from '../catalog.ts'
import { commentSettings } from '../comments.ts'
import { isOfClock, readLate, readShift } from '../date-rules.ts'
import { fileColumns } from '../files.ts'
import { type NotificationRule, notificationHook } from '../notification-rules.ts'
import { commentOperations, type NotifiedOperation } from '../operations.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import { theActor } from '../schemas/notification-rule.ts'
import type { AddFinding, JsonPath } from '../source-file.ts'

export const checkNotifications = (
  catalog: Catalog,
  entity: Entity,
  definition: EntityDefinition,
  add: AddFinding,
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
    checkMoments(entity, entry, at, add)
    const { userFields = [], userGroups = [], followers = false } = entry.recipient
    const isOfComments = commentOperations.some((one) => one === entry.operation)
    if (isOfComments && !commentSettings(entity))
      add(at('operation'), `needs "comments" on ${entity.key}`)
    if (followers && !commentSettings(entity))
      add(at('recipient', 'followers'), `needs "comments" on ${entity.key}`)
    if (userFields.length + userGroups.length === 0 && !followers && entry.operation !== 'mention')
      add(at('recipient'), 'has no recipients: add "userFields", "userGroups" or "followers"')
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
    for (const { path, names, effect } of listsOf(entry))
      for (const [position, name] of names.entries())
        if (names.indexOf(name) < position)
          add(at(...path, position), `"${name}" is listed twice; ${effect}`, 'warning')
    checkTaken(definition, entry.recipient.canTake, at('recipient', 'canTake'), add)
    const files = fileColumns(entity).map(({ field }) => field.key)
    for (const [position, name] of (entry.attachments?.files ?? []).entries())
      if (!files.includes(name))
        add(
          at('attachments', 'files', position),
          `"${name}" is not a field of files of ${entity.key}${didYouMean(name, files)}`,
        )
  }
}

type Rule = NonNullable<EntityDefinition['notifications']>[number]

/** The lists of a rule, and what a name does that is in one of them twice. */
const listsOf = ({ recipient, attachments = {} }: Rule) => {
  const once = 'each user is notified once'
  const twice = 'it is attached twice'
  return [
    { path: ['recipient', 'userFields'], names: recipient.userFields ?? [], effect: once },
    { path: ['recipient', 'userGroups'], names: recipient.userGroups ?? [], effect: once },
    {
      path: ['attachments', 'printableDocuments'],
      effect: twice,
      names: attachments.printableDocuments ?? [],
    },
    {
      path: ['attachments', 'documentFunctions'],
      effect: twice,
      names: attachments.documentFunctions ?? [],
    },
    { path: ['attachments', 'files'], effect: twice, names: attachments.files ?? [] },
  ]
}

const checkTaken = (
  { key, workflow }: EntityDefinition,
  name: string | undefined,
  path: JsonPath,
  add: AddFinding,
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

const checkActionName = (
  definition: EntityDefinition,
  name: string,
  path: JsonPath,
  add: AddFinding,
) => {
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

type Place = (...path: JsonPath) => JsonPath

/** The operation of each property that no other one has. */
const operationOf = {
  fields: 'change',
  before: 'change',
  field: 'date',
  offset: 'date',
  at: 'date',
  late: 'date',
} as const satisfies Readonly<Partial<Record<keyof NotificationRule, NotifiedOperation>>>

const properties = Object.keys(operationOf) as (keyof typeof operationOf)[]

/** Checks what a rule has for one operation alone: the fields of a change, and when a date is due. */
const checkMoments = (entity: Entity, rule: NotificationRule, at: Place, add: AddFinding): void => {
  const { operation } = rule
  for (const name of properties)
    if (rule[name] !== undefined && operationOf[name] !== operation)
      add(at(name), `has no effect with the operation "${operation}"`)
  if (operation === 'change') checkChanged(entity, rule, at, add)
  if (operation === 'date') checkDate(entity, rule, at, add)
}

const checkChanged = (
  entity: Entity,
  { fields = [] }: NotificationRule,
  at: Place,
  add: AddFinding,
): void => {
  const known = entity.columns.flatMap(({ field: { key }, isSystem }) =>
    !isSystem || key === '_step' || key === '_owned_by' ? [key] : [],
  )
  for (const [index, name] of fields.entries())
    if (!known.includes(name))
      add(
        at('fields', index),
        `"${name}" is not a field of ${entity.key} that changes${didYouMean(name, known)}`,
      )
    else if (fields.indexOf(name) < index)
      add(at('fields', index), `"${name}" is listed twice`, 'warning')
}

const checkDate = (entity: Entity, rule: NotificationRule, at: Place, add: AddFinding): void => {
  const { field, offset, late, replyTo, recipient } = rule
  if (readLate(late) === undefined)
    add(at('late'), 'must be from "1 hour" to "90 days", in hours, days or weeks')
  if (replyTo === theActor)
    add(at('replyTo'), 'has no effect: nobody acts when a date is due; name a field of a user')
  if (recipient.includeActor === false)
    add(
      at('recipient', 'includeActor'),
      'has no effect: nobody acts when a date is due; leave it out',
      'warning',
    )
  const shift = offset === undefined ? undefined : readShift(offset)
  if (offset !== undefined && !shift)
    add(
      at('offset'),
      'must be a number of minutes, hours, days, weeks, months or years, such as "-30 days", of at most a hundred years',
    )
  if (field === undefined) {
    add(at(), 'requires the property "field" for "date"')
    return
  }
  const column = entity.columnsByName.get(field)
  const kind = column?.type.cell
  if (!column || (kind !== 'date' && kind !== 'timestamp')) {
    const dates = entity.columns.filter(
      ({ type }) => type.cell === 'date' || type.cell === 'timestamp',
    )
    const near = didYouMean(
      field,
      dates.map(({ name }) => name),
    )
    add(at('field'), `"${field}" is not a date or a timestamp of ${entity.key}${near}`)
    return
  }
  if (shift && isOfClock(shift) && kind === 'date')
    add(at('offset'), `is in ${shift.unit}s, but "${field}" is a day; write days, and "at"`)
  else if (shift && isOfClock(shift) && rule.at !== undefined)
    add(at('at'), `has no effect with an offset in ${shift.unit}s, which counts from the moment`)
  if (!orderedIndexes(entity).some(({ columns: [first] }) => first === column.name))
    add(
      at('field'),
      `"${field}" is read every minute; give ${entity.key} an index: ${JSON.stringify({ fields: [field] })}`,
      'warning',
    )
}
