/** Notifications, conditions and the values that they name, in words. */
import { useQuery } from '@tanstack/react-query'
import type { NotificationRule } from '../../../src/definitions/notification-rules.ts'
import { nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import { clockMs, readMovingTime } from '../../../src/definitions/values/rules/moving-times.ts'
import { documentsOfQuery, groupsQuery } from '../../api/admin/definitions.ts'
import type { Entity, RecordRow, WorkflowStep } from '../../api/types.ts'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { unitFormat } from '../filter/clock-values.ts'
import { pathWords } from '../filter/condition-words.ts'
import type { Entities } from '../values/columns.ts'

/** A name by its code; the code itself, where there is no name or it is not read yet. */
export type RuleNames = {
  readonly group: (code: string) => string
  readonly document: (code: string) => string
  /** A function has no name but its file's. */
  readonly documentFunction: (key: string) => string
}

const nameIn =
  (rows: readonly RecordRow[] = []) =>
  (code: string): string =>
    String(rows.find((row) => row.code === code)?.name || code)

const groupsOf = (rules: readonly NotificationRule[]): readonly string[] =>
  [...new Set(rules.flatMap(({ recipient }) => recipient.userGroups ?? []))].toSorted()

const hasDocuments = ({ attachments }: NotificationRule): boolean =>
  (attachments?.printableDocuments ?? []).length > 0

export const useRuleNames = ({ key, notifications: rules = [] }: Entity): RuleNames => {
  const { rules: texts } = useAdminTexts()
  const codes = groupsOf(rules)
  const groups = useQuery({ ...groupsQuery(codes), enabled: codes.length > 0 })
  const documents = useQuery({ ...documentsOfQuery(key), enabled: rules.some(hasDocuments) })
  return {
    group: nameIn(groups.data),
    document: nameIn(documents.data),
    documentFunction: (name) => texts.functions[name] ?? nameOfKey(name.replaceAll('-', '_')),
  }
}

export type { NotificationRule }

const stepName = (steps: readonly WorkflowStep[], key: string): string =>
  steps.find((step) => step.key === key)?.name ?? key

const actionName = (steps: readonly WorkflowStep[], action: string): string =>
  steps.flatMap(({ actions = [] }) => actions).find(({ key }) => key === action)?.name ??
  nameOfKey(action)

const kinds = ['proceedToStep', 'approveWorkflow', 'rejectWorkflow', 'returnToStep'] as const

/** When it applies, without its condition. */
export const whenOf = (
  rule: NotificationRule,
  entity: Entity,
  { rules: texts }: AdminTexts,
): string => {
  const { operation, action, fields } = rule
  const { workflow } = entity
  if (operation === 'date') return dueOf(rule, entity, texts)
  if (operation === 'change' && fields)
    return texts.changed(fields.map((key) => fieldName(entity, key)).join(', '))
  if (operation !== 'proceedToStep') return texts.operations[operation]
  if (action === undefined) return texts.anyAction
  const kind = kinds.find((one) => one === action)
  if (kind) return texts.kinds[kind]
  const steps = workflow?.steps ?? []
  const isKey = steps.some(({ actions = [] }) => actions.some(({ key }) => key === action))
  if (isKey) return texts.action(actionName(steps, action))
  const ways = steps.flatMap((from) => steps.map((to) => ({ from, to })))
  const way = ways.find(({ from, to }) => `${from.key}-${to.key}` === action)
  if (way) return texts.way(stepName(steps, way.from.key), stepName(steps, way.to.key))
  return texts.form(action)
}

const fieldName = ({ fields }: Entity, key: string): string =>
  fields.find((field) => field.key === key || field.column === key)?.name ?? nameOfKey(key)

const typeOf = ({ fields }: Entity, key: string) => fields.find((field) => field.key === key)?.type

/** How long before or after which date, and at what time of the day. */
const dueOf = (
  { field = '', offset, at }: NotificationRule,
  entity: Entity,
  { due }: AdminTexts['rules'],
): string => {
  const name = fieldName(entity, field)
  const read = readMovingTime({ $now: offset ?? 0 })
  const { amount, unit } = 'moving' in read ? read.moving : { amount: 0, unit: 'day' as const }
  const words = unitFormat(document.documentElement.lang || 'en', unit).format(Math.abs(amount))
  const [before, after] = [due.before(words, name), due.after(words, name)]
  const when = amount === 0 ? due.on(name) : amount < 0 ? before : after
  // Of a moment without an offset in days, its own time.
  const isOfDay = clockMs[unit] === undefined || typeOf(entity, field) === 'date'
  const time = at ?? (isOfDay ? '08:00' : undefined)
  return time === undefined ? when : due.at(when, time)
}

type Place = { readonly entity: Entity; readonly entities: Entities; readonly names: RuleNames }

const namingFields = ({ recipient }: NotificationRule, { entity, entities }: Place) =>
  (recipient.userFields ?? []).map((path) => pathWords(path, entity, entities))

const namingGroups = ({ recipient }: NotificationRule, { names }: Place) =>
  (recipient.userGroups ?? []).map(names.group)

/** The recipients that it names, one text for each field and group. */
export const namedBy = (
  rule: NotificationRule,
  { rules: texts }: AdminTexts,
  place: Place,
): readonly string[] => [
  ...namingFields(rule, place),
  ...namingGroups(rule, place).map(texts.group),
]

/** Why it does not name a person, by its fields and its groups. */
export const notNamedBy = (
  rule: NotificationRule,
  { explain: texts }: AdminTexts,
  place: Place,
): readonly string[] => {
  const fields = namingFields(rule, place)
  const groups = namingGroups(rule, place)
  return [
    ...(groups.length > 0 ? [texts.notInGroups(groups.join(', '))] : []),
    ...(fields.length > 0 ? [texts.notInFields(fields.join(', '))] : []),
  ]
}

/** What else holds for its recipients and how it is sent. */
export const furtherOf = (
  rule: NotificationRule,
  { rules: texts }: AdminTexts,
  { entity, names }: Place,
): string[] => {
  const { workflow } = entity
  const { recipient, webhook, slack, teams, emailTemplateId, attachments } = rule
  const files = [
    ...(attachments?.printableDocuments ?? []).map(names.document),
    ...(attachments?.documentFunctions ?? []).map(names.documentFunction),
    ...(attachments?.files ?? []).map((key) => fieldName(entity, key)),
  ]
  return [
    ...(recipient.canTake === undefined
      ? []
      : [texts.canTake(actionName(workflow?.steps ?? [], recipient.canTake))]),
    ...(recipient.includeActor === false ? [texts.withoutActor] : []),
    ...(recipient.skipRightsCheck ? [texts.skipsRights] : []),
    ...(recipient.showHidden ? [texts.showsHidden] : []),
    ...(emailTemplateId === undefined ? [] : [texts.template(emailTemplateId)]),
    ...(webhook === undefined ? [] : [texts.webhook(webhook)]),
    ...(slack === undefined ? [] : [texts.slack(slack.room)]),
    ...(teams === undefined ? [] : [texts.teams(teams.room)]),
    ...(files.length > 0 ? [texts.attachments(files.join(', '))] : []),
  ]
}
