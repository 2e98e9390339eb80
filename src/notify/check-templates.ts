/** Checks the templates of every notification rule: each name in them must exist, and a due date must be one. */
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import type { NotificationRule } from '../definitions/notification-rules.ts'
import type { Finding, JsonPath } from '../definitions/source-file.ts'
import { hasValueNames } from '../definitions/value-names.ts'
import { didYouMean } from '../did-you-mean.ts'
import { errorText } from '../errors.ts'
import { actorPaths, recordPaths } from '../outbox/events/notification-event.ts'
import {
  filtersOf,
  type LiquidTemplate,
  parseTemplate,
  printedNames,
  renderTemplate,
  type TemplateName,
  textsIn,
} from '../templates/liquid-template.ts'
import { type ContentPart, contentParts, contentTexts, readDueDate } from './content.ts'
import { nest } from './event-values.ts'

export type EntityRule = { readonly entity: Entity; readonly rule: NotificationRule }

type Issue = { readonly message: string; readonly severity: Finding['severity'] }

/** An issue of a rule, at the property of these names. */
type RuleIssue = Issue & { readonly path: JsonPath }

/** The issues of every notification rule, as findings at their places in the definitions. */
export const checkRules = (
  { catalog, sources }: Project,
  issuesOf: (one: EntityRule) => readonly RuleIssue[],
): Finding[] =>
  [...sources].flatMap(([key, source]) => {
    const entity = catalog.entities.get(key)
    const { notifications = [] } = entity?.definition ?? {}
    return notifications.flatMap((rule, index) =>
      (entity ? issuesOf({ entity, rule }) : []).map(({ path, message, severity }) =>
        source.finding(['notifications', index, ...path], message, severity),
      ),
    )
  })

/** The issues of the templates that a rule has itself: the default ones are always valid. */
export const templateIssuesOf = (
  { entity, rule }: EntityRule,
  issuesOf: (text: string, part: ContentPart | 'webhookBody') => readonly Issue[],
): RuleIssue[] => {
  const texts = contentTexts(entity, rule)
  const ofContent = contentParts
    .filter((part) => rule.content?.[part] !== undefined)
    .flatMap((part) =>
      issuesOf(texts[part], part).map((issue) => ({ path: ['content', part], ...issue })),
    )
  const ofBody = textsIn(rule.webhookBody, ['webhookBody']).flatMap(({ path, text }) =>
    issuesOf(text, 'webhookBody').map((issue) => ({ path, ...issue })),
  )
  return [...ofContent, ...ofBody]
}

/** Findings at the template that contains the issue. */
export const checkTemplates = (project: Project): Finding[] =>
  checkRules(project, (one) => {
    const variables = contentVariables(project.catalog, one)
    const ofBody = webhookVariables(project.catalog, one.entity)
    return [
      ...bodyIssues(one.rule),
      ...templateIssuesOf(one, (text, part) => [
        ...templateIssues(part === 'webhookBody' ? ofBody : variables, text),
        ...(part === 'due_date' ? issuesOfDueDate(project.catalog, one.entity, text) : []),
      ]),
    ]
  })

const maxBodyBytes = 16_384

const bodyIssues = ({ webhook, webhookBody: body }: NotificationRule): RuleIssue[] => {
  if (body === undefined) return []
  const bytes = Buffer.byteLength(JSON.stringify(body))
  const messages = [
    ...(webhook === undefined ? ['is of no use without the property "webhook"'] : []),
    ...(bytes > maxBodyBytes ? [`has ${bytes} bytes, at most ${maxBodyBytes} are allowed`] : []),
  ]
  return messages.map((message) => ({ path: ['webhookBody'], message, severity: 'error' }))
}

const templateIssues = (variables: Variables, text: string): Issue[] => {
  const read = readTemplate(text)
  const issues =
    'issue' in read
      ? [`is not a valid Liquid template: ${read.issue}`]
      : new Set(read.template.names.flatMap((name) => nameIssue(variables, name) ?? []))
  return [...issues].map((message) => ({ message, severity: 'error' }))
}

const issuesOfDueDate = (catalog: Catalog, entity: Entity, text: string): Issue[] => {
  const read = readTemplate(text)
  return 'template' in read ? dueDateIssues(catalog, entity, read.template) : []
}

