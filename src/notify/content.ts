/** The content of a notification: the templates of a rule, and what they render to. */
import type { Entity } from '../definitions/catalog.ts'
import type { NotificationRule } from '../definitions/notification-rules.ts'
import type { NotifiedOperation } from '../definitions/operations.ts'
import { parseDate, parseTimestamp } from '../definitions/values/timestamps.ts'
import type { StoredContent } from '../inbox/notification.ts'
import { shorten } from '../issues.ts'
import { builtInTexts } from '../templates/built-in-texts.ts'
import { type LiquidTemplate, parseTemplate, renderTemplate } from '../templates/liquid-template.ts'
import type { Reading } from '../templates/local-filters.ts'

export const contentParts = ['icon', 'title', 'message', 'due_date', 'url'] as const
export type ContentPart = (typeof contentParts)[number]

/** The templates of a rule, with defaults for missing parts. */
export type RuleContent = Readonly<Record<ContentPart, LiquidTemplate>>

/** The text of each part, as written or by default in the language of the project. */
export const contentTexts = (
  entity: Entity,
  rule: NotificationRule,
  locale?: string,
): Readonly<Record<ContentPart, string>> => {
  const { operation, recipient, content = {} } = rule
  const record = nameOfRecord(entity)
  const date = dateOfRule(entity, rule)
  const defaults = builtInTexts(locale)[operation]
  return {
    icon: icons[operation],
    title: defaults.title(record, date),
    message: defaults.message(record, date),
    due_date: '',
    // Who may not read the record has nothing to open.
    url: recipient.skipRightsCheck ? '' : pageOfRecord,
    ...content,
  }
}

/** Parses every part; the definition was checked, so none can be invalid. */
export const readContent = (
  entity: Entity,
  rule: NotificationRule,
  locale?: string,
): RuleContent => {
  const texts = contentTexts(entity, rule, locale)
  return {
    icon: parseTemplate(texts.icon),
    title: parseTemplate(texts.title),
    message: parseTemplate(texts.message),
    due_date: parseTemplate(texts.due_date),
    url: parseTemplate(texts.url),
  }
}

// Of the console, below the address of the service.
const pageOfRecord = '/console/{{ entity.key }}/{{ record.id }}'

/** The display name of the record: its display field, or else its id. */
const nameOfRecord = ({ definition: { displayField } }: Entity): string =>
  displayField === undefined
    ? '{{ entity.name }} {{ record.id }}'
    : `{{ entity.name }} {{ record.${displayField} | default: record.id }}`

/** The date that is due, with the name of its field. */
const dateOfRule = (entity: Entity, { field }: NotificationRule): string => {
  const column = entity.columnsByName.get(field ?? '')
  return column
    ? `${column.field.name ?? column.name} {{ record.${column.name} | local_date }}`
    : ''
}

const icons = {
  create: 'plus',
  change: 'edit',
  remove: 'trash',
  restore: 'rotate-ccw',
  takeOwnership: 'user',
  proceedToStep: 'arrow-right',
  date: 'calendar',
  comment: 'message',
  mention: 'at-sign',
} as const satisfies Readonly<Record<NotifiedOperation, string>>

/** The variables of templates, each with the fields that are read. */
export type TemplateData = {
  readonly record: object
  /** The record before a change: its own fields. */
  readonly before: object
  /** What choices and steps of the record are called, at the same places. */
  readonly names: object
  readonly actor: object
  readonly recipient: object
  readonly entity: { readonly key: string; readonly name: string }
  /** Empty if the event was no workflow action. */
  readonly action: { readonly to?: unknown }
  readonly comment: string | null
  /** Of the reader, such as `de`. */
  readonly language: string
}

/** Whether the content differs between recipients. */
export const isPersonal = (content: RuleContent): boolean =>
  Object.values(content).some(({ names }: LiquidTemplate) =>
    names.some(({ segments }) => segments[0] === 'recipient'),
  )

/**
 * The maximum length of each part, because every recipient has a copy. A longer text is cut and ends with
 * `…`; a longer URL is omitted.
 */
const contentLimits = { icon: 100, title: 500, message: 10_000, url: 2000 } as const

/** A content, and what its `due_date` rendered to if that is no date: then nothing is due. */
export type RenderedContent = {
  readonly content: StoredContent
  readonly unreadDueDate: string | undefined
}

/**
 * Renders every part as its reader reads. A `due_date` without an offset is in `timeZone`; one that does not render to a date is
 * omitted, and returned as `unreadDueDate`.
 */
export const renderContent = (
  content: RuleContent,
  data: TemplateData,
  timeZone: string,
  reading: Reading,
): RenderedContent => {
  const [icon, title, message = '', due, url] = contentParts.map((part) =>
    renderTemplate(content[part], data, reading),
  )
  const dueAt = due ? (readDueDate(due, timeZone) ?? null) : null
  const { to } = data.action
  const stored: StoredContent = {
    icon: shorten(icon ?? '', contentLimits.icon),
    title: shorten(oneLine(title ?? ''), contentLimits.title),
    message: shorten(message, contentLimits.message),
    // A part of a URL leads elsewhere.
    url: url && url.length <= contentLimits.url ? url : null,
    due_at: dueAt,
    ...(hasComment(content, data, { message, reading }) && { has_comment: true }),
    ...(dueAt !== null && typeof to === 'string' && { step: to }),
  }
  return { content: stored, unreadDueDate: due && dueAt === null ? due : undefined }
}

/** Fields of several lines may stand in a title. */
const oneLine = (text: string): string =>
  text.trim().replaceAll(/\s*[\n\v\f\r\u0085\u2028\u2029]\s*/g, ' ')

type Rendered = { readonly message: string; readonly reading: Reading }

const hasComment = (
  { message: template }: RuleContent,
  data: TemplateData,
  { message, reading }: Rendered,
): boolean =>
  data.comment !== null &&
  // A message that is cut does not contain the whole comment.
  message.length <= contentLimits.message &&
  template.names.some(({ segments }) => segments[0] === 'comment') &&
  printsComment(message, data.comment, (comment) =>
    renderTemplate(template, { ...data, comment }, reading),
  )

/** The moment of a due date; a day means its midnight in the zone. Undefined if the text is no date. */
export const readDueDate = (text: string, timeZone: string): string | undefined =>
  parseDate(text) === undefined
    ? parseTimestamp(text, timeZone)
    : parseTimestamp(`${text} 00:00:00`, timeZone)

// Private use characters, which comments rarely contain; those that the message has itself are counted, so that they do not matter.
const marks = ['\uE000', '\uE001'] as const
const anyMark = /[\uE000\uE001]/g

/**
 * Whether a rendered message has the whole comment. It is rendered once more with marks around the comment: where they appear,
 * the comment was printed, also in another form, such as in upper case; a condition prints none of them.
 */
const printsComment = (
  message: string,
  comment: string,
  render: (comment: string) => string,
): boolean => {
  const [begin, end] = marks
  const marked = render(begin + comment + end)
  // If a condition or a length has another result with the marks, the message has to contain the comment itself.
  if (withoutMarks(marked) !== withoutMarks(message)) return message.includes(comment.trim())
  return marks.every((mark) => countOf(marked, mark) > countOf(message, mark))
}

const withoutMarks = (text: string): string => text.replaceAll(anyMark, '')

const countOf = (text: string, mark: string): number => text.split(mark).length