/** The names in a template; none if it is not a string. */
export const namesInText = (text: string): readonly TemplateName[] => {
  const read = readTemplate(text)
  return 'template' in read ? read.template.names : []
}

const readTemplate = (text: string) => {
  try {
    return { template: parseTemplate(text) }
  } catch (error) {
    return { issue: errorText(error).split('\n')[0] }
  }
}

// They format for readers, so the service cannot read what they print.
const refusedFilters = ['local_date', 'number']

/** The issues of the template of a due date. */
const dueDateIssues = (catalog: Catalog, entity: Entity, template: LiquidTemplate): Issue[] => {
  const filters = filtersOf(template)
  const refused = refusedFilters.filter((name) => filters.has(name))
  if (refused.length > 0)
    return refused.map((name) => ({
      message: `has the filter "${name}", which writes for people: the service reads a due date, so write the field without it`,
      severity: 'error',
    }))
  const printed = printSample(catalog, entity, template)
  if (!printed || readDueDate(printed, sampleZone) !== undefined) return []
  const message = `prints dates such as "${printed}", which the service cannot read: write YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS, as a field without a filter does`
  return [{ message, severity: 'warning' }]
}

const sampleZone = 'UTC'
const sampleDay = '2026-11-24'
const samples = {
  date: sampleDay,
  timestamp: `${sampleDay}T08:00:00.000Z`,
  // It may contain a date.
  text: sampleDay,
} as const

/** What it prints for a sample record; undefined if that depends on other values. */
const printSample = (
  catalog: Catalog,
  entity: Entity,
  template: LiquidTemplate,
): string | undefined => {
  const values = new Map<string, unknown>()
  for (const { segments } of printedNames(template)) {
    const [root, ...rest] = segments
    const path = rest.join('.')
    const result = root === 'record' ? resolvePath(catalog, entity, path) : undefined
    const kind = result && 'path' in result ? result.path.column.type.comparedKind : undefined
    // Of numbers and choices, a template may compose a date.
    if (kind === undefined || kind === 'number') return undefined
    values.set(path, samples[kind])
  }
  const data = { record: nest(values) }
  const reading = { locale: catalog.locale, timeZone: sampleZone }
  try {
    return renderTemplate(template, data, reading)
  } catch {
    // The sample has none of the other values that it reads.
    return undefined
  }
}

/** The issue of what follows a variable, if any; `shown` is the whole name. */
type Variable = (shown: string, rest: TemplateName['segments']) => string | undefined
export type Variables = ReadonlyMap<string, Variable>

/** The issue of a name, if any. */
export const nameIssue = (variables: Variables, { segments }: TemplateName) => {
  const [root = '', ...rest] = segments
  const shown = segments.map((segment) => segment ?? '[…]').join('.')
  const variable = variables.get(root)
  return variable
    ? variable(shown, rest)
    : `"${shown}" is not a variable of a notification${didYouMean(root, variables.keys())}`
}

const text: Variable = (shown, rest) =>
  rest.length === 0 ? undefined : `"${shown}" does not exist`

const anything: Variable = () => undefined

const partOf =
  (properties: readonly string[]): Variable =>
  (shown, rest) => {
    const [name = ''] = rest
    if (rest.length === 0) return `"${shown}" is an object; name a property of it`
    if (rest.length > 1 || !properties.includes(name))
      return `"${shown}" does not exist${didYouMean(name, properties)}`
    return undefined
  }

const common: readonly (readonly [string, Variable])[] = [
  ['entity', partOf(['key', 'name'])],
  ['action', partOf(['key', 'name', 'kind', 'form', 'from', 'from_name', 'to', 'to_name'])],
  ['comment', text],
  ['language', text],
]

/** Variables of the content of a notification. */
const contentVariables = (catalog: Catalog, { entity, rule }: EntityRule): Variables => {
  const user = catalog.entities.get('user')
  const ofUser = user ? pathOf(catalog, user) : anything
  return new Map([
    ['record', pathOf(catalog, entity)],
    ['names', choiceOf(catalog, entity, pathOf(catalog, entity))],
    ...(rule.operation === 'change' ? ([['before', ownOf(catalog, entity)]] as const) : []),
    ['actor', ofUser],
    ['recipient', ofUser],
    ...common,
  ])
}

const toldTexts = [
  ...['notification_id', 'user_id', 'entity_key', 'entity_id', 'operation', 'timestamp'],
  ...['icon', 'title', 'message', 'url', 'due_at'],
]

/** Variables of the body of a webhook. */
const webhookVariables = (catalog: Catalog, entity: Entity): Variables =>
  new Map([
    ['record', mailedOf(catalog, entity)],
    ['names', choiceOf(catalog, entity, mailedOf(catalog, entity))],
    ['actor', partOf(actorPaths)],
    ['recipient', partOf(actorPaths)],
    ...common,
    ...toldTexts.map((name) => [name, text] as const),
  ])

const mailTexts = ['title', 'message', 'message_has_comment', 'url', 'unsubscribe_url']

/** Variables of an e-mail about records of these entities; without entities any name is accepted. */
export const emailVariables = (catalog: Catalog, entities: readonly Entity[]): Variables => {
  const records = entities.map((entity) => mailedOf(catalog, entity))
  const choices = entities.map((entity) => choiceOf(catalog, entity, mailedOf(catalog, entity)))
  return new Map([
    // A template of several entities may ask for the current one.
    ['record', records.length === 0 ? anything : oneOf(records)],
    ['names', choices.length === 0 ? anything : oneOf(choices)],
    ['actor', partOf(actorPaths)],
    ['recipient', partOf(actorPaths)],
    ...common,
    ...mailTexts.map((name) => [name, text] as const),
    ...['attachments', 'links', 'missing'].map((name) => [name, anything] as const),
  ])
}

const oneOf =
  (variables: readonly Variable[]): Variable =>
  (shown, rest) => {
    const issues = variables.map((variable) => variable(shown, rest))
    return issues.includes(undefined) ? undefined : issues[0]
  }

/** A path from a record, through associations and into JSON. */
const pathOf =
  (catalog: Catalog, start: Entity): Variable =>
  (shown, segments) => {
    if (segments.length === 0) return `"${shown}" is a whole record; name a field of it`
    const names: string[] = []
    for (const segment of segments) {
      if (segment === undefined) return `"${shown}" selects a field at run time; write its name`
      names.push(segment)
      const result = resolvePath(catalog, start, names.join('.'))
      // A json field has members of its own, which no definition knows.
      if ('path' in result && result.path.column.type.isStructured) return undefined
    }
    const result = resolvePath(catalog, start, names.join('.'))
    return 'message' in result ? `"${shown}": ${result.message}` : undefined
  }

/** A field of the record itself: to which record it linked, and whether a recipient may read that, is not known any more. */
const ownOf = (catalog: Catalog, entity: Entity): Variable => {
  const path = pathOf(catalog, entity)
  return (shown, segments) => {
    const issue = path(shown, segments)
    if (issue !== undefined) return issue
    const [name = ''] = segments
    return entity.associations.has(name)
      ? `"${shown}" is a link, of which there is only the present one; name a field with a value of its own`
      : undefined
  }
}

/** Fields of the record, and the display field of each linked record. */
const mailedOf = (catalog: Catalog, entity: Entity): Variable => {
  const available = new Set([...recordPaths(catalog, entity), ...entity.associations.keys()])
  const path = pathOf(catalog, entity)
  return (shown, segments) => {
    const issue = path(shown, segments)
    const [first, ...deeper] = segments
    if (issue !== undefined || available.has(segments.join('.'))) return issue
    const column = entity.columnsByName.get(first ?? '')
    if (column?.type.isStructured || deeper.length === 0) return undefined
    return `"${shown}" is not available in what is sent, which has only the display field of a linked record`
  }
}

/** A field of `path` whose values have names: a choice or the step. */
const choiceOf =
  (catalog: Catalog, entity: Entity, path: Variable): Variable =>
  (shown, segments) => {
    const issue = path(shown, segments)
    if (issue !== undefined) return issue
    const result = resolvePath(catalog, entity, segments.join('.'))
    return 'path' in result && hasValueNames(result.path.column)
      ? undefined
      : `"${shown}" is neither a choice nor a step, which alone have names`
  }
